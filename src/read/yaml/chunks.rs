//! Frontmatter key by key: each top-level key with the lines that belong to it.

use crate::read::tree::{MappingEntry, Node, ReadFault, Style, Value};
use crate::source::Span;

/// Moves the fault of an unclosed quote from the end of the text, where the parser reports it, to the quote.
pub(super) fn at_open_quote(text: &str, chunk: Span, fault: ReadFault) -> ReadFault {
    let value = chunk.slice(text).find(": ").map(|at| chunk.start + at + 2);
    let value = value.map(|at| at + text[at..].len() - text[at..].trim_start_matches(' ').len());
    match value.filter(|at| text[*at..].starts_with(['"', '\'']) && fault.span.start >= chunk.end) {
        Some(at) => ReadFault { span: Span::new(at, at + 1), ..fault },
        None => fault,
    }
}

/// One space per tab keeps all offsets and the order of indentation depths.
pub(super) fn spaces_for_tabs(line: &str) -> String {
    let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
    format!("{}{}", line[..indent].replace('\t', " "), &line[indent..])
}

pub(super) fn chunks(text: &str, range: Span) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    let mut at = range.start;
    for line in range.slice(text).split_inclusive('\n') {
        let starts_key =
            line.starts_with(|first: char| !first.is_whitespace() && first != '-' && first != '#');
        match out.last_mut() {
            Some(last) if !starts_key => last.end = at + line.len(),
            _ => out.push(Span::new(at, at + line.len())),
        }
        at += line.len();
    }
    out
}

/// `key: anything on one line`, as the source host rescues it: the value must not begin with a quote or end with a
/// colon (both made Claude Code 2.1.197 lose every field).
pub(super) fn plain_line(text: &str, chunk: Span) -> Option<MappingEntry> {
    let line = chunk.slice(text).trim_end();
    if line.contains('\n') {
        return None;
    }
    let (key, rest) = line.split_once(": ")?;
    let value = rest.trim();
    let usable = !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
        && !value.is_empty()
        && !value.starts_with(['"', '\'', '|', '>'])
        && !value.ends_with(':');
    if !usable {
        return None;
    }
    let start = chunk.start + line.len() - rest.trim_start().len();
    Some(MappingEntry {
        key: key.to_owned(),
        key_span: Span::new(chunk.start, chunk.start + key.len()),
        node: Node {
            span: Span::new(start, start + value.len()),
            value: Value::String(value.to_owned()),
            style: Style::Plain,
        },
    })
}
