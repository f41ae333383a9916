//! `[listing]`: what the host's list of skills can hold.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[listing]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ListingFacts {
    /// How many folders directly below the folder of skills are read, the first ones by name.
    pub folders: usize,
    /// How many tokens the lines of one plugin may fill before the host shortens descriptions.
    pub budget: usize,
    /// How many bytes the host counts as a token; each line is rounded up.
    pub bytes_per_token: usize,
    /// The line of one skill, with `{qualified}`, `{description}` and `{folder}`.
    pub line: String,
    /// How many characters of a description the list shows at most.
    pub description_limit: usize,
}
