//! One Markdown file on its way to a host: edits collected by byte range, fields to add, and the
//! lines of the generated block. `emit` turns it into bytes.

use std::sync::Arc;

use camino::Utf8PathBuf;
use serde_json::Value as Json;

use crate::read::frontmatter::Document;
use crate::read::tree::{Entry, Node, Style, Value};
use crate::rewrite::Edit;
use crate::source::{Content, SourceFile, Span};
use crate::sourcemap::EditKind;

/// What an edit is and why it is made.
pub type Tag = (EditKind, String);

/// Edits of one file.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The source file, relative to SRC.
    pub path: Utf8PathBuf,
    /// Its text.
    pub text: Arc<str>,
    /// The text taken apart.
    pub document: Document,
    /// Edits of the text.
    pub edits: Vec<Edit<Tag>>,
    /// Fields to add: key, value as YAML, reason.
    pub fields: Vec<(String, String, String)>,
    /// The generated block.
    pub block: Option<Block>,
}

/// The generated block of a file.
#[derive(Debug, Clone)]
pub struct Block {
    /// The heading, as written.
    pub heading: String,
    /// One list item each.
    pub lines: Vec<BlockLine>,
}

/// A template of the target with the values that fill it.
#[derive(Debug, Clone)]
pub struct BlockLine {
    /// The template.
    pub template: String,
    /// An object.
    pub values: Json,
}

impl Draft {
    /// Starts with no edit. A file without text has nothing to edit.
    pub fn new(file: &SourceFile, document: &Document) -> Self {
        let text = match &file.content {
            Content::Text(text) => text.clone(),
            _ => Arc::from(""),
        };
        let path = file.path.clone();
        Self { path, text, document: document.clone(), edits: Vec::new(), fields: Vec::new(), block: None }
    }

    /// Replaces bytes of the text.
    pub fn replace(
        &mut self,
        span: Span,
        text: impl Into<String>,
        kind: EditKind,
        reason: impl Into<String>,
    ) {
        self.edits.push(Edit { span, text: text.into(), tag: (kind, reason.into()) });
    }

    /// Takes a byte order mark away.
    pub fn remove_byte_order_mark(&mut self) {
        if self.document.byte_order_mark {
            self.replace(
                Span::new(0, 3),
                "",
                EditKind::ByteOrderMark,
                "the host reads no frontmatter behind a byte order mark",
            );
        }
    }

    /// Makes a field hold `value`; a field that already does stays as it is written.
    pub fn set_text(&mut self, key: &str, value: &str, reason: &str) {
        let current = self.document.fields.as_ref().and_then(|fields| fields.entry(key)).cloned();
        let removed = |entry: &Entry| {
            self.edits.iter().any(|edit| edit.text.is_empty() && edit.span.contains(entry.key_span.start))
        };
        match current.filter(|entry| !removed(entry)) {
            Some(entry) if entry.node.value == Value::String(value.to_owned()) => {}
            Some(entry) => {
                let span = self.value_span(&entry);
                let overlaps = |other: Span| other.start < span.end && span.start < other.end;
                let covers = |other: Span| other.start <= span.start && span.end <= other.end;
                if !self.edits.iter().any(|edit| covers(edit.span)) {
                    self.retain_outside(span);
                }
                match self.edits.iter_mut().find(|edit| overlaps(edit.span)) {
                    // What was only to be written in another form.
                    Some(edit) => {
                        let space =
                            if self.text[..edit.span.start].ends_with([' ', '\t']) { "" } else { " " };
                        edit.text = format!("{space}{}", quoted(value));
                        reason.clone_into(&mut edit.tag.1);
                    }
                    None => self.rewrite_value(&entry, &quoted(value), reason),
                }
            }
            None => self.fields.push((key.to_owned(), quoted(value), reason.to_owned())),
        }
    }

    /// Makes a field hold `value`, which is YAML, whatever was to become of it.
    pub fn say(&mut self, key: &str, value: &str, reason: &str) {
        self.fields.retain(|(other, ..)| other != key);
        let current = self.document.fields.as_ref().and_then(|fields| fields.entry(key)).cloned();
        let removed = |entry: &Entry| {
            self.edits.iter().any(|edit| edit.text.is_empty() && edit.span.contains(entry.key_span.start))
        };
        match current.filter(|entry| !removed(entry)) {
            Some(entry) => {
                let span = self.value_span(&entry);
                self.edits.retain(|edit| edit.span != span);
                self.rewrite_value(&entry, value, reason);
            }
            None => self.fields.push((key.to_owned(), value.to_owned(), reason.to_owned())),
        }
    }

    /// Writes an entry's own value in a form that every YAML reader takes the same way.
    pub fn requote(&mut self, entry: &Entry, reason: &str) {
        let value = escaped(&entry.node.to_json().to_string());
        self.rewrite_value(entry, &value, reason);
    }

    /// Writes `value` where an entry's value stands.
    pub fn rewrite_value(&mut self, entry: &Entry, value: &str, reason: &str) {
        let span = self.value_span(entry);
        let already = self.edits.iter().any(|edit| edit.span == span);
        if !already && span.of(&self.text) != value {
            let space = if self.text[..span.start].ends_with([' ', '\t']) { "" } else { " " };
            self.retain_outside(span);
            self.replace(span, format!("{space}{value}"), EditKind::Frontmatter, reason);
        }
    }

    /// Drops edits of frontmatter that lie within `span`, which is about to be written as a whole.
    fn retain_outside(&mut self, span: Span) {
        let within =
            |other: Span| span.start <= other.start && other.end <= span.end && other.start < other.end;
        self.edits.retain(|edit| edit.tag.0 != EditKind::Frontmatter || !within(edit.span));
    }

    /// Where a value stands, with the mark of a block scalar; right behind the colon if there is none.
    fn value_span(&self, entry: &Entry) -> Span {
        let after = &self.text[entry.key_span.end..];
        let colon = entry.key_span.end + after.find(':').map_or(0, |at| at + 1);
        let value = trimmed(&self.text, entry.node.span);
        if entry.node.value == Value::Null && value.of(&self.text).is_empty() {
            return Span::new(colon, colon);
        }
        let start = match entry.node.style {
            Style::Block => {
                self.text[colon..].find(['|', '>']).map_or(value.start, |at| colon + at).min(value.start)
            }
            // A value that starts on a later line comes up behind its key.
            _ if self.text[colon..value.start].contains('\n') => colon,
            // So does one whose tag says another type than the new value has.
            _ if self.text[colon..value.start].trim_start().starts_with(['!', '&']) => colon,
            _ => value.start,
        };
        Span::new(start, value.end.max(start))
    }

    /// Takes an entry away with its whole lines.
    pub fn remove(&mut self, entry: &Entry, reason: &str) {
        let start = self.text[..entry.key_span.start].rfind('\n').map_or(0, |at| at + 1);
        let end = trimmed(&self.text, entry.span()).end;
        let end = self.text[end..].find('\n').map_or(self.text.len(), |at| end + at + 1);
        let span = Span::new(start, end);
        if !self.edits.iter().any(|edit| edit.span == span) {
            self.edits
                .retain(|edit| !(span.contains(edit.span.start) && edit.tag.0 == EditKind::Frontmatter));
            self.replace(span, "", EditKind::Frontmatter, reason);
        }
    }

    /// Whether nothing is to be changed.
    pub fn is_unchanged(&self) -> bool {
        self.edits.is_empty() && self.fields.is_empty() && self.block.is_none()
    }
}

/// Block scalars and multi-line values end before their last line feed.
fn trimmed(text: &str, span: Span) -> Span {
    Span::new(span.start, span.start + span.of(text).trim_end().len())
}

/// A scalar that YAML, JSON and every host read the same way.
pub fn quoted(text: &str) -> String {
    Json::from(text).to_string()
}

/// The value of a node as one line of text.
pub fn one_line(node: &Node) -> Option<String> {
    node.scalar().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// JSON that is YAML as well: what YAML does not take as it is, or breaks lines for some readers, is written as an escape.
pub fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                out += &format!("\\u{:04x}", u32::from(c))
            }
            _ => out.push(c),
        }
    }
    out
}
