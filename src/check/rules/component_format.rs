//! A command of the manifest that is none.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "component-format",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a command in the manifest has no usable name, or neither `source` nor `content`",
    page: include_str!("component_format.md"),
    check: RuleCheck::Reading,
};
