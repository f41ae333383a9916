//! A field of a hook that is missing or cannot be used.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "hook-field",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a field of a hook is missing or has a value that hosts refuse",
    page: include_str!("hook_field.md"),
    check: RuleCheck::Reading,
};
