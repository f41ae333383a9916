//! A beta skill's description does not begin with `[BETA] `.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::check::stage::{MARK, StageMarks};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;

pub(super) const RULE: Rule = Rule {
    name: "beta-description",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a beta skill's description does not begin with `[BETA] `",
    page: include_str!("beta_description.md"),
    check: RuleCheck::Component(check),
};

fn check(_: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !StageMarks::from_component(component, text.plugin).is_beta() {
        return;
    }
    let Some(node) = component.field("description") else { return };
    let Some(value) = node.scalar().filter(|value| !value.trim_start().starts_with(&format!("{MARK} ")))
    else {
        return;
    };
    let message = format!("the description of the beta `{}` does not begin with `{MARK} `", component.name);
    let found = sink.report(text.file, node.span, message);
    found.help = Some(format!("write `description: \"{MARK} …\"`, in quotes: brackets begin a list in YAML"));
    if !value.contains('\n') {
        let quoted = serde_json::Value::String(format!("{MARK} {}", value.trim())).to_string();
        found.fix = Some(replace(text.file, node.span, quoted, Applicability::Unsafe));
    }
}
