//! Blank lines that begin with a tab, which the source host's parser treats as indentation where it expects another key
//! of a mapping (Bun 1.4.4).

use crate::read::tree::{Node, Style};
use crate::source::Span;

/// Whether the source host's parser refuses a line in `range` of `text`, read as `node`: it has nothing or only a
/// comment after a leading tab, a block mapping around it already has two keys, and no text continues there.
pub(super) fn end_wrongly(node: &Node, text: &str, range: Span) -> bool {
    let mut at = range.start;
    range.slice(text).split_inclusive(['\n', '\r']).any(|line| {
        let start = at;
        at += line.len();
        let shown = line.trim();
        let is_blank = line.starts_with('\t') && (shown.is_empty() || shown.starts_with('#'));
        let last = last(node, start);
        let goes_on = may_continue(last, text, start);
        // A block ends with the empty line before it.
        let is_behind_empty = text[..start].ends_with("\n\n") || text[..start].ends_with("\r\n\r\n");
        let ends = last.style == Style::Block && is_behind_empty;
        is_blank && (goes_on && ends || !goes_on && is_behind_second_key(node, text, start))
    })
}

fn is_in_brackets(node: &Node, text: &str) -> bool {
    let behind = |first: Option<Span>| first.is_some_and(|first| first.start > node.span.start);
    let written = node.span.slice(text);
    written.starts_with('{') && behind(node.entries().first().map(|entry| entry.key_span))
        || written.starts_with('[') && behind(node.items().and_then(<[Node]>::first).map(|item| item.span))
}

/// Whether a block mapping around `at` has two keys before it.
fn is_behind_second_key(node: &Node, text: &str, at: usize) -> bool {
    if is_in_brackets(node, text) {
        return false;
    }
    let before = node.entries().iter().filter(|entry| entry.key_span.start < at).count();
    before > 1 || value_before(node, at).is_some_and(|inner| is_behind_second_key(inner, text, at))
}

/// The last value in `node` that begins before `at`.
fn value_before(node: &Node, at: usize) -> Option<&Node> {
    let entry = node.entries().iter().rfind(|entry| entry.key_span.start < at).map(|entry| &entry.node);
    entry.or_else(|| node.items()?.iter().rfind(|item| item.span.start < at))
}

fn last(node: &Node, at: usize) -> &Node {
    value_before(node, at).map_or(node, |inner| last(inner, at))
}

/// Whether text or a bracketed value may continue at `at`.
fn may_continue(node: &Node, text: &str, at: usize) -> bool {
    let end = node.span.start + node.span.slice(text).trim_end().len();
    let written = node.span.slice(text).trim_end();
    let is_collection = node.items().is_some() || !node.entries().is_empty();
    let is_text = match node.style {
        Style::Block => true,
        Style::Plain => !is_collection && !written.is_empty() && !written.starts_with('*'),
        Style::Single | Style::Double => false,
    };
    let is_behind = || {
        let between = text.get(end..at).unwrap_or_default();
        between.trim().is_empty() && !(node.style == Style::Block && between.contains("\n\t"))
    };
    node.span.start < at && end > at || is_text && is_behind()
}
