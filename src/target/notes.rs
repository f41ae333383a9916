//! `[notes]`, `[prompts]` and `[[sandbox]]`: what is said once for a whole plugin.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[notes]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NotesFacts {
    /// Where the file lies in the plugin's folder; only a plugin that needs it has it.
    pub path: String,
    /// The file: a template over `plugin`, `rules`, each with its `commands`, its `text` and its `profile`, and the agents
    /// that can be installed, each with its `name` and its `file` in the plugin: the `dispatched`, which texts of the build
    /// ask for, and the `others`.
    pub text: String,
}

/// `[prompts]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PromptsFacts {
    /// What follows the name of a script in the name of the file with its prompts.
    pub suffix: String,
    /// The file: a template over `workflow`, `script` and `prompts`, each with its `text`, a `fence` for it, and the
    /// `agent` that it is for.
    pub text: String,
}

/// Commands that the host's default sandbox refuses.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SandboxFacts {
    /// How such a command begins.
    pub commands: Vec<String>,
    /// What to do about a refusal.
    pub text: String,
    /// The part of a permission profile that allows them, with `{plugin}` for its name.
    pub profile: Option<String>,
}
