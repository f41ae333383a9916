//! A marketplace lists a folder that is not there.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "marketplace-source-missing",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a marketplace lists a plugin at a missing folder",
    page: include_str!("marketplace_source_missing.md"),
    check: RuleCheck::Reading,
};
