//! A beta name or mark is left after the promotion.

use memchr::memmem;

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::signs::TextSign;
use crate::check::sink::{FindingSink, replace};
use crate::check::stage::{ENDING, MARK, StageMarks, beta_of};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::model::qualified_name::qualify;
use crate::read::name_words::{is_name_char, trailing_name};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "beta-residue",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a beta name or mark is left after the promotion",
    page: include_str!("beta_residue.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some(component) = text.component.filter(|_| text.is_markdown()) else { return };
    if text.main {
        mark(component, text, sink);
    }
    if !text.has_sign(TextSign::Beta) {
        return;
    }
    for at in memmem::find_iter(text.body.slice(text.text).as_bytes(), ENDING) {
        let Some(span) = beta_name(text.text, text.body.start + at) else { continue };
        let written = span.slice(text.text).trim_start_matches('/');
        let stable = written.strip_suffix(ENDING).unwrap_or(written);
        let own = qualify(&text.plugin.name, stable);
        let names = [stable, own.as_str()];
        let directory = context.directory();
        let Some(promoted) = names.iter().find_map(|name| directory.skill(name)) else { continue };
        if names
            .iter()
            .any(|name| beta_of(directory, name).is_some() || directory.contains(&format!("{name}{ENDING}")))
        {
            continue;
        }
        let message = format!("`{written}` was promoted: the stable skill is `{}`", promoted.qualified);
        let found = sink.report(text.file, span, message);
        let shown = span.slice(text.text).strip_suffix(ENDING).unwrap_or(stable);
        found.help = Some(format!("write `{shown}`"));
        found.fix = Some(replace(text.file, span, shown, Applicability::Unsafe));
        if let Some(file) = context.file(&promoted.path) {
            let place =
                found.clone().with_related(file, promoted.name_span(), "the stable skill is defined here");
            found.related = place.related;
        }
    }
}

/// The beta mark in the description of a stable skill.
fn mark(component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let stage = StageMarks::from_component(component, text.plugin);
    let Some(node) = component.field("description").filter(|_| stage.mark && !stage.is_beta()) else {
        return;
    };
    let message = format!(
        "the description is marked `{MARK}`, but neither name nor folder of `{}` ends in `-beta`",
        component.name
    );
    let found = sink.report(text.file, node.span, message);
    found.help = Some(format!("remove the mark, or end name and folder in `{ENDING}`"));
    let value = node.scalar().unwrap_or_default();
    if !value.contains('\n') {
        let rest = value.trim_start().get(MARK.len()..).unwrap_or_default().trim();
        let quoted = serde_json::Value::String(rest.to_owned()).to_string();
        found.fix = Some(replace(text.file, node.span, quoted, Applicability::Unsafe));
    }
}

/// The name that ends with the `-beta` at `at`, if it is written as a name: with a slash, with its plugin, or as a
/// whole code span.
fn beta_name(text: &str, at: usize) -> Option<Span> {
    let part = |c: char| is_name_char(c) || c == ':';
    let end = at + ENDING.len();
    let start = at - trailing_name(&text[..at], ":").len();
    let after = text[end..].chars().next();
    if start == at || after.is_some_and(|c| part(c) && c != ':' || "/@.".contains(c) && c != '.') {
        return None;
    }
    let before = &text[..start];
    let slash = before.strip_suffix('/').filter(|before| {
        before.chars().next_back().is_none_or(|c| c.is_whitespace() || "`\"'(*[".contains(c))
    });
    let alone = before.ends_with('`') && after == Some('`');
    let qualified = text[start..at].contains(':') && !before.ends_with(['/', '.', '@', '$']);
    let start = if slash.is_some() { start - 1 } else { start };
    (slash.is_some() || alone || qualified).then(|| Span::new(start, end))
}
