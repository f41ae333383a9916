//! A plugin that holds nothing.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "empty-plugin",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a plugin has no components",
    page: include_str!("empty_plugin.md"),
    check: RuleCheck::Reading,
};
