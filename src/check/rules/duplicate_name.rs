//! Two components of a kind with one name; the model finds it.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "duplicate-name",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "two components of the same kind share a name",
    page: include_str!("duplicate_name.md"),
    check: RuleCheck::Reading,
};
