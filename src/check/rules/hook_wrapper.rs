//! A file of hooks without the key that holds them.

use crate::check::rule::{Check, Group, Rule};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "hook-wrapper",
    group: Group::Correctness,
    severity: Severity::Error,
    summary: "a file of hooks has no `hooks` around its events",
    page: include_str!("hook_wrapper.md"),
    check: Check::Reading,
};
