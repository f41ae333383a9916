//! A skill's name and its folder differ.

use crate::check::context::{Context, Text};
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::{Sink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::source::Kind;

pub(super) const RULE: Rule = Rule {
    name: "name-mismatch",
    group: Group::Portability,
    severity: Severity::Warning,
    summary: "a skill's `name` differs from its folder",
    page: include_str!("name_mismatch.md"),
    check: Check::Component(check),
};

fn check(_: &Context<'_>, component: &Component, text: &Text<'_>, sink: &mut Sink) {
    let folder = component.folder();
    let is_own_folder = component.kind == Kind::Skill && folder != text.plugin.root;
    let Some(folder) = folder.file_name().filter(|_| is_own_folder) else { return };
    let Some(node) = component.field("name") else { return };
    let Some(name) = node.scalar().filter(|name| name != folder) else { return };
    let found =
        sink.at(text.file, node.span, format!("the skill is named `{name}`, but its folder `{folder}`"));
    found.help = Some(format!("write `name: {folder}`, or rename the folder"));
    found.fix = Some(replace(text.file, node.span, folder, Applicability::Unsafe));
}
