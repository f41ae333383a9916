//! The format that a host requires of a value, so that nothing else is emitted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::FieldRule;

/// The format of a value in the host's own form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ValueFormat {
    /// One text.
    Text,
    /// A whole number above zero.
    PositiveInteger,
    /// `#rrggbb`.
    HexColor,
    /// `true` or `false`.
    Flag,
    /// Any number.
    Number,
    /// Keys with values.
    Mapping,
    /// Keys with `true` or `false`.
    Flags,
    /// A list of texts.
    Texts,
    /// Keys with texts.
    TextMapping,
    /// A list of any values.
    List,
    /// A version that is the name of a folder: ASCII letters, digits, `.`, `+`, `_` and `-`.
    Version,
}

impl ValueFormat {
    /// Whether `value` has this format.
    pub fn matches(self, value: &Json) -> bool {
        match self {
            Self::Text => value.as_str().is_some_and(|text| !text.trim().is_empty()),
            Self::PositiveInteger => value.as_u64().is_some_and(|number| number > 0),
            Self::HexColor => value.as_str().is_some_and(is_hex_color),
            Self::Flag => value.is_boolean(),
            Self::Number => value.is_number(),
            Self::Mapping => value.is_object(),
            Self::Flags => value.as_object().is_some_and(|all| all.values().all(Json::is_boolean)),
            Self::Texts => value.as_array().is_some_and(|all| all.iter().all(Json::is_string)),
            Self::TextMapping => value.as_object().is_some_and(|all| all.values().all(Json::is_string)),
            Self::List => value.is_array(),
            Self::Version => value.as_str().is_some_and(is_version),
        }
    }

    /// The format in words, for a message.
    pub fn words(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::PositiveInteger => "a whole number above zero",
            Self::HexColor => "a color as `#rrggbb`",
            Self::Flag => "`true` or `false`",
            Self::Number => "a number",
            Self::Mapping => "a table",
            Self::Flags => "a table of `true` and `false`",
            Self::Texts => "a list of texts",
            Self::TextMapping => "a mapping of texts",
            Self::List => "a list",
            Self::Version => "ASCII letters, digits, `.`, `+`, `_` and `-`",
        }
    }
}

impl FieldRule {
    /// The host's equivalent of a value, in whatever case it is written.
    pub fn equivalent(&self, written: &str) -> Option<&str> {
        let known = self.values.get(written).or_else(|| self.values.get(&written.to_lowercase()));
        known.map(String::as_str)
    }
}

fn is_version(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b".+_-".contains(&byte);
    !matches!(text, "" | "." | "..") && text.bytes().all(is_part)
}

/// Whether `text` is `#rrggbb`.
pub fn is_hex_color(text: &str) -> bool {
    text.strip_prefix('#')
        .is_some_and(|hex| hex.len() == 6 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
