//! Frontmatter that begins and never ends; the reader finds it.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "frontmatter-unclosed",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "frontmatter begins and never ends",
    page: include_str!("frontmatter_unclosed.md"),
    check: RuleCheck::Reading,
};
