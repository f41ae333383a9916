//! A skill without `description`.

use crate::check::context::{PluginText, RuleContext};
use crate::check::fields;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "description-missing",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "a skill has no `description`",
    page: include_str!("description_missing.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some(yaml) = component.document.yaml.filter(|_| !component.has_lost_fields()) else { return };
    if component.kind != ComponentKind::Skill || component.field("description").is_some() {
        return;
    }
    let hosts = context.hosts_that(|target| fields::needs_description(component, target));
    // Users who type the name need no description, unless the host rejects the skill.
    if component.is_user_only() && hosts.is_empty() {
        return;
    }
    let place = Span::new(0, yaml.start).trimmed(text.text);
    let found =
        sink.report(text.file, place, "the skill has no `description`, so models are not told about it");
    found.hosts = hosts;
    found.help = Some("add `description: …` with what it does and when to use it".to_owned());
}
