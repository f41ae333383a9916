//! `[manifest.own]`: what is kept of an author's own manifest for the host.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[manifest.own]`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OwnManifestFacts {
    /// Its fields that are kept, by JSON pointer; top-level fields only if the source's manifest does not have them.
    #[serde(default)]
    pub fields: BTreeMap<String, OwnField>,
    /// Other files that an author adds for this host only, and that are carried.
    #[serde(default)]
    pub files: Vec<String>,
}

/// The type of such a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OwnField {
    /// One text.
    Text,
    /// A text or a list of texts.
    Texts,
    /// The path of a file of the plugin.
    File,
    /// A list of such paths.
    Files,
}
