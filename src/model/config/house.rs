//! `[check.house]`: what the rules of the profile `house` are told about a repository.

use std::collections::BTreeMap;

use serde::Deserialize;

/// `[check.house]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HouseConfig {
    /// What every skill and agent of a plugin begins with, by plugin; without an entry, nothing.
    pub name_prefix: BTreeMap<String, String>,
    /// Bytes that a skill file may have, each line feed counted twice.
    pub size: usize,
    /// Skill files that may have more for now, by path: they may only shrink.
    pub sizes: BTreeMap<String, usize>,
}

impl Default for HouseConfig {
    fn default() -> Self {
        Self { name_prefix: BTreeMap::new(), size: 8_000, sizes: BTreeMap::new() }
    }
}
