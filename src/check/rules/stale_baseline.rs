//! An entry of the baseline that finds nothing any more.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "stale-baseline",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "an entry of the baseline no longer matches a finding",
    page: include_str!("stale_baseline.md"),
    check: RuleCheck::Engine,
};
