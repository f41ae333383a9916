//! A skill without `name`.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::{Applicability, Fix, FixEdit, Severity};
use crate::model::component::Component;
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "name-missing",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "a skill has no `name`",
    page: include_str!("name_missing.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some(yaml) = component.document.yaml.filter(|_| !component.has_lost_fields()) else { return };
    if component.kind != ComponentKind::Skill || component.field("name").is_some() {
        return;
    }
    let found =
        sink.report(text.file, Span::new(0, yaml.start).trimmed(text.text), "the skill has no `name`");
    found.hosts = context.hosts_that(|target| target.skill.name_required);
    found.help = Some(format!("add `name: {}` to match the folder", component.name));
    let edit = FixEdit {
        path: text.file.path.to_string(),
        start: yaml.start,
        end: yaml.start,
        replacement: format!("name: {}\n", component.name),
    };
    found.fix = Some(Fix { applicability: Applicability::Safe, edits: vec![edit] });
}
