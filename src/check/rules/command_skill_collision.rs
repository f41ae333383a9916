//! A command and a skill of one name: the command hides the skill.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "command-skill-collision",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a command and a skill of a plugin have the same name",
    page: include_str!("command_skill_collision.md"),
    check: RuleCheck::Reading,
};
