//! The spanned tree that YAML and JSON share, and the fault that a reader reports.

use crate::source::Span;

/// A value with its place.
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
    /// A mapping, in the order of the file; the last of duplicate keys counts.
    Map(Vec<Entry>),
}

/// One key of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The bytes of the key.
    pub key_span: Span,
    /// The value.
    pub node: Node,
}

impl Entry {
    /// From the first byte of the key to the last of the value.
    pub fn span(&self) -> Span {
        Span::new(self.key_span.start, self.node.span.end.max(self.key_span.end))
    }
}

impl Node {
    /// The entries, if this is a mapping.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The entry that counts for `key`: the last one.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
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
        match &self.value {
            Value::String(text) | Value::Number(text) => Some(text.clone()),
            Value::Bool(value) => Some(value.to_string()),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// What kind of value this is, for a sentence.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }

    /// The same value without places.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Number(text) => text
                .parse::<serde_json::Number>()
                .map_or_else(|_| text.clone().into(), serde_json::Value::Number),
            Value::String(text) => text.clone().into(),
            Value::List(items) => items.iter().map(Node::to_json).collect(),
            Value::Map(entries) => serde_json::Value::Object(
                entries.iter().map(|entry| (entry.key.clone(), entry.node.to_json())).collect(),
            ),
        }
    }

    /// Every leaf below this mapping with its JSON pointer and the entry's span; a list is one leaf,
    /// and so is an empty mapping.
    pub fn leaves(&self) -> Vec<(String, Span, &Node)> {
        let mut out = Vec::new();
        collect(self, "", &mut out);
        out
    }
}

/// A key as a step of a JSON pointer.
pub fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The key that a step of a JSON pointer names.
pub fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

fn collect<'a>(node: &'a Node, pointer: &str, out: &mut Vec<(String, Span, &'a Node)>) {
    for entry in node.entries() {
        let pointer = format!("{pointer}/{}", escaped(&entry.key));
        if entry.node.entries().is_empty() {
            out.push((pointer, entry.span(), &entry.node));
        } else {
            collect(&entry.node, &pointer, out);
        }
    }
}

/// Something that a reader could not take as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub span: Span,
    /// The rule's name, in kebab-case.
    pub rule: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
    /// Whether the reader went on with what the source host would read.
    pub rescued: bool,
    /// The first of two places, for duplicates.
    pub first: Option<Span>,
}
