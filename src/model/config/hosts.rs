//! `[targets.<host>]`: per-host overrides.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Spanned, Value};

/// Words of the file, each with its place.
pub type PlacedWords = BTreeMap<Spanned<String>, Spanned<String>>;

/// `[targets.<host>]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HostConfig {
    /// New names: a component, as `name`, `plugin:name` or `kind/name`, and what the last part of its name is here.
    pub rename: PlacedWords,
    /// Frontmatter to add or to say otherwise: `skills`, `agents`, `commands` or one component, then key and value.
    pub frontmatter: BTreeMap<Spanned<String>, BTreeMap<Spanned<String>, Spanned<Value>>>,
    /// What stands for a model that the source names, where the host takes one.
    pub models: PlacedWords,
    /// What the generated block says for a tool of the source host.
    pub tools: PlacedWords,
}
