//! A file of hooks without the key that holds them.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "hook-wrapper",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "the events of a hooks file are not inside a `hooks` object",
    page: include_str!("hook_wrapper.md"),
    check: RuleCheck::Reading,
};
