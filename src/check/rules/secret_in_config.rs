//! A credential in clear in the configuration of a server or hook.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "secret-in-config",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "the configuration of a server or hook contains a credential in plain text",
    page: include_str!("secret_in_config.md"),
    check: RuleCheck::Reading,
};
