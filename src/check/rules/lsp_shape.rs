//! An LSP server that no host can start.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "lsp-shape",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "an LSP server lacks its command or its languages",
    page: include_str!("lsp_shape.md"),
    check: RuleCheck::Reading,
};
