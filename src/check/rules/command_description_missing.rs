//! A command without a description.

use crate::check::context::{Context, Text};
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::Sink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::source::{Kind, Span};

pub(super) const RULE: Rule = Rule {
    name: "command-description-missing",
    group: Group::Pedantic,
    severity: Severity::Warning,
    summary: "a command has no `description`",
    page: include_str!("command_description_missing.md"),
    check: Check::Component(check),
};

fn check(_: &Context<'_>, component: &Component, text: &Text<'_>, sink: &mut Sink) {
    let skip =
        component.has_lost_fields() || component.user_only() || component.field("description").is_some();
    if component.kind != Kind::Command || skip {
        return;
    }
    let line = text.text.lines().next().map_or(0, str::len);
    let first = component.document.yaml.map_or(line, |yaml| yaml.start.min(3));
    let found = sink.at(text.file, Span::new(0, first), "the command has no `description`");
    found.help =
        Some("add a `description`, or `disable-model-invocation: true` if only users run it".to_owned());
}
