//! What the real hosts have shown: the document that `verify --format json` prints, and the proof that it writes into a
//! bundle.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::shown_names::{HostVerdict, NamesByKind};
use super::source_verification::SourceVerification;
use crate::diagnostic::HostId;
use crate::ledger::ComponentKind;

/// What `verify --format json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Verification {
    /// `plugcast.verify/1`.
    pub schema: String,
    /// One entry per bundle, in the order of the hosts' names.
    pub hosts: Vec<HostVerification>,
    /// Hosts that could not be started, so that their bundles are not verified.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<AbsentHost>,
    /// What the source host lists of the source, compared with each bundle; absent if no source was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceVerification>,
    /// Remarks that are not failures, for the human-readable output.
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl Verification {
    /// Whether every host is installed and showed everything.
    pub fn passed(&self) -> bool {
        self.absent.is_empty()
            && self.hosts.iter().all(|host| host.result == HostVerdict::Pass)
            && self.source.as_ref().is_none_or(|source| source.result == HostVerdict::Pass)
    }
}

/// A host that is not installed, or that has no driver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AbsentHost {
    /// The host.
    #[schemars(with = "String")]
    pub host: HostId,
    /// What is missing.
    pub message: String,
    /// How to get it.
    pub help: String,
}

/// What one host has shown for one bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct HostVerification {
    /// The host, for example `codex`.
    #[schemars(with = "String")]
    pub host: HostId,
    /// The version that the host's binary reports.
    pub version: String,
    /// Whether the host showed everything that the bundle declares, and nothing else from its plugins.
    pub result: HostVerdict,
    /// Skills and commands whose body was compared with what the host gave the model.
    pub invoked: usize,
    /// Skills and commands of the bundle.
    pub total: usize,
    /// The plugins, sorted by name.
    pub plugins: Vec<PluginVerification>,
    /// Remarks that are not failures, for the human-readable output.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// What one host has shown for one plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PluginVerification {
    /// The plugin.
    pub name: String,
    /// The names that the bundle carries according to the ledger, as the host shows them.
    pub expected: NamesByKind,
    /// Those of `expected` that were found, by the method in `method`.
    pub observed: NamesByKind,
    /// How each kind was found: the weakest method of any of its names.
    pub method: Methods,
    /// Expected names that were not found.
    pub missing: Vec<String>,
    /// Names that the host shows in the plugin's namespace but that were not expected.
    pub unexpected: Vec<String>,
    /// Errors that the host reported about the plugin's files and components, and bodies that differ.
    pub errors: Vec<String>,
    /// How each single name was found, for the human-readable output.
    #[serde(skip)]
    pub ways: BTreeMap<(ComponentKind, String), Method>,
    /// The emitted file of each missing name, for the human-readable output.
    #[serde(skip)]
    pub files: BTreeMap<String, String>,
}

/// How the names of each kind were found; absent if nothing was found or expected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Methods {
    /// For skills.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<Method>,
    /// For agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<Method>,
    /// For commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commands: Option<Method>,
    /// For hook handlers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hooks: Option<Method>,
    /// For MCP servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_servers: Option<Method>,
}

impl Methods {
    /// Lowers the method of a kind to the weaker of the known one and this one.
    pub fn weaken(&mut self, kind: ComponentKind, method: Method) {
        let known = match kind {
            ComponentKind::Skill => &mut self.skills,
            ComponentKind::Agent => &mut self.agents,
            ComponentKind::Command => &mut self.commands,
            ComponentKind::Hook => &mut self.hooks,
            ComponentKind::McpServer => &mut self.mcp_servers,
            _ => return,
        };
        *known = Some(known.map_or(method, |known| known.min(method)));
    }
}

/// How a name was found, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Its file is in the bundle, but the host was not seen to know it.
    Resolved,
    /// The host itself names it.
    Listed,
    /// The host ran it.
    Executed,
}

/// The document written to `.plugcast/verified.json`: the proof for one version of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct VerificationRecord {
    /// `plugcast.verified/1`.
    pub schema: String,
    /// The digest of the bundle's manifest; the proof is valid only while it is unchanged.
    pub digest: String,
    /// The host.
    #[schemars(with = "String")]
    pub host: HostId,
    /// The host's version.
    pub version: String,
    /// The versions of the helper binaries in the bundle, sorted.
    pub helper_versions: Vec<String>,
    /// What the host has shown.
    pub plugins: Vec<PluginVerification>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weakest_way_counts_and_names_are_sorted_once() {
        let mut methods = Methods::default();
        methods.weaken(ComponentKind::Agent, Method::Listed);
        methods.weaken(ComponentKind::Agent, Method::Resolved);
        assert_eq!(methods.agents, Some(Method::Resolved));
        let mut names = NamesByKind::default();
        for name in ["p:b", "p:a", "p:b"] {
            names.add(ComponentKind::Skill, name);
        }
        assert_eq!(names.skills, ["p:a", "p:b"]);
    }
}
