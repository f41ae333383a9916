//! A file that should be text and is no UTF-8; the reader finds it.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "not-utf8",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a text file is not valid UTF-8",
    page: include_str!("not_utf8.md"),
    check: RuleCheck::Reading,
};
