//! The format that plugins are written in, as data: where its parts are, and which names its texts use. It comes from
//! the one target with a `[source]` section.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::read::dialect::Dialect;
use crate::source::ComponentKind;

/// `[source]`: the format that plugins are written in.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SourceFacts {
    /// The plugin's manifest.
    pub manifest: String,
    /// The marketplace file.
    pub marketplace: String,
    /// Tools that a text may mention. A name that is also an English word is recognised only in code, as a call, or
    /// before the word "tool".
    pub tools: Vec<String>,
    /// Names among `tools` that are also English words.
    pub ambiguous_tools: Vec<String>,
    /// The tool that runs commands, as grants name it.
    pub shell_tool: String,
    /// Commands that run without a grant, only if they match exactly.
    pub read_only_alone: Vec<String>,
    /// Commands that run without a grant, and what may follow them.
    pub read_only: BTreeMap<String, String>,
    /// Tools that dispatch an agent.
    pub dispatch_tools: Vec<String>,
    /// Agents that are built into the source host.
    pub agents: Vec<String>,
    /// Variables that the source host replaces.
    pub variables: Vec<String>,
    /// The variable for the plugin's folder.
    pub plugin_root: String,
    /// The variable for a skill's folder.
    pub skill_folder: String,
    /// Files that hold components of other kinds: path or folder to kind.
    pub components: BTreeMap<String, ComponentKind>,
    /// Manifest fields that hold components of other kinds: field to kind.
    pub manifest_components: BTreeMap<String, ComponentKind>,
    /// Events that a hook may subscribe to.
    pub hook_events: Vec<String>,
    /// Events whose hooks can block the action that they precede.
    pub blocking_events: Vec<String>,
    /// Events whose hooks may guard what a plugin grants: if such a hook cannot be loaded, the source host refuses the
    /// plugin.
    pub guard_events: Vec<String>,
    /// The maximum size of a skill, command or agent in bytes; larger ones are skipped.
    pub component_limit: usize,
    /// Events whose matchers name tools.
    pub tool_events: Vec<String>,
    /// Tools for which a rule in a hook's `if` can specify more than the name.
    pub rule_tools: Vec<String>,
    /// Valid values for the `type` of an MCP server.
    pub server_types: Vec<String>,
    /// Names of MCP servers that are dropped.
    pub lost_server_names: Vec<String>,
    /// The prefix of a reference to a value that the user was asked for: `user_config.`.
    pub user_config: String,
    /// The variable that holds such a value, with the placeholder `{KEY}`.
    pub user_config_variable: String,
    /// Files at the root of a plugin that make the source host run an installer.
    pub lockfiles: Vec<String>,
    /// Manifests and folders of hosts without a target.
    pub foreign: Vec<String>,
    /// Manifests of other hosts and standards: the first one found names a plugin that has no manifest, and nothing
    /// else in it is read.
    pub foreign_manifests: Vec<String>,
    /// For each such manifest, patterns of the files that its host reads besides skills; nothing reads them if it is
    /// the plugin's only manifest.
    pub foreign_parts: BTreeMap<String, Vec<String>>,
    /// Fields of such a manifest that declare part of the plugin or name its files.
    pub foreign_fields: Vec<String>,
    /// Files and folders at the root of a plugin that are for its author's tools; bundles omit them.
    pub build_files: Vec<String>,
    /// How the source host reads frontmatter that is not valid YAML; set when the targets are loaded.
    #[serde(skip)]
    pub dialect: Option<Dialect>,
    /// Values of the key `source` in a marketplace for sources outside the repository.
    pub remote_sources: Vec<String>,
}

impl SourceFacts {
    /// The variables of the plugin's folder and of a skill's folder.
    pub fn folder_variables(&self) -> Vec<String> {
        vec![self.plugin_root.clone(), self.skill_folder.clone()]
    }
}
