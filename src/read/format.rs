//! The format that plugins are written in, as data: where its parts lie, and which names its texts
//! use. It comes from the one target that carries a `[source]` section.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dialect::Dialect;

/// `[source]`: the format that plugins are written in.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SourceFacts {
    /// The plugin's manifest.
    pub manifest: String,
    /// The marketplace file.
    pub marketplace: String,
    /// Tools that a text may name. A name that is also an English word counts only in code, as a
    /// call, or before the word "tool".
    pub tools: Vec<String>,
    /// Names among `tools` that are also English words.
    pub ambiguous_tools: Vec<String>,
    /// The tool that runs commands, which a grant names.
    pub shell_tool: String,
    /// Commands that are run without a grant, as they stand here.
    pub read_only_alone: Vec<String>,
    /// Commands that are run without a grant, and what may follow them.
    pub read_only: BTreeMap<String, String>,
    /// Tools that dispatch an agent.
    pub dispatch_tools: Vec<String>,
    /// Agents that the source host itself brings.
    pub agents: Vec<String>,
    /// Variables that the source host replaces.
    pub variables: Vec<String>,
    /// The variable for the plugin's folder.
    pub plugin_root: String,
    /// The variable for a skill's folder.
    pub skill_folder: String,
    /// Files that hold components of other kinds: path or folder to kind.
    pub components: BTreeMap<String, String>,
    /// Manifest fields that hold components of other kinds: field to kind.
    pub manifest_components: BTreeMap<String, String>,
    /// Events that a hook may wait for.
    pub hook_events: Vec<String>,
    /// Events whose hooks can stop what is about to happen.
    pub blocking_events: Vec<String>,
    /// Events whose hooks may guard what a plugin grants: one that cannot be loaded makes the source host refuse the
    /// plugin.
    pub guard_events: Vec<String>,
    /// Bytes that a skill, command or agent may have; larger ones are skipped.
    pub component_limit: usize,
    /// Events whose matchers name tools.
    pub tool_events: Vec<String>,
    /// Tools of which a rule in a hook's `if` can say more than the name.
    pub rule_tools: Vec<String>,
    /// What the `type` of an MCP server may be.
    pub server_types: Vec<String>,
    /// Names of MCP servers that are dropped.
    pub lost_server_names: Vec<String>,
    /// How a text names a value that the user was asked for, before its key: `user_config.`.
    pub user_config: String,
    /// The variable that holds such a value, with `{KEY}`.
    pub user_config_variable: String,
    /// Files at the root of a plugin that make the source host run an installer.
    pub lockfiles: Vec<String>,
    /// Manifests and folders of hosts that have no target here.
    pub foreign: Vec<String>,
    /// Manifests of other hosts and standards: the first that is there names a plugin without a manifest, and nothing
    /// else of it is read.
    pub foreign_manifests: Vec<String>,
    /// What the host of such a manifest reads besides skills, as patterns, by the manifest: a file that nothing reads where
    /// it is the plugin's only manifest.
    pub foreign_parts: BTreeMap<String, Vec<String>>,
    /// Fields of such a manifest that declare a part of the plugin, or name its files.
    pub foreign_fields: Vec<String>,
    /// Files and folders at the root of a plugin that serve its author's tools: no bundle carries them.
    pub build_files: Vec<String>,
    /// How the source host reads frontmatter that is no YAML; set when the targets are loaded.
    #[serde(skip)]
    pub dialect: Option<Dialect>,
    /// Kinds of marketplace source that are not a path in the same repository, by the key `source`.
    pub remote_sources: Vec<String>,
}
