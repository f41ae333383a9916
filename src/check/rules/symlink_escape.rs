//! A link whose file lies outside the source.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "symlink-escape",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a link points outside the source",
    page: include_str!("symlink_escape.md"),
    check: RuleCheck::Reading,
};
