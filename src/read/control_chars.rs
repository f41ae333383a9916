//! YAML with control characters, which the format does not have and which a host may read like any other character:
//! others stand for them while the text is read.

use super::tree::{Entry, Node, Value};
use super::yaml;

/// The first of the characters that stand for control characters, none of which texts have.
const STAND_INS: u32 = 0x10_fe00;

/// [`yaml::strict`] with control characters as characters.
pub(super) fn strict(yaml: &str) -> Option<(Node, Vec<String>)> {
    if !yaml.contains(is_control) || yaml.contains(is_stand_in) {
        return yaml::strict(yaml);
    }
    let stand_in = |c: char| char::from_u32(STAND_INS + u32::from(c)).filter(|_| is_control(c)).unwrap_or(c);
    let (node, duplicates) = yaml::strict(&yaml.chars().map(stand_in).collect::<String>())?;
    Some((with_controls(node), duplicates.iter().map(|key| with_control(key)).collect()))
}

fn is_control(c: char) -> bool {
    matches!(c, '\u{1}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}')
}

fn is_stand_in(c: char) -> bool {
    (STAND_INS..STAND_INS + 0x80).contains(&u32::from(c))
}

fn with_control(text: &str) -> String {
    let control = |c: char| char::from_u32(u32::from(c) - STAND_INS).unwrap_or(c);
    text.chars().map(|c| if is_stand_in(c) { control(c) } else { c }).collect()
}

fn with_controls(node: Node) -> Node {
    let value = match node.value {
        Value::String(text) => Value::String(with_control(&text)),
        Value::List(items) => Value::List(items.into_iter().map(with_controls).collect()),
        Value::Map(entries) => {
            let entry = |entry: Entry| Entry {
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
        assert_eq!(read("a: \u{10fe01}\n").as_deref(), Some("{\"a\":\"\u{10fe01}\"}"));
        assert_eq!(read("a: [\u{1}\n"), None);
    }
}
