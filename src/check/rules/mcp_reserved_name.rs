//! A server has a name that a host drops.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "mcp-reserved-name",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "an MCP server has a name that a host drops",
    page: include_str!("mcp_reserved_name.md"),
    check: RuleCheck::Reading,
};
