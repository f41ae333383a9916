//! Resolves all changes to frontmatter into edits: fields that are changed or removed, edits of bytes outside of them,
//! or a rewrite of the whole.

use serde_json::Value as Json;

use super::{DraftField, EditLabel, MarkdownDraft, escaped, portable};
use crate::read::tree::{MappingEntry, Style, Value};
use crate::rewrite::{self, Edit, OverlapError};
use crate::source::{Span, line_start, next_line};
use crate::sourcemap::EditKind;

impl MarkdownDraft {
    /// All edits of the text except the block. Changes of fields override edits of bytes inside them, and a rewrite of
    /// the whole frontmatter overrides both. Added fields are inserted right after the opening line; a text without
    /// frontmatter gets one.
    pub fn resolved_edits(&self) -> Vec<Edit<EditLabel>> {
        let newline = self.newline();
        if let Some(whole) = self.rewritten_frontmatter(newline) {
            let outside = self.edits.iter().filter(|edit| {
                edit.span.start >= whole.span.end && edit.tag.0 != EditKind::Frontmatter
                    || edit.span.end <= whole.span.start
            });
            return outside.cloned().chain([whole.clone()]).collect();
        }
        let fields: Vec<Edit<EditLabel>> = self.changes.iter().map(|change| self.edit(change)).collect();
        let is_inner = |span: Span| {
            let within = |field: Span| match span.start < span.end {
                true => field.start <= span.start && span.end <= field.end,
                false => field.start < span.start && span.end < field.end,
            };
            fields.iter().any(|field| within(field.span))
        };
        let outer = fields.iter().enumerate().filter(|(at, field)| {
            // Fields on the same lines are removed together.
            let holds = |(other, edit): (usize, &Edit<EditLabel>)| {
                other != *at
                    && edit.span.start <= field.span.start
                    && field.span.end <= edit.span.end
                    && (edit.span != field.span || other < *at)
            };
            !fields.iter().enumerate().any(holds)
        });
        let bytes = self.edits.iter().filter(|edit| !is_inner(edit.span));
        bytes.chain(outer.map(|(_, field)| field)).cloned().chain(self.addition(newline)).collect()
    }

    /// The resulting frontmatter with its delimiters, with all edits applied.
    ///
    /// # Errors
    /// When two edits overlap.
    pub fn head(&self) -> Result<String, OverlapError> {
        let end = self.document.body.start;
        let edits: Vec<Edit<EditLabel>> =
            self.resolved_edits().into_iter().filter(|edit| edit.span.end <= end).collect();
        rewrite::apply(&self.text[..end], &edits).map(|(text, _)| text)
    }

    /// The line ending of the text.
    pub fn newline(&self) -> &'static str {
        match memchr::memmem::find(self.text.as_bytes(), b"\r\n") {
            Some(_) => "\r\n",
            None => "\n",
        }
    }

    fn edit(&self, change: &DraftField) -> Edit<EditLabel> {
        let entry = &change.entry;
        let (span, text) = match &change.value {
            None => (lines(&self.text, entry), String::new()),
            Some(value) => {
                let span = match change.behind_colon {
                    true => behind_colon(&self.text, entry),
                    false => value_span(self, entry),
                };
                let space = if self.text[..span.start].ends_with([' ', '\t']) { "" } else { " " };
                (span, format!("{space}{value}"))
            }
        };
        Edit { span, text, tag: (EditKind::Frontmatter, change.reason.clone()) }
    }

    fn addition(&self, newline: &str) -> Option<Edit<EditLabel>> {
        if self.fields.is_empty() {
            return None;
        }
        let lines = self.added_lines(newline);
        let (at, text) = match self.document.yaml {
            Some(yaml) => (yaml.start, lines),
            None => (self.document.body.start, format!("---{newline}{lines}---{newline}{newline}")),
        };
        Some(Edit { span: Span::new(at, at), text, tag: (EditKind::Frontmatter, self.added_reasons()) })
    }

    fn added_lines(&self, newline: &str) -> String {
        self.fields.iter().map(|(key, value, _)| format!("{key}: {value}{newline}")).collect()
    }

    fn added_reasons(&self) -> String {
        self.fields.iter().map(|(_, _, reason)| reason.as_str()).collect::<Vec<_>>().join("; ")
    }

    /// The frontmatter with its delimiters, if it is rewritten as a whole.
    fn rewritten_frontmatter(&self, newline: &str) -> Option<Edit<EditLabel>> {
        let (reason, yaml) = (self.rewritten.as_ref()?, self.document.yaml?);
        let start = if self.document.byte_order_mark { '\u{feff}'.len_utf8() } else { 0 };
        let rest = &self.text[yaml.end..];
        let mark = yaml.end + rest.find("---").map_or(0, |at| at + 3);
        let line = self.text[mark..].split_inclusive('\n').next().unwrap_or_default();
        let end = if line.trim().is_empty() { mark + line.len() } else { mark };
        let mut text = format!("---{newline}{}", self.added_lines(newline));
        let entries = self.document.fields.iter().flat_map(|fields| fields.entries());
        let mut at = yaml.start;
        for entry in entries {
            if self.document.lost.is_none() {
                self.comments(
                    Span::new(at.min(entry.key_span.start), entry.key_span.start),
                    newline,
                    &mut text,
                );
                at = entry.span().end.max(at);
            }
            let last = self.document.fields.as_ref().and_then(|fields| fields.entry(&entry.key));
            let counts = last.is_some_and(|last| last == entry)
                && self.fields.iter().all(|(key, ..)| *key != entry.key);
            let value = match self.change(entry).filter(|_| counts) {
                Some(change) => change.value.clone(),
                None => counts.then(|| portable(&self.with_edits(entry))),
            };
            if let Some(value) = value {
                text.push_str(format!("{}: {value}", self.key(entry)).trim_end());
                text.push_str(newline);
            }
        }
        if self.document.lost.is_none() {
            self.comments(Span::new(at.min(yaml.end), yaml.end), newline, &mut text);
        }
        text.push_str(&format!("---{newline}"));
        let reasons = [reason.clone(), self.added_reasons()];
        let reason = reasons.into_iter().filter(|reason| !reason.is_empty()).collect::<Vec<_>>().join("; ");
        Some(Edit { span: Span::new(start, end), text, tag: (EditKind::Frontmatter, reason) })
    }

    /// Keeps comments on separate lines.
    fn comments(&self, span: Span, newline: &str, text: &mut String) {
        for line in span.slice(&self.text).lines().filter(|line| line.starts_with('#')) {
            let plain: String =
                line.chars().map(|c| if escaped(&c.to_string()).len() > 4 { ' ' } else { c }).collect();
            let plain = plain.replace(char::is_control, " ").replace("---", "- -");
            text.push_str(&format!("{}{newline}", plain.trim_end()));
        }
    }

    /// The key of an entry, as written for the host.
    fn key(&self, entry: &MappingEntry) -> String {
        let renamed = self.edits.iter().find(|edit| edit.span == entry.key_span && !edit.text.is_empty());
        let key = renamed.map_or(entry.key.as_str(), |edit| edit.text.as_str());
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let is_word = key.starts_with(|first: char| first.is_ascii_alphabetic()) && key.chars().all(word);
        let means_more = matches!(
            key.to_ascii_lowercase().as_str(),
            "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
        );
        if is_word && !means_more { key.to_owned() } else { portable(&key.into()) }
    }

    /// The value of an entry with its edits applied.
    fn with_edits(&self, entry: &MappingEntry) -> Json {
        let inner: Vec<(&str, &str)> = self
            .edits
            .iter()
            .filter(|edit| entry.node.span.start <= edit.span.start && edit.span.end <= entry.node.span.end)
            .map(|edit| (edit.span.slice(&self.text), edit.text.as_str()))
            .filter(|(old, _)| old.len() > 2)
            .collect();
        replace_texts(entry.node.to_json(), &inner)
    }
}

fn replace_texts(value: Json, texts: &[(&str, &str)]) -> Json {
    match value {
        Json::String(text) => texts.iter().fold(text, |text, (old, new)| text.replace(old, new)).into(),
        Json::Array(items) => items.into_iter().map(|item| replace_texts(item, texts)).collect(),
        Json::Object(map) => map.into_iter().map(|(key, value)| (key, replace_texts(value, texts))).collect(),
        value => value,
    }
}

/// The span of a value, including the indicator of a block scalar; right after the colon if the value is empty.
pub(super) fn value_span(draft: &MarkdownDraft, entry: &MappingEntry) -> Span {
    let text = &*draft.text;
    let colon = colon(text, entry);
    let value = trimmed(text, entry.node.span);
    let is_empty = entry.node.value == Value::Null && value.slice(text).is_empty();
    if is_empty {
        // An anchor or a tag of an empty value is part of it.
        let line = text[colon..].lines().next().unwrap_or_default();
        let blank = line.len() - line.trim_start().len();
        let mark = line[blank..].split_whitespace().next().filter(|word| word.starts_with(['&', '!']));
        return Span::new(colon, mark.map_or(colon, |mark| colon + blank + mark.len()));
    }
    // A value from a merge is somewhere else.
    if value.start < colon {
        return Span::new(colon, colon);
    }
    let between = &text[colon..value.start];
    let start = match entry.node.style {
        Style::Block => text[colon..].find(['|', '>']).map_or(value.start, |at| colon + at).min(value.start),
        // The new value of one that starts on a later line moves up to its key.
        _ if between.contains('\n') => colon,
        // A tag or an anchor is replaced with its value, since the new value may not match the tag.
        _ if between.trim_start().starts_with(['!', '&']) => colon,
        _ => value.start,
    };
    if entry.node.style == Style::Block && value.slice(text).is_empty() {
        // A block scalar without lines consists of its indicator.
        let mark = text[start..].lines().next().unwrap_or_default().trim_end();
        return Span::new(start, start + mark.len());
    }
    Span::new(start, value.end.max(start))
}

/// Everything after the colon of an entry, including its tag.
fn behind_colon(text: &str, entry: &MappingEntry) -> Span {
    let colon = colon(text, entry);
    Span::new(colon, trimmed(text, entry.span()).end.max(colon))
}

fn colon(text: &str, entry: &MappingEntry) -> usize {
    entry.key_span.end + text[entry.key_span.end..].find(':').map_or(0, |at| at + 1)
}

/// The lines of an entry.
fn lines(text: &str, entry: &MappingEntry) -> Span {
    let start = line_start(text, entry.key_span.start);
    let end = trimmed(text, entry.span()).end;
    Span::new(start, next_line(text, end))
}

/// Excludes the last line feed of block scalars and multi-line values. White space that YAML does not recognise is part
/// of a value.
fn trimmed(text: &str, span: Span) -> Span {
    Span::new(span.start, span.start + span.slice(text).trim_end_matches([' ', '\t', '\r', '\n']).len())
}
