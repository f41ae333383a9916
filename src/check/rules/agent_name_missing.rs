//! An agent without `name`.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::model::qualified_name::last_of;
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "agent-name-missing",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "an agent has no `name`",
    page: include_str!("agent_name_missing.md"),
    check: RuleCheck::Component(check),
};

fn check(_: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some(yaml) = component.document.yaml.filter(|_| !component.has_lost_fields()) else { return };
    if component.kind != ComponentKind::Agent || component.field("name").is_some() {
        return;
    }
    let found = sink.report(text.file, Span::new(0, yaml.start.min(3)), "the agent has no `name`");
    let name = last_of(&component.name);
    found.help = Some(format!("add `name: {name}` to match the file name"));
    // It may be the file of another host, in a subfolder or with another extension.
    let nested = component.name.contains(':');
    if name.contains('.') || nested && !text.plugin.is_declared() {
        return;
    }
    let here = Span::new(yaml.start, yaml.start);
    found.fix = Some(replace(text.file, here, format!("name: {name}\n"), Applicability::Safe));
}
