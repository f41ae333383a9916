//! `[yaml]`: how a host reads frontmatter.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::read::dialect::{self, Dialect, ReadFields, ReadLoss, TypeRule};
use crate::read::tree::{MappingEntry, Node, Style, Value};
use crate::source::Span;

/// `[yaml]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct YamlFacts {
    /// Whether a byte order mark makes the host miss the frontmatter.
    pub byte_order_mark_refused: bool,
    /// Whether a value that only the source host rescues makes the host refuse or misread the file.
    pub rescue_refused: bool,
    /// Flags that must be written `true` or `false`.
    pub flag_fields: Vec<String>,
    /// Fields that must be text; anything else makes the host refuse the file.
    pub text_fields: Vec<String>,
    /// Fields that must be a mapping; anything else makes the host refuse the file.
    pub mapping_fields: Vec<String>,
    /// Keys in such mappings whose values must be text, by field; anything else makes the host refuse the file.
    #[serde(default)]
    pub inner_text_fields: BTreeMap<String, Vec<String>>,
    /// Fields whose type the host's own plugin validation requires, although its loader accepts or drops other values.
    #[serde(default)]
    pub checked_fields: BTreeMap<String, CheckedType>,
    /// How the host reads the source's own frontmatter, before anything is lowered.
    pub dialect: Dialect,
}

impl YamlFacts {
    /// The fields that the host reads from the frontmatter of `text`.
    ///
    /// # Errors
    /// The reason why it reads no fields.
    pub fn read(&self, text: &str) -> Result<ReadFields, ReadLoss> {
        let types = TypeRule {
            texts: &self.text_fields,
            mappings: &self.mapping_fields,
            inner_texts: &self.inner_text_fields,
        };
        dialect::read(text, &self.dialect, types)
    }
}

/// The type that a host's own plugin validation requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CheckedType {
    /// Text, a number or a boolean.
    Scalar,
    /// Text.
    Text,
    /// Text, or a list of text.
    TextOrList,
}

impl CheckedType {
    /// `None` if the value of `entry` passes; otherwise its replacement as YAML, if there is one.
    pub fn fitted_value(self, entry: &MappingEntry, text: &str) -> Option<Option<String>> {
        let quoted = |text: String| serde_json::Value::from(text).to_string();
        match (&entry.node.value, self) {
            // A tag or an anchor alone counts as a value.
            (Value::Null, _) => is_marked(entry, text).then_some(None),
            // An octal literal is a number, too.
            (Value::String(value), Self::Text) if is_octal(value) && entry.node.style == Style::Plain => {
                Some(entry.node.scalar().map(quoted))
            }
            (Value::String(value), _) => (value.is_empty() && is_marked(entry, text)).then_some(None),
            (Value::Number(_) | Value::Bool(_), Self::Scalar) => None,
            (Value::Number(_) | Value::Bool(_), _) if is_text_by_tag(entry, text) => None,
            (Value::Number(_) | Value::Bool(_), Self::Text) => Some(entry.node.scalar().map(quoted)),
            (Value::List(items), Self::TextOrList) => {
                let texts: Vec<&str> = items.iter().filter_map(Node::as_str).collect();
                (texts.len() < items.len())
                    .then(|| (!texts.is_empty()).then(|| serde_json::Value::from(texts).to_string()))
            }
            _ => Some(None),
        }
    }
}

fn is_octal(text: &str) -> bool {
    let digits = text.strip_prefix("0o").unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| (b'0'..=b'7').contains(&byte))
}

/// Whether there is a tag or an anchor before the value.
fn is_marked(entry: &MappingEntry, text: &str) -> bool {
    behind_colon(entry, text).starts_with(['!', '&'])
}

/// Whether the tag before the value makes it text.
fn is_text_by_tag(entry: &MappingEntry, text: &str) -> bool {
    let written = behind_colon(entry, text);
    written.starts_with("! ") || written.starts_with("!!str ")
}

fn behind_colon<'a>(entry: &MappingEntry, text: &'a str) -> &'a str {
    let line = Span::new(entry.key_span.end, text.len()).slice(text).lines().next().unwrap_or_default();
    line.split_once(':').map(|(_, value)| value.trim_start()).unwrap_or_default()
}
