//! A manifest names the file of hooks that is read without being named.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "hooks-relisted",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a manifest lists the hooks file that is loaded by default",
    page: include_str!("hooks_relisted.md"),
    check: RuleCheck::Reading,
};
