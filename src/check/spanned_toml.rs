//! Parses TOML with spans.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::read::tree::{FaultKind, MappingEntry, Node, ReadFault, Style, Value};
use crate::source::Span;

/// Parses `text`; no node if it is not valid TOML.
pub fn parse(text: &str) -> (Option<Node>, Vec<ReadFault>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let faults: Vec<ReadFault> = errors
        .iter()
        .map(|error| ReadFault {
            span: error.span().map_or(Span::new(0, 0), |span| Span::new(span.start, span.end)),
            kind: FaultKind::TomlSyntax,
            message: error.message().to_owned(),
            help: String::new(),
            rescued: false,
            first: None,
        })
        .collect();
    let node = faults.is_empty().then(|| mapping(table.get_ref(), span_of(&table)));
    (node, faults)
}

fn span_of<T>(value: &Spanned<T>) -> Span {
    Span::new(value.span().start, value.span().end)
}

fn mapping(table: &DeTable<'_>, span: Span) -> Node {
    let entry = |(key, value): (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)| MappingEntry {
        key: key.get_ref().to_string(),
        key_span: span_of(key),
        node: node(value),
    };
    let mut entries: Vec<MappingEntry> = table.iter().map(entry).collect();
    entries.sort_by_key(|entry| entry.key_span);
    Node { span, value: Value::Map(entries), style: Style::Plain }
}

fn node(value: &Spanned<DeValue<'_>>) -> Node {
    let span = span_of(value);
    let inner = match value.get_ref() {
        DeValue::Table(table) => return mapping(table, span),
        DeValue::Array(items) => Value::List(items.iter().map(node).collect()),
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Integer(number) => Value::Number(number.to_string()),
        DeValue::Float(number) => Value::Number(number.to_string()),
        DeValue::Datetime(moment) => Value::String(moment.to_string()),
    };
    Node { span, value: inner, style: Style::Plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_places() {
        let text = "name = \"x\"\n[tools]\nlist = [1, true]\n";
        let (node, faults) = parse(text);
        assert!(faults.is_empty());
        let node = node.unwrap();
        let keys: Vec<_> = node.entries().iter().map(|entry| entry.key_span.slice(text)).collect();
        assert_eq!(keys, ["name", "tools"]);
        assert_eq!(node.get("name").unwrap().span.slice(text), "\"x\"");
        let list = node.get("tools").and_then(|tools| tools.get("list")).unwrap();
        assert_eq!(list.span.slice(text), "[1, true]");
        assert_eq!(list.items().unwrap()[1].value, Value::Bool(true));
    }

    #[test]
    fn invalid_toml_is_a_fault_with_its_place() {
        let (node, faults) = parse("name = \"x\"\ntext = \n");
        assert!(node.is_none());
        assert_eq!(faults[0].span.start, 18);
    }
}
