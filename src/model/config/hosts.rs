//! `[targets.<host>]`: per-host overrides.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Spanned, Value};

/// The names and values of the file, with their positions.
pub type PlacedWords = BTreeMap<Spanned<String>, Spanned<String>>;

/// `[targets.<host>]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HostConfig {
    /// New names: a component, as `name`, `plugin:name` or `kind/name`, and the new last part of its name on the host.
    pub rename: PlacedWords,
    /// Frontmatter to add or to override: `skills`, `agents`, `commands` or one component, then key and value.
    pub frontmatter: BTreeMap<Spanned<String>, BTreeMap<Spanned<String>, Spanned<Value>>>,
    /// Substitutes for models that the source names, if the host accepts a model.
    pub models: PlacedWords,
    /// Substitutes for tools of the source host, used in the generated block.
    pub tools: PlacedWords,
}
