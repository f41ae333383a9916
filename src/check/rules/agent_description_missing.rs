//! An agent without a description.

use crate::check::context::{Context, Text};
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::Sink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::source::{Kind, Span};

pub(super) const RULE: Rule = Rule {
    name: "agent-description-missing",
    group: Group::Suspicious,
    severity: Severity::Warning,
    summary: "an agent has no `description`",
    page: include_str!("agent_description_missing.md"),
    check: Check::Component(check),
};

/// Fields that the source host shows in its place.
const SAME: [&str; 3] = ["description", "when_to_use", "when-to-use"];

fn check(_: &Context<'_>, component: &Component, text: &Text<'_>, sink: &mut Sink) {
    let Some(yaml) = component.document.yaml.filter(|_| !component.has_lost_fields()) else { return };
    if component.kind != Kind::Agent || SAME.iter().any(|key| component.field(key).is_some()) {
        return;
    }
    let found = sink.at(text.file, Span::new(0, yaml.start.min(3)), "the agent has no `description`");
    found.help =
        Some("add a `description` that says when to use the agent; models choose agents by it".to_owned());
}
