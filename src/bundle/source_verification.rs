//! What the source host lists of the unmodified source, and what of that a bundle neither carries nor reports as a
//! loss.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::verification::{HostVerdict, NamesByKind};
use crate::ledger::ComponentKind;

/// The source host on the unmodified source, compared with each bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceVerification {
    /// The source, as it was given or found.
    pub path: String,
    /// The host that the source was written for.
    pub host: String,
    /// The version that the host's binary reports.
    pub version: String,
    /// `pass` when no bundle lacks anything that the host lists, and none has more.
    pub result: HostVerdict,
    /// What the host lists, sorted by plugin.
    pub plugins: Vec<SourcePlugin>,
    /// The comparison with each bundle, in the order of the hosts' names.
    pub bundles: Vec<SourceComparison>,
    /// Remarks that are no failure, for the reader of the human form.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// What the source host lists of one plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourcePlugin {
    /// The plugin, as the bundles name it.
    pub name: String,
    /// Its components; a command counts as one where a bundle's ledger says so, else as a skill.
    pub listed: NamesByKind,
    /// Why the host refuses the plugin or a part of it.
    pub refused: Vec<String>,
}

/// What one bundle lacks of what the source host lists, and what it has besides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceComparison {
    /// The bundle's host.
    pub host: String,
    /// What it neither carries nor counts as a loss with a class.
    pub missing: Vec<MissingComponent>,
    /// What it carries as a component, and the source host does not list.
    #[serde(default)]
    pub unlisted: Vec<UnlistedComponent>,
}

/// A component that a bundle carries, and the source host does not list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnlistedComponent {
    /// The plugin.
    pub plugin: String,
    /// A skill, agent or command.
    pub kind: ComponentKind,
    /// Its name, as the bundle has it.
    pub name: String,
    /// Its file, relative to the source.
    pub path: String,
}

/// A component that the source host lists and a bundle does not account for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MissingComponent {
    /// The plugin.
    pub plugin: String,
    /// A skill, agent, command, hook or MCP server.
    pub kind: ComponentKind,
    /// Its name, as the source host lists it.
    pub name: String,
    /// Why it is missing, as far as the ledger tells.
    pub reason: String,
    /// The source file, relative to the source, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}
