//! A `compatibility` field that is longer than the specification allows.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::source::ComponentKind;

pub(super) const RULE: Rule = Rule {
    name: "compatibility-length",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "a skill's `compatibility` has more than 500 characters",
    page: include_str!("compatibility_length.md"),
    check: RuleCheck::Component(check),
};

/// The maximum length of the field in the Agent Skills specification.
const LONGEST: usize = 500;

fn check(_: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some(node) = component.field("compatibility").filter(|_| component.kind == ComponentKind::Skill)
    else {
        return;
    };
    let length = node.scalar().map_or(0, |text| text.trim().chars().count());
    if length > LONGEST {
        let message = format!("`compatibility` has {length} characters (limit {LONGEST})");
        let help = "name the hosts and programs that it needs; move the rest into the text";
        sink.report(text.file, node.span, message).help = Some(help.to_owned());
    }
}
