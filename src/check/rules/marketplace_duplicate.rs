//! A marketplace lists one name twice.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "marketplace-duplicate",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a marketplace lists two plugins under the same name",
    page: include_str!("marketplace_duplicate.md"),
    check: RuleCheck::Reading,
};
