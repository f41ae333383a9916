//! A manifest names what is not there.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "manifest-target-missing",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a manifest refers to a missing file or folder",
    page: include_str!("manifest_target_missing.md"),
    check: RuleCheck::Reading,
};
