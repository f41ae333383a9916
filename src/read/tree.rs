//! The tree with spans that YAML and JSON share, and the fault that a reader reports.

use std::borrow::Cow;
use std::fmt;

use super::blanks::is_blank;
use super::pointer::JsonPointer;
pub use super::pointer::unescaped;
use crate::diagnostic::RuleId;
use crate::source::Span;

/// A value with its span.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The bytes of the value, without its key.
    pub span: Span,
    /// The value.
    pub value: Value,
    /// How the value is written.
    pub style: Style,
}

/// How a scalar is written; collections are `Plain`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// In single quotes.
    Single,
    /// In double quotes.
    Double,
    /// A block scalar, `|` or `>`.
    Block,
}

/// A value as the pinned source host understands it.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// Text.
    String(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in file order; the last of duplicate keys takes precedence.
    Map(Vec<MappingEntry>),
}

/// The kind of a value. Code compares it, messages show its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// Nothing.
    Null,
    /// True or false.
    Boolean,
    /// A number.
    Number,
    /// Text.
    Text,
    /// A list.
    List,
    /// A mapping.
    Mapping,
}

impl fmt::Display for NodeKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Null => "nothing",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::Text => "text",
            Self::List => "a list",
            Self::Mapping => "a mapping",
        })
    }
}

/// The key that a mapping becomes when it is used as one, as in JavaScript.
pub const MAPPING: &str = "[object Object]";

/// One key of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct MappingEntry {
    /// The key.
    pub key: String,
    /// The bytes of the key.
    pub key_span: Span,
    /// The value.
    pub node: Node,
}

impl MappingEntry {
    /// From the first byte of the key to the last of the value.
    pub fn span(&self) -> Span {
        Span::new(self.key_span.start, self.node.span.end.max(self.key_span.end))
    }
}

impl Node {
    /// The entries, if this is a mapping.
    pub fn entries(&self) -> &[MappingEntry] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The effective entry for `key`: the last one.
    pub fn entry(&self, key: &str) -> Option<&MappingEntry> {
        self.entries().iter().rev().find(|entry| entry.key == key)
    }

    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// The text, if this is text.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The items, if this is a list.
    pub fn items(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// A scalar as text: strings as they are, numbers as written, `true` and `false`.
    pub fn scalar(&self) -> Option<String> {
        self.scalar_text().map(Cow::into_owned)
    }

    /// The same without a copy.
    pub fn scalar_text(&self) -> Option<Cow<'_, str>> {
        match &self.value {
            Value::String(text) | Value::Number(text) => Some(Cow::Borrowed(text)),
            Value::Bool(value) => Some(Cow::Borrowed(if *value { "true" } else { "false" })),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// A value as a switch, on or off, as the source host reads it; `None` if it is neither (Claude Code 2.1.330).
    /// Numbers are compared by value, and text without surrounding white space.
    pub fn switch(&self) -> Option<bool> {
        let text = match &self.value {
            Value::Bool(value) => return Some(*value),
            Value::Number(text) => return number_switch(text),
            Value::String(text) => text.trim_matches(is_blank).to_ascii_lowercase(),
            Value::Null | Value::List(_) | Value::Map(_) => return None,
        };
        match text.as_str() {
            "true" | "yes" | "on" | "1" => Some(true),
            "false" | "no" | "off" | "0" => Some(false),
            _ => None,
        }
    }

    /// A key as the source host names it: converted to text as in JavaScript.
    pub fn key_text(&self) -> String {
        match &self.value {
            Value::Null => "null".to_owned(),
            Value::Number(text) => number(text).map_or_else(|| text.clone(), |number| number.to_string()),
            Value::List(items) => items.iter().map(Self::item_text).collect::<Vec<_>>().join(","),
            Value::Map(_) => MAPPING.to_owned(),
            Value::Bool(_) | Value::String(_) => self.scalar().unwrap_or_default(),
        }
    }

    fn item_text(&self) -> String {
        if self.value == Value::Null { String::new() } else { self.key_text() }
    }

    /// The kind of value.
    pub fn kind(&self) -> NodeKind {
        match self.value {
            Value::Null => NodeKind::Null,
            Value::Bool(_) => NodeKind::Boolean,
            Value::Number(_) => NodeKind::Number,
            Value::String(_) => NodeKind::Text,
            Value::List(_) => NodeKind::List,
            Value::Map(_) => NodeKind::Mapping,
        }
    }

    /// The value without spans.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Number(text) => {
                number(text).map_or_else(|| text.clone().into(), serde_json::Value::Number)
            }
            Value::String(text) => text.clone().into(),
            Value::List(items) => items.iter().map(Node::to_json).collect(),
            Value::Map(entries) => serde_json::Value::Object(
                entries.iter().map(|entry| (entry.key.clone(), entry.node.to_json())).collect(),
            ),
        }
    }

    /// Every leaf below this mapping with its JSON pointer and the entry's span; lists and empty mappings are leaves
    /// too.
    pub fn leaves(&self) -> Vec<(String, Span, &Node)> {
        let mut out = Vec::new();
        collect(self, &JsonPointer::default(), &mut out);
        out
    }
}

fn number_switch(text: &str) -> Option<bool> {
    let value = number_value(text)?;
    [(1.0, true), (0.0, false)].into_iter().find(|(known, _)| *known == value).map(|(_, on)| on)
}

/// A YAML number as a JSON number, as JavaScript prints it: whole numbers have no decimal point.
pub(super) fn number(text: &str) -> Option<serde_json::Number> {
    let value = number_value(text)?;
    let is_whole = value.fract() == 0.0 && value.abs() < 9e15;
    if is_whole { Some((value as i64).into()) } else { serde_json::Number::from_f64(value) }
}

fn number_value(text: &str) -> Option<f64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let of_base = |digits: &str, base: u32| {
        let digit =
            |value: f64, digit: char| Some(value * f64::from(base) + f64::from(digit.to_digit(base)?));
        digits.chars().try_fold(0.0, digit).filter(|_| !digits.is_empty())
    };
    let value: Option<f64> = match (digits.strip_prefix("0x"), digits.strip_prefix("0o")) {
        (Some(hex), _) => of_base(hex, 16),
        (_, Some(octal)) => of_base(octal, 8),
        _ => digits.parse().ok(),
    };
    value.map(|value| value * sign)
}

fn collect<'a>(node: &'a Node, pointer: &JsonPointer, out: &mut Vec<(String, Span, &'a Node)>) {
    for entry in node.entries() {
        let pointer = pointer.key(&entry.key);
        if entry.node.entries().is_empty() {
            out.push((pointer.into(), entry.span(), &entry.node));
        } else {
            collect(&entry.node, &pointer, out);
        }
    }
}

/// The kinds of faults, each with its own rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// A byte order mark before the text.
    ByteOrderMark,
    /// A key that its mapping already has.
    DuplicateKey,
    /// A document of the wrong type, such as frontmatter that is a list.
    FieldType,
    /// A line within the frontmatter that a host takes for its end.
    FrontmatterEndsEarly,
    /// Frontmatter that does not begin with the text.
    FrontmatterNotFirst,
    /// Frontmatter without an end.
    FrontmatterUnclosed,
    /// Invalid JSON.
    JsonSyntax,
    /// An alias of the value that contains it, which is valid YAML.
    SelfReference,
    /// Invalid TOML.
    TomlSyntax,
    /// Invalid YAML that the source host reads.
    YamlDialect,
    /// Invalid YAML.
    YamlSyntax,
}

impl FaultKind {
    /// The rule under which it is reported.
    pub fn rule(self) -> RuleId {
        match self {
            Self::ByteOrderMark => RuleId::BYTE_ORDER_MARK,
            Self::DuplicateKey => RuleId::DUPLICATE_KEY,
            Self::FieldType => RuleId::FIELD_TYPE,
            Self::FrontmatterEndsEarly => RuleId::FRONTMATTER_ENDS_EARLY,
            Self::FrontmatterNotFirst => RuleId::FRONTMATTER_NOT_FIRST,
            Self::FrontmatterUnclosed => RuleId::FRONTMATTER_UNCLOSED,
            Self::JsonSyntax => RuleId::JSON_SYNTAX,
            Self::TomlSyntax => RuleId::PROJECT_FILE,
            Self::SelfReference | Self::YamlDialect => RuleId::YAML_DIALECT,
            Self::YamlSyntax => RuleId::YAML_SYNTAX,
        }
    }
}

/// Something that a reader could not accept unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadFault {
    /// Where the fault is.
    pub span: Span,
    /// What kind of fault it is.
    pub kind: FaultKind,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub help: String,
    /// Whether the reader continued with what the source host would read.
    pub rescued: bool,
    /// For duplicates, the span of the first one.
    pub first: Option<Span>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::yaml;

    /// How 2.1.330 treats each line: whether it offers a skill with that line to the model.
    #[test]
    fn case_13_a_switch_is_on_where_the_source_host_takes_it_so() {
        let switch = |value: &str| {
            let text = format!("a: {value}\n");
            yaml::parse(&text, Span::new(0, text.len())).0.and_then(|node| node.get("a")?.switch())
        };
        for value in [
            "true",
            "TRUE",
            "yes",
            "On",
            "1",
            "1.0",
            "1.",
            "0x1",
            "+0x1",
            "0o1",
            "01",
            "1e0",
            "10e-1",
            ".1e1",
            "\u{feff}true",
            "\"\\uFEFFtrue\"",
            "\"\\u00a0true\\u2028\"",
            "\" TRUE \"",
            "\"1\"",
            "|\n  true",
            "!!bool \"true\"",
        ] {
            assert_eq!(switch(value), Some(true), "{value:?}");
        }
        for value in ["false", "no", "OFF", "0", "0.0", "0x0", "-0"] {
            assert_eq!(switch(value), Some(false), "{value:?}");
        }
        for value in [
            "-1",
            "2",
            "0xF",
            "0X1",
            "-0x1",
            "1_0",
            ".inf",
            "\"1.0\"",
            "\"0o1\"",
            "y",
            "[true]",
            "{a: b}",
            "\"\\u0085true\"",
            "0o",
            "0x",
        ] {
            assert_eq!(switch(value), None, "{value:?}");
        }
    }
}
