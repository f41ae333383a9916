//! `[notes]`, `[prompts]` and `[[sandbox]]`: text that is written once for a whole plugin.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[notes]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NotesFacts {
    /// The path of the file in the plugin's folder; written only if the plugin needs it.
    pub path: String,
    /// The file: a template over `plugin`, `rules` (each with `commands`, `text` and `profile`), and the agents that
    /// can be installed (each with its `name` and its `file` in the plugin): `dispatched` for those that texts of the
    /// build dispatch, and `others`.
    pub text: String,
}

/// `[prompts]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PromptsFacts {
    /// The suffix that turns the name of a script into that of the file with its prompts.
    pub suffix: String,
    /// The file: a template over `workflow`, `script` and `prompts`, each with its `text`, a `fence` for it, and the
    /// `agent` that it is for.
    pub text: String,
}

/// Commands that the host's default sandbox refuses.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SandboxFacts {
    /// Prefixes of such commands.
    pub commands: Vec<String>,
    /// What to do about a refusal.
    pub text: String,
    /// The part of a permission profile that allows them, with `{plugin}` for its name.
    pub profile: Option<String>,
}
