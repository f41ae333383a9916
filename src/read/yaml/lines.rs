//! Where lines of YAML end, and how the continuation lines of a value begin.

use crate::read::tree::{MappingEntry, Node, Style, Value};

/// The text with lone carriage returns, which are line breaks in YAML as well, replaced by line feeds; `None` without
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

/// Whether the source host's parser refuses how lines of `text`, read as `node`, begin: with a tab before a key, with
/// too little indentation in a quoted or bracketed value, or with a colon without a key before a mapping. If the whole
/// document is a mapping in brackets, indentation does not matter.
pub fn begin_wrongly(node: &Node, text: &str) -> bool {
    !is_in_brackets(node, text) && begin_unindented(node, text) || has_misplaced_keys(node, text)
}

/// Whether `node` is a mapping in brackets, and not a block mapping whose first key begins with a bracket.
fn is_in_brackets(node: &Node, text: &str) -> bool {
    let behind = |entry: &MappingEntry| entry.key_span.start > node.span.start;
    node.span.slice(text).starts_with('{') && node.entries().first().is_some_and(behind)
}

/// Whether there is a tab before a key, or a mapping after a colon without a key.
fn has_misplaced_keys(node: &Node, text: &str) -> bool {
    let in_lines = !node.span.slice(text).starts_with('{');
    let misplaced = |entry: &MappingEntry| {
        let start = entry.key_span.start.min(text.len());
        let before = &text[yaml_line_start(text, start)..start];
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

/// The start of the line that contains `at`, in YAML, where a lone carriage return ends a line too.
fn yaml_line_start(text: &str, at: usize) -> usize {
    text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1)
}

/// Whether there is a tab before the dash on the line at `at`.
fn tab_before_dash(text: &str, at: usize) -> bool {
    let at = at.min(text.len());
    let line = yaml_line_start(text, at);
    let rest = text[line..].trim_start_matches([' ', '\t']);
    rest.starts_with('-') && text[line..text.len() - rest.len()].contains('\t')
}

/// Whether a quoted or bracketed value in `node` continues on a line of `text` that is indented no deeper than the line
/// of its key or dash (Claude Code 2.1.330).
fn begin_unindented(node: &Node, text: &str) -> bool {
    let value = node.span.slice(text);
    // A block mapping may begin with a key in quotes or brackets.
    let delimited = match &node.value {
        Value::List(_) => value.starts_with('[') && value.ends_with(']'),
        Value::Map(_) => value.starts_with('{') && value.ends_with('}'),
        _ => matches!(node.style, Style::Double | Style::Single),
    };
    delimited && goes_on_shallow(value, text.get(..node.span.start).unwrap_or_default())
        || node.entries().iter().any(|entry| begin_unindented(&entry.node, text))
        || node.items().unwrap_or_default().iter().any(|item| begin_unindented(item, text))
}

/// Whether a line of `value` other than the first is indented no deeper than the last line of `before` with a key or a
/// dash.
fn goes_on_shallow(value: &str, before: &str) -> bool {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let holds_key = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let outer = before.rsplit(['\n', '\r']).find(holds_key).map_or(0, indent);
    // Separators and closing brackets may be anywhere.
    let ends_item = |line: &str| value.starts_with(['[', '{']) && line.starts_with([',', ']', '}']);
    let is_item = |line: &str| !line.trim().is_empty() && !ends_item(line.trim());
    value.split(['\n', '\r']).skip(1).any(|line| is_item(line) && indent(line) <= outer)
}

/// The offset of a byte order mark after the end of the document, or of anything after the end of an empty one: another
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

/// The text with spaces for tabs before separators and closing brackets, where the source host accepts tabs; `None`
/// without any.
pub(super) fn with_blanks(yaml: &str) -> Option<String> {
    let blank = |line: &str| {
        let inner = line.trim_start_matches([' ', '\t']);
        let indent = " ".repeat(line.len() - inner.len());
        if inner.starts_with([',', ']', '}']) { indent + inner } else { line.to_owned() }
    };
    let out: String = yaml.split_inclusive('\n').map(blank).collect();
    (out != yaml).then_some(out)
}
