//! A reference file of a skill that is longer than a model should have to read at once.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "reference-size",
    group: RuleGroup::Pedantic,
    severity: Severity::Warning,
    summary: "a skill's reference file has more tokens than the limit",
    page: include_str!("reference_size.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    let of_skill = text.component.is_some_and(|component| component.kind == ComponentKind::Skill);
    let limit = context.settings.limits.reference_tokens;
    let tokens = text.text.len().div_ceil(4);
    if !of_skill || text.main || !text.is_markdown() || tokens <= limit {
        return;
    }
    let first = Span::new(0, text.text.lines().next().map_or(0, str::len));
    let found = sink.report(text.file, first, format!("the file has about {tokens} tokens (limit {limit})"));
    found.help = Some("split it by topic, so that the model reads only what the task needs".to_owned());
}
