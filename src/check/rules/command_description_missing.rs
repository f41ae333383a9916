//! A command without a description.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "command-description-missing",
    group: RuleGroup::Pedantic,
    severity: Severity::Warning,
    summary: "a command has no `description`",
    page: include_str!("command_description_missing.md"),
    check: RuleCheck::Component(check),
};

fn check(_: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let skip =
        component.has_lost_fields() || component.is_user_only() || component.field("description").is_some();
    if component.kind != ComponentKind::Command || skip {
        return;
    }
    let line = text.text.lines().next().map_or(0, str::len);
    let first = component.document.yaml.map_or(line, |yaml| yaml.start.min(3));
    let found = sink.report(text.file, Span::new(0, first), "the command has no `description`");
    found.help =
        Some("add a `description`, or `disable-model-invocation: true` if only users run it".to_owned());
}
