//! The names that hosts show, and whether they are those of a bundle.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ledger::ComponentKind;

/// Whether a host showed what was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HostVerdict {
    /// Everything.
    Pass,
    /// Something is missing or unexpected, or the host reported an error.
    Fail,
}

/// Names by kind, each list sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NamesByKind {
    /// `plugin:skill`.
    pub skills: Vec<String>,
    /// `plugin:folder:agent`.
    pub agents: Vec<String>,
    /// `plugin:command`, even if the command became a skill.
    pub commands: Vec<String>,
    /// One per handler: `<event>/<matcher or *>/<n>`, with n from 1.
    pub hooks: Vec<String>,
    /// As the host shows the server.
    pub mcp_servers: Vec<String>,
}

impl NamesByKind {
    /// The list of a kind; `None` for kinds that are not verified.
    pub fn get(&self, kind: ComponentKind) -> Option<&Vec<String>> {
        match kind {
            ComponentKind::Skill => Some(&self.skills),
            ComponentKind::Agent => Some(&self.agents),
            ComponentKind::Command => Some(&self.commands),
            ComponentKind::Hook => Some(&self.hooks),
            ComponentKind::McpServer => Some(&self.mcp_servers),
            _ => None,
        }
    }

    /// Adds a name to the list of its kind, in order; ignores kinds that are not verified.
    pub fn add(&mut self, kind: ComponentKind, name: &str) {
        let list = match kind {
            ComponentKind::Skill => &mut self.skills,
            ComponentKind::Agent => &mut self.agents,
            ComponentKind::Command => &mut self.commands,
            ComponentKind::Hook => &mut self.hooks,
            ComponentKind::McpServer => &mut self.mcp_servers,
            _ => return,
        };
        if let Err(place) = list.binary_search_by(|known| known.as_str().cmp(name)) {
            list.insert(place, name.to_owned());
        }
    }
}
