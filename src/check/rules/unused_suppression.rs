//! A suppression that covers nothing.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "unused-suppression",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a suppression matches no finding, names an unknown rule, or gives no reason",
    page: include_str!("unused_suppression.md"),
    check: RuleCheck::Engine,
};
