//! The definition of a rule: a name that reads well after "allow", its group, its severity, its page, and its check
//! function.

use serde::Serialize;

use super::context::{PluginText, RuleContext};
use super::sink::FindingSink;
use crate::diagnostic::{RuleId, Severity};
use crate::model::component::Component;
use crate::model::plugin::Plugin;

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The id, in kebab-case.
    pub name: &'static str,
    /// The group, which decides whether the rule is enabled by default.
    pub group: RuleGroup,
    /// The severity of a finding unless the rule overrides it for a host.
    pub severity: Severity,
    /// One line: what it finds.
    pub summary: &'static str,
    /// The page for people, in Markdown.
    pub page: &'static str,
    /// The check.
    pub check: RuleCheck,
}

impl Rule {
    /// The id of its findings.
    pub const fn id(&self) -> RuleId {
        RuleId::from_static(self.name)
    }
}

/// Groups of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleGroup {
    /// A host rejects it or reads it wrongly. On.
    Correctness,
    /// A selected host treats it differently. On.
    Portability,
    /// Almost surely not what was meant. On.
    Suspicious,
    /// A matter of form. Off.
    Style,
    /// Strict readings of a specification. Off.
    Pedantic,
    /// New rules that may be wrong. Off.
    Nursery,
    /// The conventions of one team. Off; the profile `house` enables them.
    House,
}

impl RuleGroup {
    /// All groups, in the order of the documentation.
    pub const ALL: [RuleGroup; 7] = [
        RuleGroup::Correctness,
        RuleGroup::Portability,
        RuleGroup::Suspicious,
        RuleGroup::Style,
        RuleGroup::Pedantic,
        RuleGroup::Nursery,
        RuleGroup::House,
    ];

    /// The name of the group in configuration and reports.
    pub fn id(self) -> &'static str {
        match self {
            RuleGroup::Correctness => "correctness",
            RuleGroup::Portability => "portability",
            RuleGroup::Suspicious => "suspicious",
            RuleGroup::Style => "style",
            RuleGroup::Pedantic => "pedantic",
            RuleGroup::Nursery => "nursery",
            RuleGroup::House => "house",
        }
    }

    /// Whether its rules are on by default.
    pub fn is_default(self) -> bool {
        matches!(self, RuleGroup::Correctness | RuleGroup::Portability | RuleGroup::Suspicious)
    }
}

/// What a rule checks.
#[derive(Debug, Clone, Copy)]
pub enum RuleCheck {
    /// No code: the source file of that path reports it while it reads the source or applies the settings.
    ReportedBy(&'static str),
    /// Each text file of a plugin.
    Text(fn(&RuleContext<'_>, &PluginText<'_>, &mut FindingSink)),
    /// Each skill, agent and command, with the text of its main file.
    Component(fn(&RuleContext<'_>, &Component, &PluginText<'_>, &mut FindingSink)),
    /// Each skill, agent and command with the text of its main file. Diagnostics of the readers for that file under the
    /// rule's name are for builds only, and are replaced.
    InsteadOfReader(fn(&RuleContext<'_>, &Component, &PluginText<'_>, &mut FindingSink)),
    /// Each plugin.
    Plugin(fn(&RuleContext<'_>, &Plugin, &mut FindingSink)),
    /// The whole source.
    Project(fn(&RuleContext<'_>, &mut FindingSink)),
}
