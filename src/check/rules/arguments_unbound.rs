//! `$ARGUMENTS` in the text of an agent, where no host replaces it.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::read::markdown::region_at;
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "arguments-unbound",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "`$ARGUMENTS` in the text of an agent, which no host replaces",
    page: include_str!("arguments_unbound.md"),
    check: RuleCheck::Component(check),
};

const ALL: &str = "$ARGUMENTS";

/// No host replaces anything in an agent's text.
fn check(_: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    if component.kind != ComponentKind::Agent {
        return;
    }
    let body = text.body.slice(text.text);
    let places = body.match_indices(ALL).map(|(at, _)| text.body.start + at);
    let prose = |at: &usize| region_at(&text.outline().regions, *at).is_none();
    let Some(at) = places.into_iter().find(prose) else { return };
    let message = format!("agents get no arguments, so `{ALL}` is not replaced");
    let found = sink.report(text.file, Span::new(at, at + ALL.len()), message);
    found.help = Some("remove it; the caller's prompt is the agent's first message".to_owned());
}
