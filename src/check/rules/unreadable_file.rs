//! A file or folder that nobody can read.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "unreadable-file",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a file or folder cannot be read, or a link is broken",
    page: include_str!("unreadable_file.md"),
    check: RuleCheck::Reading,
};
