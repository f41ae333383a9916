//! Frontmatter that ends before its author ends it; the reader finds it.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "frontmatter-ends-early",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "dashes end the frontmatter before its last line, and the rest of it is text",
    page: include_str!("frontmatter_ends_early.md"),
    check: RuleCheck::Reading,
};
