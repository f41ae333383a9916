//! A slash form names something that a user cannot call with a slash.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::model::qualified_name::qualify;
use crate::read::markdown::{RegionKind, region_at};
use crate::read::name_words::{is_spaced_letter, leading_name};
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "slash-in-prose",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a slash form for a name that users cannot call",
    page: include_str!("slash_in_prose.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if text.component.is_none() || !text.is_markdown() {
        return;
    }
    let body = text.body.slice(text.text);
    for at in memchr::memchr_iter(b'/', body.as_bytes()) {
        let Some(span) = slash_form(body, at) else { continue };
        let name = span.slice(body);
        let Some(other) = uncallable_component(context, text, name) else { continue };
        if is_of_another_host(context, &body[span.end..]) {
            continue;
        }
        let span = Span::new(span.start - 1, span.end).shifted(text.body.start);
        let (message, help) = match other.kind {
            ComponentKind::Agent => (
                format!("`/{name}` is not a command: `{}` is an agent", other.qualified),
                format!("say to dispatch the agent `{}`", other.qualified),
            ),
            _ => (
                format!("`/{name}` does nothing: the skill sets `user-invocable: false`"),
                format!("refer to the skill `{name}` without the slash"),
            ),
        };
        let found = sink.report(text.file, span, message);
        found.help = Some(help);
        // In a code block the name is part of a program or a form, and after "run" more than the name has to change.
        let before = text.text[..span.start].trim_end_matches([' ', ':', '`']);
        let is_run =
            before.get(before.len().saturating_sub(3)..).is_some_and(|word| word.eq_ignore_ascii_case("run"));
        if !is_run && region_at(&text.outline().regions, span.start) != Some(RegionKind::CodeBlock) {
            found.fix = Some(replace(text.file, span, name, Applicability::Unsafe));
        }
        if let Some(file) = context.file(&other.path) {
            let place = found.clone().with_related(file, other.name_span(), "it is defined here");
            found.related = place.related;
        }
    }
}

/// Whether the words after a slash form name the host that it is for, such as `/plan` for OpenCode.
fn is_of_another_host(context: &RuleContext<'_>, after: &str) -> bool {
    const SEARCHED_BYTES: usize = 40;
    let end =
        after.char_indices().map(|(at, _)| at).take_while(|at| *at <= SEARCHED_BYTES).last().unwrap_or(0);
    let near = after[..end].split([';', '\n', '/']).next().unwrap_or_default();
    let source = &context.targets.source_host().name;
    context.targets.iter().any(|host| host.name != *source && near.contains(host.host.title.as_str()))
}

/// The name after a slash at `at` that starts a word, if it is a complete name.
fn slash_form(body: &str, at: usize) -> Option<Span> {
    let may_stand_before = |c: char| matches!(c, '`' | '"' | '\'' | '(' | '*' | '[') || c.is_whitespace();
    if !body[..at].chars().next_back().is_none_or(may_stand_before) {
        return None;
    }
    let rest = &body[at + 1..];
    let name = leading_name(rest, ":").trim_end_matches([':', '-', '_']);
    let after = &rest[name.len()..];
    let ends = !after.starts_with(['/', '<', '{', '\\', '*'])
        && !after.strip_prefix('.').is_some_and(|after| after.starts_with(is_spaced_letter));
    // A single word may be a path or a route.
    (ends && name.contains(['-', ':'])).then(|| Span::new(at + 1, at + 1 + name.len()))
}

/// The component of that name, if none of that name can be called with a slash.
fn uncallable_component<'a>(
    context: &'a RuleContext<'_>,
    text: &PluginText<'_>,
    name: &str,
) -> Option<&'a Component> {
    let directory = context.directory();
    let qualified = qualify(&text.plugin.name, name);
    let qualified = [name, qualified.as_str()];
    match qualified.iter().find_map(|name| directory.skill(name)) {
        Some(skill) => (skill.kind == ComponentKind::Skill && skill.model_only()).then_some(skill),
        None => qualified.iter().find_map(|name| directory.agent(name)),
    }
}
