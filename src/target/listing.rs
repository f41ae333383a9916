//! `[listing]`: the limits of the host's list of skills.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[listing]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ListingFacts {
    /// How many folders directly below the folder of skills are read, in the order of their names; all if absent.
    pub folders: Option<usize>,
    /// How many tokens the lines of one plugin may take before the host shortens descriptions.
    pub budget: usize,
    /// How many tokens the lines of all plugins of a session may take, including the host's own.
    pub session: Option<SessionFacts>,
    /// Whether all lines are shown even beyond the budget, which makes each request large.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shows_all: bool,
    /// How many bytes the host counts as a token; each line is rounded up.
    pub bytes_per_token: usize,
    /// The line of one skill, with `{qualified}`, `{description}` and `{folder}`.
    pub line: String,
    /// The maximum number of characters of a description in the list.
    pub description_limit: usize,
    /// A field that the list shows after the description.
    pub extra_field: Option<String>,
    /// Whether commands of the source are listed unchanged.
    pub commands: bool,
    /// Whether commands that take arguments are removed from the list if a bundle exceeds the budget.
    pub unlists_commands: bool,
}

/// `[listing] session`: what the plugins of a session share.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SessionFacts {
    /// How many tokens all lines may take.
    pub budget: usize,
    /// How many tokens the host's own skills take.
    pub own: usize,
    /// The same without descriptions.
    pub own_least: usize,
    /// The lengths of the descriptions of the host's own skills, in characters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_descriptions: Vec<usize>,
    /// How many tokens the line with the folder of another plugin takes.
    pub folder: usize,
}

impl ListingFacts {
    /// How many tokens the line of one skill takes without its description.
    pub fn least_tokens(&self, qualified: &str, folder: &str) -> usize {
        self.least_bytes(qualified, folder).div_ceil(self.bytes_per_token.max(1))
    }

    /// The same in bytes.
    pub fn least_bytes(&self, qualified: &str, folder: &str) -> usize {
        let line = self.line.replace("{description} ", "");
        line.replace("{qualified}", qualified).replace("{folder}", folder).len() + "\n".len()
    }

    /// How many tokens the line of one skill takes.
    pub fn tokens(&self, qualified: &str, description: &str, folder: &str) -> usize {
        let shown = match description.char_indices().nth(self.description_limit) {
            Some((end, _)) => &description[..end],
            None => description,
        };
        let line = self
            .line
            .replace("{qualified}", qualified)
            .replace("{folder}", folder)
            .replace("{description}", shown);
        (line.len() + "\n".len()).div_ceil(self.bytes_per_token.max(1))
    }
}
