//! A JSON file that no host can read.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "json-syntax",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a JSON file of the plugin cannot be read",
    page: include_str!("json_syntax.md"),
    check: RuleCheck::Reading,
};
