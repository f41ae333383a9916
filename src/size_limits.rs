//! `[runtime.polish]` of a `plugcast.toml`: the helper enforces these limits in the user's repository, and the compiler
//! refuses keys that the helper would not understand.

use serde::Deserialize;

/// Upper limits, inclusive. An omitted limit has its default value.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "the table `[runtime.polish]`")]
pub struct PolishConfig {
    /// Files per work item.
    pub item_files: Option<u64>,
    /// Surfaces per work item.
    pub item_surfaces: Option<u64>,
    /// Changed lines per work item.
    pub item_lines: Option<u64>,
    /// Files per batch.
    pub batch_files: Option<u64>,
    /// Changed lines per batch.
    pub batch_lines: Option<u64>,
    /// The number of items to plan again from which on the user decides.
    pub replans: Option<u64>,
}

impl PolishConfig {
    /// The keys, in the order of the fields.
    pub const NAMES: [&str; 6] =
        ["item-files", "item-surfaces", "item-lines", "batch-files", "batch-lines", "replans"];
}
