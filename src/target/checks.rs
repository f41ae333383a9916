//! `[checks]`: what `plugcast check` holds a source against. No build reads it, so a list that is too
//! short costs a finding and nothing else.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ValueFormat;

/// `[checks]`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CheckFacts {
    /// Tools beside those of `[source]` that a list of tools or a matcher may name.
    #[serde(default)]
    pub other_tools: Vec<String>,
    /// Grants that leave a shell, or everything, without a question.
    #[serde(default)]
    pub open_grants: Vec<String>,
    /// Fields of an agent that take one of a few values.
    #[serde(default)]
    pub agent_values: BTreeMap<String, Vec<String>>,
    /// Fields of an agent that take a whole number, too or only.
    #[serde(default)]
    pub agent_numbers: Vec<String>,
    /// Short names of models.
    #[serde(default)]
    pub models: Vec<String>,
    /// Events whose matchers name one of a few things that are no tools.
    #[serde(default)]
    pub matcher_values: BTreeMap<String, Vec<String>>,
    /// Events whose matchers name tools.
    #[serde(default)]
    pub tool_events: Vec<String>,
    /// An MCP server with a `url` and no `type` is taken for one with a command, and dropped.
    #[serde(default)]
    pub type_needed: bool,
    /// MCP servers of plugins start in the user's project, whatever their `cwd` is.
    #[serde(default)]
    pub servers_start_in_project: bool,
    /// Names of plugins that the host keeps for its maker's own.
    #[serde(default)]
    pub reserved_plugins: Vec<String>,
    /// How such names begin.
    #[serde(default)]
    pub reserved_plugin_prefixes: Vec<String>,
    /// How the names of models begin, or what they hold, that are none of the short ones.
    #[serde(default)]
    pub model_marks: Vec<String>,
    /// What looks like a placeholder of a command and is none.
    #[serde(default)]
    pub false_placeholders: Vec<String>,
    /// Folders of a project that the host reads; those of the source host have the form of a plugin.
    #[serde(default)]
    pub project_folders: Vec<String>,
    /// The variable that names the folder of the user's project.
    #[serde(default)]
    pub project_variable: String,
    /// Agents and commands of a project that the host reads in a format of its own.
    #[serde(default)]
    pub project_files: Vec<ProjectFiles>,
    /// What else lies in a project for the host and is not checked, with the reason.
    #[serde(default)]
    pub project_unread: BTreeMap<String, String>,
    /// Commands that are rejected before they run.
    #[serde(default)]
    pub refused: Vec<RefusedCommand>,
}

/// A command that is rejected before it runs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RefusedCommand {
    /// The program.
    pub program: String,
    /// Its options, any of which makes it one; letters may stand together behind one dash.
    pub options: Vec<String>,
    /// Programs that run another one and do not hide it.
    pub through: Vec<String>,
    /// What to write instead.
    pub instead: String,
}

/// Files of a project in a format of the host's own.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProjectFiles {
    /// Folders of the project that hold them, at any depth.
    pub folders: Vec<String>,
    /// What the files are written in.
    pub format: FileFormat,
    /// What the host does with one that is wrong, after its name.
    pub refusal: String,
    /// Fields that must be there, and that must not be empty.
    #[serde(default)]
    pub required: Vec<String>,
    /// What values of fields look like.
    #[serde(default)]
    pub formats: BTreeMap<String, ValueFormat>,
    /// The values that fields take: in place of, or beside, their format; of a mapping, those within it.
    #[serde(default)]
    pub values: BTreeMap<String, Vec<String>>,
}

/// What a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileFormat {
    /// Markdown, with fields in its frontmatter.
    Markdown,
    /// TOML.
    Toml,
}

impl FileFormat {
    /// How the names of such files end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Toml => "toml",
        }
    }
}
