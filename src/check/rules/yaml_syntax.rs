//! Frontmatter that is no YAML; the reader finds it.

use crate::check::rule::{Check, Group, Rule};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "yaml-syntax",
    group: Group::Correctness,
    severity: Severity::Error,
    summary: "frontmatter is not valid YAML, and no host can repair it",
    page: include_str!("yaml_syntax.md"),
    check: Check::Reading,
};
