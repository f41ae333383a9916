//! `[listing]`: what the host's list of skills can hold.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[listing]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ListingFacts {
    /// How many folders directly below the folder of skills are read, the first ones by name; all of
    /// them without a number.
    pub folders: Option<usize>,
    /// How many tokens the lines of one plugin may fill before the host shortens descriptions.
    pub budget: usize,
    /// How many tokens the lines of all plugins of a session may fill, with those of the host itself.
    pub session: Option<SessionFacts>,
    /// Whether all lines are shown, however many: beyond the budget each request is large.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
    /// How many bytes the host counts as a token; each line is rounded up.
    pub bytes_per_token: usize,
    /// The line of one skill, with `{qualified}`, `{description}` and `{folder}`.
    pub line: String,
    /// How many characters of a description the list shows at most.
    pub description_limit: usize,
    /// A field that the list shows behind the description.
    pub also: Option<String>,
    /// Whether commands of the source stand in the list as they are.
    pub commands: bool,
    /// Whether commands that take arguments leave the list of a bundle that overflows.
    pub relieved: bool,
}

/// `[listing] session`: what the plugins of a session share.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SessionFacts {
    /// How many tokens all lines may fill.
    pub budget: usize,
    /// Those of the host's own skills.
    pub own: usize,
    /// The same without descriptions.
    pub own_least: usize,
    /// How many characters the descriptions of the host's own skills have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_descriptions: Vec<usize>,
    /// The line that names a further plugin's folder.
    pub folder: usize,
}

impl ListingFacts {
    /// How many tokens the line of one skill fills when the host leaves its description out.
    pub fn least_tokens(&self, qualified: &str, folder: &str) -> usize {
        self.least_bytes(qualified, folder).div_ceil(self.bytes_per_token.max(1))
    }

    /// The same in bytes.
    pub fn least_bytes(&self, qualified: &str, folder: &str) -> usize {
        let line = self.line.replace("{description} ", "");
        line.replace("{qualified}", qualified).replace("{folder}", folder).len() + "\n".len()
    }

    /// How many tokens the line of one skill fills.
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
