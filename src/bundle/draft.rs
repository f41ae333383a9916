//! One Markdown file on its way to a host: edits collected by byte range, fields to add, and the
//! lines of the generated block. `emit` turns it into bytes.

mod frontmatter;

use std::sync::{Arc, OnceLock};

use camino::Utf8PathBuf;
use serde_json::Value as Json;

use crate::read::frontmatter::MarkdownDocument;
use crate::read::tree::{MappingEntry, Node, Value};
use crate::rewrite::Edit;
use crate::source::{FileContent, SourceFile, Span};
use crate::sourcemap::EditKind;

/// What an edit is and why it is made.
pub type EditLabel = (EditKind, String);

/// An edit of a file's text.
pub type DraftEdit = Edit<EditLabel>;

/// Edits of one file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MarkdownDraft {
    /// The source file, relative to SRC.
    pub path: Utf8PathBuf,
    /// Its text.
    pub text: Arc<str>,
    /// The text, split into frontmatter and body.
    pub document: Arc<MarkdownDocument>,
    /// Edits of the text.
    pub edits: Vec<DraftEdit>,
    /// Changes to frontmatter fields; they override edits of the same bytes.
    pub changes: Vec<DraftField>,
    /// The reason why the frontmatter is rewritten as a whole, if it is; this overrides edits of its bytes.
    pub rewritten: Option<String>,
    /// Fields to add: key, value as YAML, reason.
    pub fields: Vec<(String, String, String)>,
    /// The generated block.
    pub block: Option<Block>,
}

/// A change to one field.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DraftField {
    /// The field in the source.
    pub entry: MappingEntry,
    /// Its new value as YAML; `None` removes the field.
    pub value: Option<String>,
    /// The reason for the change.
    pub reason: String,
    /// Whether the tag before the value is removed, too.
    behind_colon: bool,
}

impl DraftField {
    fn new(entry: &MappingEntry, value: Option<String>, reason: &str) -> Self {
        Self { entry: entry.clone(), value, reason: reason.to_owned(), behind_colon: false }
    }

    /// The key is compared, too, because several fields from a merge have the same span.
    fn is_for_entry(&self, entry: &MappingEntry) -> bool {
        self.entry.key_span == entry.key_span && self.entry.key == entry.key
    }
}

/// The generated block of a file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Block {
    /// The heading, with its markers.
    pub heading: String,
    /// The lines, each a list item; several files may share one.
    pub lines: Vec<Arc<BlockLine>>,
}

/// A template of the target with the values that fill it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BlockLine {
    /// The template.
    pub template: String,
    /// The values, as a JSON object.
    pub values: Json,
    /// The text, once it is rendered.
    pub rendered: OnceLock<String>,
}

impl BlockLine {
    /// `template` with the object `values`.
    pub fn new(template: &str, values: Json) -> Self {
        Self { template: template.to_owned(), values, rendered: OnceLock::new() }
    }
}

impl MarkdownDraft {
    /// A draft without edits. A file without text has nothing to edit.
    pub fn new(file: &SourceFile, document: &Arc<MarkdownDocument>) -> Self {
        let text = match &file.content {
            FileContent::Text(text) | FileContent::Repaired { text, .. } => Arc::clone(text),
            _ => Arc::from(""),
        };
        let path = file.path.clone();
        Self {
            path,
            text,
            document: Arc::clone(document),
            edits: Vec::new(),
            changes: Vec::new(),
            rewritten: None,
            fields: Vec::new(),
            block: None,
        }
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

    /// Removes a byte order mark.
    pub fn remove_byte_order_mark(&mut self) {
        if self.document.byte_order_mark {
            self.replace(
                Span::new(0, 3),
                "",
                EditKind::ByteOrderMark,
                "the host ignores frontmatter after a byte order mark",
            );
        }
    }

    /// Sets a field to the text `value`; a field that already has this value is left as written.
    pub fn set_text(&mut self, key: &str, value: &str, reason: &str) {
        match self.current_entry(key) {
            Some(entry) if entry.node.value == Value::String(value.to_owned()) => {}
            Some(entry) => self.decide(&entry, quoted(value), reason),
            None => self.fields.push((key.to_owned(), quoted(value), reason.to_owned())),
        }
    }

    /// Sets a field to `value`, which is YAML, overriding earlier changes.
    pub fn set_value(&mut self, key: &str, value: &str, reason: &str) {
        self.fields.retain(|(other, ..)| other != key);
        match self.current_entry(key) {
            Some(entry) => self.decide(&entry, value.to_owned(), reason),
            None => self.fields.push((key.to_owned(), value.to_owned(), reason.to_owned())),
        }
    }

    /// The effective entry for `key`, unless it is to be removed.
    fn current_entry(&self, key: &str) -> Option<MappingEntry> {
        let entry = self.document.fields.as_ref()?.entry(key)?;
        self.change(entry).is_none_or(|change| change.value.is_some()).then(|| entry.clone())
    }

    /// Rewrites an entry's own value in a form that every YAML parser reads the same way.
    pub fn requote(&mut self, entry: &MappingEntry, reason: &str) {
        let value = portable(&entry.node.to_json());
        self.rewrite_value(entry, &value, reason);
    }

    /// Replaces an entry's value with `value`, unless the entry already has a change.
    pub fn rewrite_value(&mut self, entry: &MappingEntry, value: &str, reason: &str) {
        if self.change(entry).is_none() && frontmatter::value_span(self, entry).slice(&self.text) != value {
            self.decide(entry, value.to_owned(), reason);
        }
    }

    /// Replaces everything after the colon of an entry, including its tag, with `value`.
    pub fn replace_value(&mut self, entry: &MappingEntry, value: &str, reason: &str) {
        if self.change(entry).is_none() {
            self.decide(entry, value.to_owned(), reason);
            self.changes.iter_mut().for_each(|change| change.behind_colon |= change.is_for_entry(entry));
        }
    }

    /// Removes an entry with its whole lines.
    pub fn remove(&mut self, entry: &MappingEntry, reason: &str) {
        self.changes.retain(|change| !change.is_for_entry(entry));
        self.changes.push(DraftField::new(entry, None, reason));
    }

    fn decide(&mut self, entry: &MappingEntry, value: String, reason: &str) {
        match self.changes.iter_mut().find(|change| change.is_for_entry(entry)) {
            Some(change) => {
                change.value = Some(value);
                reason.clone_into(&mut change.reason);
            }
            None => self.changes.push(DraftField::new(entry, Some(value), reason)),
        }
    }

    /// The change to an entry, if there is one.
    pub fn change(&self, entry: &MappingEntry) -> Option<&DraftField> {
        self.changes.iter().find(|change| change.is_for_entry(entry))
    }

    /// Whether the draft has no changes.
    pub fn is_unchanged(&self) -> bool {
        self.edits.is_empty()
            && self.changes.is_empty()
            && self.fields.is_empty()
            && self.rewritten.is_none()
            && self.block.is_none()
    }
}

/// A scalar that YAML, JSON and every host read the same way.
pub fn quoted(text: &str) -> String {
    Json::from(text).to_string()
}

/// The value of a node as one line of text.
pub fn one_line(node: &Node) -> Option<String> {
    node.scalar().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// JSON that is also valid YAML: characters that YAML forbids, or that some parsers treat as line breaks, are escaped.
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

/// A value as JSON that every YAML parser reads the same way, and in which no host finds the end of frontmatter. Null
/// becomes an empty value, because a host may refuse the word `null` where it expects a mapping.
pub fn portable(value: &Json) -> String {
    if value.is_null() {
        return String::new();
    }
    escaped(&value.to_string().replace("---", "-\\u002d-"))
}
