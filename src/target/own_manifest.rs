//! `[manifest.own]`: what is taken over of an author's own manifest for the host.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[manifest.own]`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OwnManifestFacts {
    /// Its fields that are taken over, by JSON pointer: those at the top only where the source has none.
    #[serde(default)]
    pub fields: BTreeMap<String, OwnField>,
    /// Files for this host alone that an author has beside it, and that are carried.
    #[serde(default)]
    pub files: Vec<String>,
}

/// What such a field holds.
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
