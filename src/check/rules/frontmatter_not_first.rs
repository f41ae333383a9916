//! Frontmatter behind a blank line; the reader finds it.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "frontmatter-not-first",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "frontmatter begins after a blank line, so it is read as text",
    page: include_str!("frontmatter_not_first.md"),
    check: RuleCheck::Reading,
};
