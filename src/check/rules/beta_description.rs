//! A beta skill's description does not begin with `[BETA] `.

use crate::check::context::{Context, Text};
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::{Sink, replace};
use crate::check::stage::{MARK, Stage};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;

pub(super) const RULE: Rule = Rule {
    name: "beta-description",
    group: Group::Correctness,
    severity: Severity::Error,
    summary: "a beta skill's description does not begin with `[BETA] `",
    page: include_str!("beta_description.md"),
    check: Check::Component(check),
};

fn check(_: &Context<'_>, component: &Component, text: &Text<'_>, sink: &mut Sink) {
    if !Stage::of(component, text.plugin).is_beta() {
        return;
    }
    let Some(node) = component.field("description") else { return };
    let Some(value) = node.scalar().filter(|value| !value.trim_start().starts_with(&format!("{MARK} ")))
    else {
        return;
    };
    let message = format!("the description of the beta `{}` does not begin with `{MARK} `", component.name);
    let found = sink.at(text.file, node.span, message);
    found.help = Some(format!("write `description: \"{MARK} …\"`, in quotes: brackets begin a list in YAML"));
    if !value.contains('\n') {
        let quoted = serde_json::Value::String(format!("{MARK} {}", value.trim())).to_string();
        found.fix = Some(replace(text.file, node.span, quoted, Applicability::Unsafe));
    }
}
