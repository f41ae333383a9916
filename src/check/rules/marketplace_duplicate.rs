//! A marketplace lists one name twice.

use crate::check::rule::{Check, Group, Rule};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "marketplace-duplicate",
    group: Group::Correctness,
    severity: Severity::Error,
    summary: "a marketplace lists two plugins under the same name",
    page: include_str!("marketplace_duplicate.md"),
    check: Check::Reading,
};
