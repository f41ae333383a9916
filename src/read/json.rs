//! JSON with spans. Comments and trailing commas are faults, because the hosts refuse them in plugin files. Duplicate
//! keys are faults with both spans, and the last one takes precedence.

use std::collections::BTreeMap;

use jsonc_parser::ast::{Object, ObjectPropName, Value as Ast};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::tree::{FaultKind, MappingEntry, Node, ReadFault, Style, Value};
use crate::source::Span;

/// Reads `text`. The node is `None` when nothing could be read.
pub fn parse(text: &str) -> (Option<Node>, Vec<ReadFault>) {
    parse_as(text, false)
}

/// Like [`parse`], for a file that people edit, such as an editor's settings: comments and trailing commas are allowed.
pub fn parse_with_comments(text: &str) -> (Option<Node>, Vec<ReadFault>) {
    parse_as(text, true)
}

fn parse_as(text: &str, comments: bool) -> (Option<Node>, Vec<ReadFault>) {
    let mut faults = Vec::new();
    let (body, offset) = match text.strip_prefix('\u{feff}') {
        Some(body) => {
            faults.push(fault(
                Span::new(0, 3),
                FaultKind::ByteOrderMark,
                "the file starts with a byte order mark",
                "save it as UTF-8 without BOM",
            ));
            faults[0].rescued = true;
            (body, 3)
        }
        None => (text, 0),
    };
    let options = ParseOptions {
        allow_comments: comments,
        allow_loose_object_property_names: false,
        allow_trailing_commas: comments,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        ..ParseOptions::default()
    };
    match parse_to_ast(body, &CollectOptions::default(), &options) {
        Ok(result) => match result.value {
            Some(value) => {
                if let Some((at, message)) = lenient(body).filter(|_| !comments) {
                    let span = Span::new(at + offset, at + offset);
                    faults.push(fault(span, FaultKind::JsonSyntax, &message, STRICT));
                    return (None, faults);
                }
                let node = convert(&value, offset, &mut faults);
                (Some(node), faults)
            }
            None => {
                faults.push(fault(
                    Span::new(offset, text.len()),
                    FaultKind::JsonSyntax,
                    "the file is empty",
                    "write a JSON object",
                ));
                (None, faults)
            }
        },
        Err(error) => {
            let range = error.range();
            let start = (range.start + offset).min(text.len());
            let message = format!("invalid JSON: {}", lower(&error.kind().to_string()));
            faults.push(fault(
                Span::new(start, (range.end + offset).clamp(start, text.len())),
                FaultKind::JsonSyntax,
                &message,
                if comments { WITH_COMMENTS } else { STRICT },
            ));
            (None, faults)
        }
    }
}

/// What to do about JSON that a host refuses.
const STRICT: &str = "write strict JSON: no comments, no trailing commas, keys in double quotes, control characters as `\\u0001`";

/// The same for a file that may have comments.
const WITH_COMMENTS: &str = "write JSON: keys and text in double quotes; comments are allowed";

/// Where and why `body` is not standard JSON although the parser accepts it: a control character or an unknown escape
/// in a string, a number such as `1.`.
fn lenient(body: &str) -> Option<(usize, String)> {
    let error = serde_json::from_str::<serde::de::IgnoredAny>(body).err()?;
    let before: usize = body.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let mut at = (before + error.column().saturating_sub(1)).min(body.len());
    while !body.is_char_boundary(at) {
        at -= 1;
    }
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default();
    Some((at, format!("invalid JSON: {}", lower(reason))))
}

fn fault(span: Span, kind: FaultKind, message: &str, help: &str) -> ReadFault {
    ReadFault { span, kind, message: message.to_owned(), help: help.to_owned(), rescued: false, first: None }
}

fn lower(sentence: &str) -> String {
    let sentence = sentence.trim_end_matches('.');
    let mut chars = sentence.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

fn convert(ast: &Ast<'_>, offset: usize, faults: &mut Vec<ReadFault>) -> Node {
    let span = Span::new(ast.start(), ast.end()).shifted(offset);
    let mut style = Style::Plain;
    let value = match ast {
        Ast::StringLit(text) => {
            style = Style::Double;
            Value::String(text.value.to_string())
        }
        Ast::NumberLit(number) => Value::Number(number.value.to_owned()),
        Ast::BooleanLit(boolean) => Value::Bool(boolean.value),
        Ast::NullKeyword(_) => Value::Null,
        Ast::Array(array) => {
            Value::List(array.elements.iter().map(|element| convert(element, offset, faults)).collect())
        }
        Ast::Object(object) => Value::Map(entries(object, offset, faults)),
    };
    Node { span, value, style }
}

fn entries(object: &Object<'_>, offset: usize, faults: &mut Vec<ReadFault>) -> Vec<MappingEntry> {
    let mut out: Vec<MappingEntry> = Vec::with_capacity(object.properties.len());
    // A map, because an object may have many keys, such as a long list of servers.
    let mut known: BTreeMap<String, Span> = BTreeMap::new();
    for property in &object.properties {
        let key = match &property.name {
            ObjectPropName::String(text) => text.value.to_string(),
            ObjectPropName::Word(word) => word.value.to_owned(),
        };
        let key_span = Span::new(property.name.start(), property.name.end()).shifted(offset);
        if let Some(earlier) = known.get(&key) {
            let mut duplicate = fault(
                key_span,
                FaultKind::DuplicateKey,
                &format!("duplicate key `{key}`; the last value is used"),
                "keep one of them",
            );
            duplicate.rescued = true;
            duplicate.first = Some(*earlier);
            faults.push(duplicate);
        } else {
            known.insert(key.clone(), key_span);
        }
        out.push(MappingEntry { key, key_span, node: convert(&property.value, offset, faults) });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_cover_keys_and_values() {
        let text = r#"{"a": {"b": [1, "x"]}, "a/c": true}"#;
        let (node, faults) = parse(text);
        assert!(faults.is_empty());
        let node = node.unwrap();
        let leaves: Vec<_> = node
            .leaves()
            .into_iter()
            .map(|(pointer, span, _)| (pointer, span.slice(text).to_owned()))
            .collect();
        assert_eq!(
            leaves,
            [("/a/b".into(), "\"b\": [1, \"x\"]".into()), ("/a~1c".into(), "\"a/c\": true".into())]
        );
    }

    #[test]
    fn reports_the_offending_place() {
        let (node, faults) = parse("{\"a\": 1,}");
        assert!(node.is_none());
        assert_eq!(faults[0].kind, FaultKind::JsonSyntax);
        let (_, faults) = parse("{\"a\": 1, \"a\": 2}");
        assert_eq!((faults[0].kind, faults[0].first), (FaultKind::DuplicateKey, Some(Span::new(1, 4))));
        assert_eq!(parse("").1[0].message, "the file is empty");
        assert!(parse("\u{feff}{}").0.is_some());
    }
}
