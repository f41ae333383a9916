//! How commands are lowered, and how users type names.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::FieldRule;
use super::typed_name::TypedName;

/// `[command]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CommandFacts {
    /// Whether a command stays one.
    pub emission: CommandEmission,
    /// Path of the file, with `{path}`, `{name}` and `{dashed}`.
    pub path: String,
    /// Which names users can type; `-` replaces any other character. If absent, names are unchanged.
    pub typed: Option<TypedName>,
    /// The sign before the name of a skill or a command that users type; `/` if absent.
    pub mark: Option<char>,
    /// Fields that have a meaning on this host, besides those of `fields`.
    #[serde(default)]
    pub own_fields: Vec<String>,
    /// How each field is lowered; `"*"` for all others.
    pub fields: BTreeMap<String, FieldRule>,
}

/// Whether a command stays one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CommandEmission {
    /// The host has commands.
    Native,
    /// It becomes a skill.
    AsSkill,
}
