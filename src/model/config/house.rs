//! `[check.house]`: settings of the rules of the profile `house` for a repository.

use std::collections::BTreeMap;

use serde::Deserialize;

/// `[check.house]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HouseConfig {
    /// The name prefix of every skill and agent of a plugin, by plugin; none without an entry.
    pub name_prefix: BTreeMap<String, String>,
    /// Maximum bytes of a skill file, each line feed counted twice.
    pub size: usize,
    /// Skill files that may have more for now, by path: they may only shrink.
    pub sizes: BTreeMap<String, usize>,
}

impl Default for HouseConfig {
    fn default() -> Self {
        Self { name_prefix: BTreeMap::new(), size: 8_000, sizes: BTreeMap::new() }
    }
}
