//! A server has a name that a host drops.

use crate::check::rule::{Check, Group, Rule};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "mcp-reserved-name",
    group: Group::Correctness,
    severity: Severity::Error,
    summary: "an MCP server has a name that a host drops",
    page: include_str!("mcp_reserved_name.md"),
    check: Check::Reading,
};
