//! A command and a skill of one name: the command hides the skill.

use crate::check::rule::{Check, Group, Rule};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "command-skill-collision",
    group: Group::Correctness,
    severity: Severity::Error,
    summary: "a command and a skill of a plugin have the same name",
    page: include_str!("command_skill_collision.md"),
    check: Check::Reading,
};
