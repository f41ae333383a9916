//! Hooks of an event that does not exist.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "hook-event",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "hooks are registered for an unknown event",
    page: include_str!("hook_event.md"),
    check: RuleCheck::Reading,
};
