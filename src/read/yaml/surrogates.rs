//! Surrogate pairs as two escapes (`"\\ud83d\\ude00"`), as in JSON: the source host joins them (Bun 1.4.4), but YAML
//! does not allow them. Placeholders of the same length keep all offsets.

use super::super::tree::{MappingEntry, Node, Value};

/// Precedes a character that replaces two escapes.
const MARK: char = '\u{10ff00}';
/// Pads the replacement to the length of the escapes.
const PADDING: char = '\u{10ff01}';
/// The length of two escapes, and of their placeholder, in bytes.
const LENGTH: usize = "\\ud83d\\ude00".len();

/// The text with placeholders for such escapes; `None` without any.
pub(super) fn with_characters(yaml: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = yaml;
    while let Some(at) = rest.find("\\u") {
        out.push_str(&rest[..at]);
        // A backslash that is itself escaped does not start an escape.
        let escaped = rest[..at].len() - rest[..at].trim_end_matches('\\').len();
        match character(&rest[at..]).filter(|c| c.len_utf8() == 4 && escaped.is_multiple_of(2)) {
            Some(c) => {
                out.extend([MARK, c, PADDING]);
                rest = &rest[at + LENGTH..];
            }
            None => {
                out.push_str("\\u");
                rest = &rest[at + 2..];
            }
        }
    }
    out.push_str(rest);
    (out != yaml).then_some(out)
}

/// The character that the two escapes at the start of `text` stand for.
fn character(text: &str) -> Option<char> {
    let unit = |at: usize| {
        let escape = text.get(at..at + LENGTH / 2)?.strip_prefix("\\u")?;
        escape.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(escape, 16).ok())?
    };
    let units = [unit(0)?, unit(LENGTH / 2)?];
    char::decode_utf16(units).next()?.ok()
}

/// The node with the characters in place of the placeholders.
pub(super) fn restore(node: Node) -> Node {
    let plain = |text: String| match text.contains(MARK) {
        true => text.replace([MARK, PADDING], ""),
        false => text,
    };
    let value = match node.value {
        Value::String(text) => Value::String(plain(text)),
        Value::List(items) => Value::List(items.into_iter().map(restore).collect()),
        Value::Map(entries) => Value::Map(
            entries
                .into_iter()
                .map(|entry| MappingEntry { key: plain(entry.key), node: restore(entry.node), ..entry })
                .collect(),
        ),
        value => value,
    };
    Node { value, ..node }
}
