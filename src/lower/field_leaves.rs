//! The fields of a text, leaf by leaf, so that each gets a decision.

use super::decision::Decision;
use crate::ledger::{ComponentKind, RowOutcome};
use crate::read::frontmatter::MarkdownDocument;
use crate::read::pointer::JsonPointer;
use crate::read::tree::{MappingEntry, Node};
use crate::source::{SourceFile, Span};

/// Every leaf of the frontmatter of `file` with its key, initially as kept.
pub(super) fn all<'a>(
    plugin: &'a str,
    file: &'a SourceFile,
    document: &'a MarkdownDocument,
) -> impl Iterator<Item = (&'a str, Decision)> {
    let entries = document.fields.iter().flat_map(Node::entries);
    entries.flat_map(move |entry| {
        leaves(entry).into_iter().map(move |(pointer, span)| {
            let field = Decision::new_kept(plugin, ComponentKind::Field, &entry.key, &file.path);
            (entry.key.as_str(), field.in_file(file, span).pointer(pointer))
        })
    })
}

/// The leaves of one field: pointer and span of each.
pub(super) fn leaves(entry: &MappingEntry) -> Vec<(String, Span)> {
    let key = JsonPointer::default().key(&entry.key);
    if entry.node.entries().is_empty() {
        return vec![(key.into(), entry.span())];
    }
    entry.node.leaves().into_iter().map(|(pointer, span, _)| (key.join(&pointer).into(), span)).collect()
}

/// The fields of a dropped file.
pub(super) fn dropped_fields(
    plugin: &str,
    file: &SourceFile,
    document: &MarkdownDocument,
    reason: &str,
) -> Vec<Decision> {
    all(plugin, file, document).map(|(_, field)| field.with_outcome(RowOutcome::Dropped, reason)).collect()
}

/// Each line of `part` that looks like a field but cannot be parsed.
pub(super) fn unread_lines(
    plugin: &str,
    file: &SourceFile,
    part: Span,
    outcome: RowOutcome,
    reason: &str,
) -> Vec<Decision> {
    let Some(text) = file.text() else { return Vec::new() };
    let mut at = part.start;
    let mut fields = Vec::new();
    for line in part.slice(text).split_inclusive('\n') {
        let key = line.split_once(':').map(|(key, _)| key).filter(|key| is_key(key));
        if let Some(key) = key {
            let field = Decision::new_kept(plugin, ComponentKind::Field, key, &file.path)
                .in_file(file, Span::new(at, at + line.trim_end().len()))
                .pointer(JsonPointer::default().key(key));
            fields.push(field.with_outcome(outcome, reason));
        }
        at += line.len();
    }
    fields
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}
