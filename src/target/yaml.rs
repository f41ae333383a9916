//! `[yaml]`: how a host reads frontmatter.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::read::dialect::Dialect;

/// `[yaml]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct YamlFacts {
    /// A byte order mark makes the host miss the frontmatter.
    pub byte_order_mark_refused: bool,
    /// A value that only the source host rescues makes the host refuse or misread the file.
    pub rescue_refused: bool,
    /// Flags that must be written `true` or `false`.
    pub flag_fields: Vec<String>,
    /// Fields that must be text; anything else makes the host refuse the file.
    pub text_fields: Vec<String>,
    /// Fields that must be a mapping; anything else makes the host refuse the file.
    pub mapping_fields: Vec<String>,
    /// How the host reads what a source has, before anything is written for it.
    pub dialect: Dialect,
}
