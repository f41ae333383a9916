//! YAML with control characters, which the format forbids but a host may read like any other character. Placeholders
//! replace them while the text is parsed.

use super::tree::{MappingEntry, Node, Value};
use super::{value_starts, yaml};
use crate::source::Span;

/// The first of the placeholders for control characters: private-use characters, which real texts do not contain.
const STAND_INS: u32 = 0x10_f000;

/// Like [`yaml::strict`], but accepts control characters, and values that begin in a way only the source host accepts.
/// Also returns `None` if a value in quotes or brackets continues at the start of a line.
pub(super) fn strict(yaml: &str) -> Option<(Node, Vec<String>)> {
    if yaml.contains(is_stand_in) {
        return indented_tree(yaml);
    }
    let read = match yaml.contains(is_control) {
        true => with_stand_ins(&yaml.chars().map(stand_in).collect::<String>()),
        false => indented_tree(yaml),
    };
    read.or_else(|| {
        let comma = offset_of(',').and_then(|offset| char::from_u32(STAND_INS + offset))?;
        let texts = value_starts::as_yaml(yaml, comma)?;
        with_stand_ins(&texts.chars().map(stand_in).collect::<String>())
    })
}

fn with_stand_ins(yaml: &str) -> Option<(Node, Vec<String>)> {
    let (node, duplicates) = indented_tree(yaml)?;
    Some((with_controls(node), duplicates.iter().map(|key| with_control(key)).collect()))
}

fn indented_tree(yaml: &str) -> Option<(Node, Vec<String>)> {
    yaml::strict(yaml).filter(|(node, _)| !yaml::is_refused(node, yaml, Span::new(0, yaml.len())))
}

fn stand_in(c: char) -> char {
    let offset = offset_of(c).filter(|_| is_control(c));
    offset.and_then(|offset| char::from_u32(STAND_INS + offset)).unwrap_or(c)
}

/// The offset of the character's placeholder from [`STAND_INS`].
fn offset_of(c: char) -> Option<u32> {
    match u32::from(c) {
        0xfeff => Some(0x1fd),
        code @ 0xfffe.. => Some(code - 0xfe00),
        code => (code < 0x100).then_some(code),
    }
}

fn is_control(c: char) -> bool {
    matches!(
        c,
        '\u{1}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

fn is_stand_in(c: char) -> bool {
    (STAND_INS..STAND_INS + 0x200).contains(&u32::from(c))
}

fn with_control(text: &str) -> String {
    let control = |c: char| match u32::from(c) - STAND_INS {
        0x1fd => '\u{feff}',
        offset @ 0x1fe.. => char::from_u32(0xfe00 + offset).unwrap_or(c),
        offset => char::from_u32(offset).unwrap_or(c),
    };
    text.chars().map(|c| if is_stand_in(c) { control(c) } else { c }).collect()
}

fn with_controls(node: Node) -> Node {
    let value = match node.value {
        Value::String(text) => Value::String(with_control(&text)),
        Value::List(items) => Value::List(items.into_iter().map(with_controls).collect()),
        Value::Map(entries) => {
            let entry = |entry: MappingEntry| MappingEntry {
                key: with_control(&entry.key),
                node: with_controls(entry.node),
                ..entry
            };
            Value::Map(entries.into_iter().map(entry).collect())
        }
        value => value,
    };
    Node { value, ..node }
}

#[cfg(test)]
mod tests {
    #[test]
    fn case_7_control_characters_are_characters() {
        let read = |yaml: &str| super::strict(yaml).map(|(node, _)| node.to_json().to_string());
        assert_eq!(read("a: b\u{1}c\n").as_deref(), Some(r#"{"a":"b\u0001c"}"#));
        assert_eq!(
            read("a: \"b\u{1b}c\"\nk\u{8}: [x\u{7f}]\n").as_deref(),
            Some("{\"a\":\"b\\u001bc\",\"k\\b\":[\"x\u{7f}\"]}")
        );
        assert_eq!(read("a: \u{10f001}\n").as_deref(), Some("{\"a\":\"\u{10f001}\"}"));
        assert_eq!(read("a: \u{fffe}\u{80}\n").as_deref(), Some("{\"a\":\"\u{fffe}\u{80}\"}"));
        assert_eq!(read("a: [\u{1}\n"), None);
    }
}
