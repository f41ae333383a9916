//! A text calls a skill by a slash form, which only users of one host can type.

use crate::check::context::{PluginText, RuleContext};
use crate::check::prose::{self, Passage};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::references::ReferenceTarget;
use crate::source::ComponentKind;

pub(super) const RULE: Rule = Rule {
    name: "semantic-skill-reference",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "a text calls a skill by a slash form instead of its name",
    page: include_str!("semantic_skill_reference.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some(component) = text.component.filter(|_| prose::is_instructions(text)) else { return };
    let passages = prose::passages(text);
    let here = context.references(component).iter().filter(|file| file.path == text.file.path);
    for reference in here.flat_map(|file| &file.references) {
        let ReferenceTarget::Component(ComponentKind::Skill, name) = &reference.named else { continue };
        let mut skills = context.project.plugins.iter().flat_map(|plugin| &plugin.components);
        let skill = skills.find(|other| other.kind == ComponentKind::Skill && &other.qualified == name);
        let mention = reference.span.slice(text.text);
        // The slash form is right for a skill that only the user starts.
        let by_user = skill.is_some_and(|skill| skill.is_user_only());
        let around = passages.iter().find(|passage| {
            passage.span.start <= reference.span.start && reference.span.end <= passage.span.end
        });
        let shown = around.is_some_and(|passage| shows(text, passage, mention));
        if !mention.starts_with('/') || by_user || shown {
            continue;
        }
        let found =
            sink.report(text.file, reference.span, format!("`{mention}` is the slash form of one host"));
        found.help = Some(format!("write \"load the `{name}` skill\""));
        let code = text.text[..reference.span.start].ends_with('`');
        let instead = if code { name.to_string() } else { format!("the `{name}` skill") };
        found.fix = Some(replace(text.file, reference.span, instead, Applicability::Unsafe));
    }
}

/// Whether a passage shows what the user types: an example, a heading, or a sentence about the user or about the forms
/// of each host.
fn shows(text: &PluginText<'_>, passage: &Passage, mention: &str) -> bool {
    let words = passage.span.slice(text.text);
    let name = mention.rsplit(['/', ':']).next().unwrap_or(mention);
    passage.code
        || words.starts_with('#')
        || prose::contains_any(words, &["user", "users", "user-runnable"])
        || [name, &mention[1..]].iter().any(|name| words.contains(&format!("${name}")))
}
