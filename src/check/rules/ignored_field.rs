//! A field that the host ignores in a plugin's agents.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::model::plugin::LocationForm;
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
    for entry in component.document.fields.iter().flat_map(|fields| fields.entries()) {
        let Some(reason) = ignored(context, text, component, &entry.key) else { continue };
        let found = sink.report(text.file, entry.key_span, reason);
        found.help =
            Some("remove it, and state the rule in the text; only user agents support it".to_owned());
    }
}

/// Why the source host ignores the field `key` of a component; `None` if it does not. It reads all fields of the agents of
/// a project.
pub(super) fn ignored(
    context: &RuleContext<'_>,
    text: &PluginText<'_>,
    component: &Component,
    key: &str,
) -> Option<String> {
    let rule = context.targets.source_host().agent.fields.get(key);
    let is_plugin = component.kind == ComponentKind::Agent && text.plugin.form != LocationForm::Project;
    let rule = rule.filter(|rule| is_plugin && rule.outcome == FieldOutcome::Dropped)?;
    Some(rule.reason.clone().unwrap_or_default())
}
