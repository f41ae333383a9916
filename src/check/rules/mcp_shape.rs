//! An MCP server that no host can start.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "mcp-shape",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "an MCP server lacks what starts it, or a field of it has a wrong type",
    page: include_str!("mcp_shape.md"),
    check: RuleCheck::Reading,
};
