//! What a rule is: a name that reads well after "allow", its group, how much it weighs, its page, and
//! the function that looks.

use serde::Serialize;

use super::context::{PluginText, RuleContext};
use super::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::model::plugin::Plugin;

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The id, in kebab-case.
    pub name: &'static str,
    /// What kind of rule it is; decides whether it is on.
    pub group: RuleGroup,
    /// How much a finding weighs unless the rule says otherwise for a host.
    pub severity: Severity,
    /// One line: what it finds.
    pub summary: &'static str,
    /// The page for people, in Markdown.
    pub page: &'static str,
    /// What looks.
    pub check: RuleCheck,
}

/// Groups of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleGroup {
    /// A host refuses it, or reads it wrongly. On.
    Correctness,
    /// A selected host reads it differently. On.
    Portability,
    /// Almost surely not what was meant. On.
    Suspicious,
    /// A matter of form. Off.
    Style,
    /// Strict readings of a specification. Off.
    Pedantic,
    /// New rules that may be wrong. Off.
    Nursery,
    /// The conventions of one house. Off; the profile `house` switches them on.
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

    /// The group as it stands in configuration and reports.
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

    /// Whether its rules are on without any configuration.
    pub fn is_default(self) -> bool {
        matches!(self, RuleGroup::Correctness | RuleGroup::Portability | RuleGroup::Suspicious)
    }
}

/// What a rule looks at.
#[derive(Debug, Clone, Copy)]
pub enum RuleCheck {
    /// Nothing of its own: the file of that path reports it, while it reads the source or applies the settings.
    ReportedBy(&'static str),
    /// Each text file of a plugin.
    Text(fn(&RuleContext<'_>, &PluginText<'_>, &mut FindingSink)),
    /// Each skill, agent and command, with the text of its own file.
    Component(fn(&RuleContext<'_>, &Component, &PluginText<'_>, &mut FindingSink)),
    /// Each skill, agent and command with the text of its own file. What readers said of that file under
    /// the rule's name is for builds, and counts no more.
    InsteadOfReader(fn(&RuleContext<'_>, &Component, &PluginText<'_>, &mut FindingSink)),
    /// Each plugin.
    Plugin(fn(&RuleContext<'_>, &Plugin, &mut FindingSink)),
    /// The whole source.
    Project(fn(&RuleContext<'_>, &mut FindingSink)),
}
