//! A path of a manifest that the source host refuses.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "manifest-path",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a path in a manifest leaves the plugin, or is not valid for its field",
    page: include_str!("manifest_path.md"),
    check: RuleCheck::Reading,
};
