//! How many components each plugin of a bundle brings to its host.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::source::ComponentKind;

/// The components that a plugin brings to a host, by number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PluginCounts {
    /// The plugin.
    pub name: String,
    /// Its version, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Carried components by kind.
    pub counts: BTreeMap<ComponentKind, usize>,
}
