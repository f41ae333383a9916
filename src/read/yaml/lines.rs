//! Where lines of YAML end, and how those begin that go on with a value.

use crate::read::tree::{Node, Style, Value};

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

/// Whether a value in `node`, in quotes or brackets, goes on in a line of `text` that is indented no deeper than the one in
/// which it begins.
pub fn begin_unindented(node: &Node, text: &str) -> bool {
    let value = node.span.of(text);
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
    value.split(['\n', '\r']).skip(1).any(|line| !line.trim().is_empty() && indent(line) <= outer)
}
