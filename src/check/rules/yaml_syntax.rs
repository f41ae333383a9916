//! Frontmatter that is no YAML; the reader finds it.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "yaml-syntax",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "frontmatter is not valid YAML, and no host can repair it",
    page: include_str!("yaml_syntax.md"),
    check: RuleCheck::Reading,
};
