//! An agent of a project without `name`.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::model::plugin::LocationForm;
use crate::model::qualified_name::last_of;
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "agent-name-missing",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "an agent of a project has no `name`, so the source host does not load it",
    page: include_str!("agent_name_missing.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    // An agent of a plugin is named after its file.
    if text.plugin.form != LocationForm::Project || !context.for_source_host() {
        return;
    }
    let Some(yaml) = component.document.yaml.filter(|_| !component.has_lost_fields()) else { return };
    if component.kind != ComponentKind::Agent || component.field("name").is_some() {
        return;
    }
    let found = sink.report(text.file, Span::new(0, yaml.start.min(3)), "the agent has no `name`");
    found.hosts = context.source_host_of_several();
    let name = last_of(&component.name);
    found.help = Some(format!("add `name: {name}` to match the file name"));
    // Another host's file may lie there, below a separate folder or with another ending.
    if name.contains('.') || component.name.contains(':') {
        return;
    }
    let here = Span::new(yaml.start, yaml.start);
    found.fix = Some(replace(text.file, here, format!("name: {name}\n"), Applicability::Safe));
}
