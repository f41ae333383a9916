//! A skill without `description`.

use crate::check::context::{Context, Text};
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::Sink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::source::{Kind, Span};

pub(super) const RULE: Rule = Rule {
    name: "description-missing",
    group: Group::Portability,
    severity: Severity::Warning,
    summary: "a skill has no `description`",
    page: include_str!("description_missing.md"),
    check: Check::Component(check),
};

fn check(context: &Context<'_>, component: &Component, text: &Text<'_>, sink: &mut Sink) {
    let Some(yaml) = component.document.yaml.filter(|_| !component.has_lost_fields()) else { return };
    if component.kind != Kind::Skill || component.field("description").is_some() {
        return;
    }
    let hosts = context.hosts_that(|target| target.skill.description_required);
    // Who types the name needs no description, unless the host refuses the skill.
    if component.user_only() && hosts.is_empty() {
        return;
    }
    let place = Span::new(0, yaml.start).trimmed(text.text);
    let found = sink.at(text.file, place, "the skill has no `description`, so models are not told about it");
    found.hosts = hosts;
    found.help = Some("add `description: …` with what it does and when to use it".to_owned());
}
