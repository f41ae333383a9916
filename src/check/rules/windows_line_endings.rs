//! A text with the line endings of Windows.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "windows-line-endings",
    group: RuleGroup::Pedantic,
    severity: Severity::Warning,
    summary: "a skill, agent or command has Windows line endings",
    page: include_str!("windows_line_endings.md"),
    check: RuleCheck::Reading,
};
