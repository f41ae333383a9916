//! A skill's text is longer than a model should have to read at once.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::model::config::CheckLimits;
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "skill-size",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a skill's text has more lines or tokens than the limit",
    page: include_str!("skill_size.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let limits = &context.settings.limits;
    if component.kind != ComponentKind::Skill || limits.oversize.contains(&component.path) {
        return;
    }
    let body = text.body.slice(text.text);
    let over = exceeded_limits(body, limits);
    if over.is_empty() {
        return;
    }
    let begins = text.body.start + body.len() - body.trim_start().len();
    let length = text.text[begins..].lines().next().map_or(0, str::len);
    let first = Span::new(begins, begins + length);
    let found = sink.report(text.file, first, format!("the skill's text has {}", over.join(" and ")));
    found.help =
        Some("move details into files under `references/` and refer to them where needed".to_owned());
}

/// Describes the exceeded limits of `body`.
pub(super) fn exceeded_limits(body: &str, limits: &CheckLimits) -> Vec<String> {
    let ended = memchr::memchr_iter(b'\n', body.as_bytes()).count();
    let lines = ended + usize::from(!body.is_empty() && !body.ends_with('\n'));
    let tokens = body.len().div_ceil(4);
    let mut over = Vec::new();
    if lines > limits.skill_lines {
        over.push(format!("{lines} lines (limit {})", limits.skill_lines));
    }
    if tokens > limits.skill_tokens {
        over.push(format!("about {tokens} tokens (limit {})", limits.skill_tokens));
    }
    over
}
