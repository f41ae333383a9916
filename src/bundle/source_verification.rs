//! What the source host lists of the unmodified source, and what of that a bundle neither carries nor reports as a
//! loss.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shown_names::{HostVerdict, NamesByKind};
use crate::diagnostic::HostId;
use crate::ledger::ComponentKind;

/// The source host on the unmodified source, compared with each bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SourceVerification {
    /// The source, as given or found.
    pub path: String,
    /// The host that the source was written for.
    #[schemars(with = "String")]
    pub host: HostId,
    /// The version that the host's binary reports.
    pub version: String,
    /// `pass` if no bundle lacks anything that the host lists or has more.
    pub result: HostVerdict,
    /// What the host lists, sorted by plugin.
    pub plugins: Vec<SourcePlugin>,
    /// The comparison with each bundle, in the order of the hosts' names.
    pub bundles: Vec<SourceComparison>,
    /// Remarks that are not failures, for the human-readable output.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// What the source host lists of one plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SourcePlugin {
    /// The plugin, by its name in the bundles.
    pub name: String,
    /// Its components; a command is listed as one if a bundle's ledger has it as a command, otherwise as a skill.
    pub listed: NamesByKind,
    /// Why the host refuses the plugin or part of it.
    pub refused: Vec<String>,
}

/// What one bundle lacks of what the source host lists, and what it has in addition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SourceComparison {
    /// The bundle's host.
    #[schemars(with = "String")]
    pub host: HostId,
    /// What it neither carries nor reports as a loss with a class.
    pub missing: Vec<MissingComponent>,
    /// What it carries as a component but the source host does not list.
    #[serde(default)]
    pub unlisted: Vec<UnlistedComponent>,
}

/// A component that a bundle carries but the source host does not list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct UnlistedComponent {
    /// The plugin.
    pub plugin: String,
    /// A skill, agent or command.
    pub kind: ComponentKind,
    /// Its name in the bundle.
    pub name: String,
    /// Its file, relative to the source.
    pub path: String,
}

/// A component that the source host lists and a bundle does not account for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MissingComponent {
    /// The plugin.
    pub plugin: String,
    /// A skill, agent, command, hook or MCP server.
    pub kind: ComponentKind,
    /// Its name, as the source host lists it.
    pub name: String,
    /// Why it is missing, if the ledger tells.
    pub reason: String,
    /// The source file, relative to the source, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}
