//! What each plugin of a bundle brings to its host, in numbers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::source::ComponentKind;

/// What a plugin brings to a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PluginCounts {
    /// The plugin.
    pub name: String,
    /// Its version, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Carried components by kind.
    pub counts: BTreeMap<ComponentKind, usize>,
}
