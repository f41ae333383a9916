//! What a build leaves for the next one: what the bundle was made of, and what was said about it. With
//! it, a build without a change reads and compares, and need not cast again.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;
use crate::source::Kind;

/// The document written to `.plugcast/record.json`. A bundle without it, or with another one, is as good;
/// nothing is written for its sake alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// `plugcast.record/1`.
    pub schema: String,
    /// sha256 over everything that the bundle depends on: the program, the source, settings and options.
    pub inputs: String,
    /// sha256 of each of the other documents, by file name.
    pub documents: BTreeMap<String, String>,
    /// What each plugin brings, sorted by name.
    pub plugins: Vec<PluginCounts>,
    /// What was found in the source, for whatever host.
    pub found: Vec<Diagnostic>,
    /// What was found for this host.
    pub found_here: Vec<Diagnostic>,
}

/// What a plugin brings to a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PluginCounts {
    /// The plugin.
    pub name: String,
    /// Its version, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Carried components by kind.
    pub counts: BTreeMap<Kind, usize>,
}
