//! `[checks]`: the facts that `plugcast check` compares a source with. No build reads them, so an incomplete list costs
//! at most a diagnostic.

use std::collections::BTreeMap;

use camino::Utf8Path;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ValueFormat;

/// `[checks]`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CheckFacts {
    /// Tools besides those of `[source]` that a list of tools or a matcher may name.
    #[serde(default)]
    pub other_tools: Vec<String>,
    /// Grants that allow a shell, or everything, without asking.
    #[serde(default)]
    pub open_grants: Vec<String>,
    /// Fields of an agent that accept only certain values, with these values.
    #[serde(default)]
    pub agent_values: BTreeMap<String, Vec<String>>,
    /// Those of these fields whose values may be in upper case.
    #[serde(default)]
    pub agent_values_any_case: Vec<String>,
    /// Fields of an agent that accept a whole number, with or without other values.
    #[serde(default)]
    pub agent_numbers: Vec<String>,
    /// Short names of models.
    #[serde(default)]
    pub models: Vec<String>,
    /// Events whose matchers name something other than tools, with the valid values.
    #[serde(default)]
    pub matcher_values: BTreeMap<String, Vec<String>>,
    /// Events whose matchers name tools.
    #[serde(default)]
    pub tool_events: Vec<String>,
    /// Whether an MCP server with a `url` but no `type` is treated as one with a command, and dropped.
    #[serde(default)]
    pub type_needed: bool,
    /// Whether models are told only about skills with a description.
    #[serde(default)]
    pub lists_described_skills: bool,
    /// Where MCP servers of plugins start.
    #[serde(default)]
    pub server_folder: Option<ServerFolder>,
    /// Names of plugins that the host reserves for its vendor.
    #[serde(default)]
    pub reserved_plugins: Vec<String>,
    /// Prefixes of such names.
    #[serde(default)]
    pub reserved_plugin_prefixes: Vec<String>,
    /// Prefixes or substrings of full names of models.
    #[serde(default)]
    pub model_marks: Vec<String>,
    /// Text that looks like a placeholder of a command but is not one.
    #[serde(default)]
    pub false_placeholders: Vec<String>,
    /// Folders of a project that the host reads; those of the source host are structured like a plugin.
    #[serde(default)]
    pub project_folders: Vec<String>,
    /// The variable that names the folder of the user's project.
    #[serde(default)]
    pub project_variable: String,
    /// Agents and commands of a project in the host's own format.
    #[serde(default)]
    pub project_files: Vec<ProjectFiles>,
    /// The configuration file of a project.
    #[serde(default)]
    pub project_config: Option<ProjectConfig>,
    /// Other files for the host in a project that are not checked, with the reason.
    #[serde(default)]
    pub project_unread: BTreeMap<String, String>,
    /// Commands that are rejected before they run.
    #[serde(default)]
    pub refused: Vec<RefusedCommand>,
}

/// The folder in which a host starts the MCP servers of plugins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ServerFolder {
    /// The user's project, whatever `cwd` is.
    Project,
    /// The folder that `cwd` names in the plugin, or the user's project without `cwd`; a build sets `cwd` for servers
    /// that name the plugin's folder.
    Cwd,
}

/// A command that is rejected before it runs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RefusedCommand {
    /// The program.
    pub program: String,
    /// Its options, any of which makes the command rejected; letters may be combined after one dash.
    pub options: Vec<String>,
    /// Programs that run another one without hiding it from the host.
    pub through: Vec<String>,
    /// Where the host rejects it; elsewhere it asks the user first.
    pub place: String,
    /// What to use instead.
    pub instead: String,
}

/// Files of a project in the host's own format.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProjectFiles {
    /// Folders of the project that hold them, at any depth.
    pub folders: Vec<String>,
    /// A field that only files of this host have. If one file has it, a folder of the same name without the leading
    /// dot, which the author copies to where the host reads it, holds such files too.
    pub own_field: Option<String>,
    /// The format of the files.
    pub format: FileFormat,
    /// The field of the project's configuration that holds the same by name.
    #[serde(default)]
    pub config_field: Option<String>,
    /// Fields that are required there only, in place of the text of a file.
    #[serde(default)]
    pub config_required: Vec<String>,
    /// What the host does with an invalid file; follows the name of the file in the message.
    pub refusal: String,
    /// Fields that are required and must not be empty.
    #[serde(default)]
    pub required: Vec<String>,
    /// The formats of field values.
    #[serde(default)]
    pub formats: BTreeMap<String, ValueFormat>,
    /// Values that fields accept instead of, or in addition to, their format; for a mapping, the values in it.
    #[serde(default)]
    pub values: BTreeMap<String, Vec<String>>,
}

impl ProjectFiles {
    /// Whether `folder` has the path of one of their folders; the leading dot may be absent if it is a `copy`.
    pub fn are_in(&self, folder: &Utf8Path, copy: bool) -> bool {
        let mut folders = self.folders.iter();
        folders.any(|one| folder.ends_with(one) || copy && folder.ends_with(one.trim_start_matches('.')))
    }
}

/// The configuration file of a project.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProjectConfig {
    /// The names of such files: JSON, with comments and trailing commas.
    pub files: Vec<String>,
    /// What the host does with an invalid file; follows the fault in the message.
    pub refusal: String,
    /// The same for an MCP server that has a valid `enabled` and is otherwise invalid.
    pub server_refusal: String,
    /// What is not checked in them, for the list of unchecked paths.
    pub unchecked: String,
    /// Text that the host replaces before it reads the file; with it, the syntax is not checked.
    #[serde(default)]
    pub substitutions: Vec<String>,
    /// The beginning of such text that a `}` ends and that names a file, by its path from the folder of this file.
    pub file_substitution: String,
    /// The formats of fields.
    #[serde(default)]
    pub formats: BTreeMap<String, ValueFormat>,
    /// The field that holds MCP servers by name.
    pub servers_field: String,
    /// The types of servers, with their fields.
    pub servers: BTreeMap<String, ServerFormat>,
    /// Fields that make agents unknown, because the programs that they name may add some.
    #[serde(default)]
    pub programs_fields: Vec<String>,
    /// Folders of such programs.
    #[serde(default)]
    pub programs_folders: Vec<String>,
    /// The field of a command that names the agent which runs it.
    pub agent_field: String,
    /// Agents that the host has without any file.
    pub built_in_agents: Vec<String>,
    /// Those of them that only other agents call.
    pub built_in_subagents: Vec<String>,
    /// The field that names the agent of each session.
    pub default_agent_field: String,
    /// What happens to a command or session of an unknown agent.
    pub unknown_agent: String,
}

/// The fields of an MCP server of one type in such a file.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ServerFormat {
    /// Fields that are required.
    pub required: Vec<String>,
    /// The formats of field values.
    pub formats: BTreeMap<String, ValueFormat>,
}

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileFormat {
    /// Markdown, with fields in its frontmatter.
    Markdown,
    /// TOML.
    Toml,
}

impl FileFormat {
    /// The extension of such files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Toml => "toml",
        }
    }
}
