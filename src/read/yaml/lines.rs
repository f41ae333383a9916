//! Where lines of YAML end, and how those begin that go on with a value.

use crate::read::tree::{MappingEntry, Node, Style, Value};

/// The text with line feeds for the carriage returns that stand alone, which break a line of YAML as well; `None` without
/// any.
pub(super) fn with_line_feeds(yaml: &str) -> Option<String> {
    let bytes = yaml.as_bytes();
    let alone = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    memchr::memchr_iter(b'\r', bytes).any(alone).then(|| {
        let mut at = 0;
        let exchange = |c: char| {
            let place = at;
            at += c.len_utf8();
            if c == '\r' && alone(place) { '\n' } else { c }
        };
        yaml.chars().map(exchange).collect()
    })
}

/// Whether the source host's reader refuses how lines of `text` begin, of which `node` was read: with a tab before a key, in
/// a value in quotes or brackets that goes on in no deeper line, or with a colon and a whole mapping behind it. Within a
/// mapping in brackets that is the whole document, lines begin anywhere.
pub fn begin_wrongly(node: &Node, text: &str) -> bool {
    !is_in_brackets(node, text) && begin_unindented(node, text) || has_misplaced_keys(node, text)
}

/// Whether `node` is a mapping in brackets, and not one in lines whose first key begins with one.
fn is_in_brackets(node: &Node, text: &str) -> bool {
    let behind = |entry: &MappingEntry| entry.key_span.start > node.span.start;
    node.span.slice(text).starts_with('{') && node.entries().first().is_some_and(behind)
}

/// Whether a tab stands before a key, or a mapping behind a colon without a key.
fn has_misplaced_keys(node: &Node, text: &str) -> bool {
    let in_lines = !node.span.slice(text).starts_with('{');
    let misplaced = |entry: &MappingEntry| {
        let start = entry.key_span.start.min(text.len());
        let line = text[..start].rfind(['\n', '\r']).map_or(0, |end| end + 1);
        let before = &text[line..start];
        let is_indentation = before.bytes().all(|byte| b" \t-".contains(&byte));
        let behind_tab = in_lines && before.contains('\t') && is_indentation;
        let inner = match &entry.node.value {
            Value::Map(entries) => entries.first().map_or(start, |inner| inner.key_span.start),
            Value::List(_) => entry.node.span.start,
            _ => start,
        };
        let behind_colon = inner > start
            && entry.key_span.slice(text).is_empty()
            && !text[start..inner].contains(['\n', '{', '"', '\'', '~'])
            && !text[inner..].starts_with('[');
        behind_tab || behind_colon
    };
    node.entries().iter().any(|entry| misplaced(entry) || has_misplaced_keys(&entry.node, text))
        || node.items().unwrap_or_default().iter().any(|item| {
            let behind_tab = || tab_before_dash(text, item.span.start);
            !node.span.slice(text).starts_with('[') && behind_tab() || has_misplaced_keys(item, text)
        })
}

/// Whether a tab stands before the dash on the line that holds the place.
fn tab_before_dash(text: &str, at: usize) -> bool {
    let at = at.min(text.len());
    let line = text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
    let rest = text[line..].trim_start_matches([' ', '\t']);
    rest.starts_with('-') && text[line..text.len() - rest.len()].contains('\t')
}

/// Whether a value in `node`, in quotes or brackets, goes on in a line of `text` that is indented no deeper than the one in
/// which it begins.
fn begin_unindented(node: &Node, text: &str) -> bool {
    let value = node.span.slice(text);
    // A mapping in lines may begin with a key in quotes or brackets.
    let delimited = match &node.value {
        Value::List(_) => value.starts_with('[') && value.ends_with(']'),
        Value::Map(_) => value.starts_with('{') && value.ends_with('}'),
        _ => matches!(node.style, Style::Double | Style::Single),
    };
    delimited && goes_on_shallow(value, text.get(..node.span.start).unwrap_or_default())
        || node.entries().iter().any(|entry| begin_unindented(&entry.node, text))
        || node.items().unwrap_or_default().iter().any(|item| begin_unindented(item, text))
}

/// Whether a line of `value` but its first is indented no deeper than the line at the end of `before`.
fn goes_on_shallow(value: &str, before: &str) -> bool {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let outer = before.rfind(['\n', '\r']).map_or(before, |at| &before[at + 1..]);
    let outer = indent(outer);
    // What separates or ends items may stand anywhere.
    let ends_item = |line: &str| value.starts_with(['[', '{']) && line.starts_with([',', ']', '}']);
    let is_item = |line: &str| !line.trim().is_empty() && !ends_item(line.trim());
    value.split(['\n', '\r']).skip(1).any(|line| is_item(line) && indent(line) <= outer)
}

/// Where a byte order mark stands behind the end of the document, or anything behind the end of an empty one: another
/// document begins there.
pub(super) fn behind_dots(yaml: &str) -> Option<usize> {
    let is_nothing = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let mut at = 0;
    let mut ended = false;
    for line in yaml.split_inclusive('\n') {
        let is_end = line
            .strip_prefix("...")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
        if !is_nothing(line) && !is_end {
            if ended {
                return Some(at);
            }
            break;
        }
        ended |= is_end;
        at += line.len();
    }
    let dots = yaml.find("\n...").map(|at| at + 4)?;
    yaml[dots..].find('\u{feff}').map(|at| dots + at)
}

/// The text with blanks for tabs before what separates or ends items, where the source host takes them; `None` without any.
pub(super) fn with_blanks(yaml: &str) -> Option<String> {
    let blank = |line: &str| {
        let inner = line.trim_start_matches([' ', '\t']);
        let indent = " ".repeat(line.len() - inner.len());
        if inner.starts_with([',', ']', '}']) { indent + inner } else { line.to_owned() }
    };
    let out: String = yaml.split_inclusive('\n').map(blank).collect();
    (out != yaml).then_some(out)
}
