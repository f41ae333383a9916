//! An agent without a description.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "agent-description-missing",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "an agent has no `description`",
    page: include_str!("agent_description_missing.md"),
    check: RuleCheck::Component(check),
};

/// Fields that the source host accepts as the description.
const DESCRIPTION_FIELDS: [&str; 3] = ["description", "when_to_use", "when-to-use"];

fn check(_: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some(yaml) = component.document.yaml.filter(|_| !component.has_lost_fields()) else { return };
    if component.kind != ComponentKind::Agent
        || DESCRIPTION_FIELDS.iter().any(|key| component.field(key).is_some())
    {
        return;
    }
    let found = sink.report(text.file, Span::new(0, yaml.start.min(3)), "the agent has no `description`");
    found.help =
        Some("add a `description` that says when to use the agent; models choose agents by it".to_owned());
}
