//! What a host demands of a value, so that nothing else is written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a value in the host's own form looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ValueFormat {
    /// One text.
    Text,
    /// A whole number above zero.
    PositiveInteger,
    /// `#rrggbb`.
    HexColor,
}
