//! A hook of a type that does not exist.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "hook-type",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a hook has no `type`, or one that does not exist",
    page: include_str!("hook_type.md"),
    check: RuleCheck::Reading,
};
