//! A field that the host ignores in a plugin's agents.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::source::ComponentKind;
use crate::target::FieldOutcome;

pub(super) const RULE: Rule = Rule {
    name: "ignored-field",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a field of an agent that works in user agents but not in plugin agents",
    page: include_str!("ignored_field.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    if component.kind != ComponentKind::Agent {
        return;
    }
    let host = context.targets.source_host();
    for entry in component.document.fields.iter().flat_map(|fields| fields.entries()) {
        let rule = host.agent.fields.get(&entry.key);
        let Some(rule) = rule.filter(|rule| rule.outcome == FieldOutcome::Dropped) else { continue };
        let reason = rule.reason.clone().unwrap_or_default();
        let found = sink.report(text.file, entry.key_span, reason);
        found.help =
            Some("remove it, and state the rule in the text; only user agents support it".to_owned());
    }
}
