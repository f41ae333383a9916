//! Versions in XML: the elements and attributes at a path such as `/project/version`.

use std::collections::BTreeSet;
use std::ops::Range;

use roxmltree::{Document, Node, NodeId, ParsingOptions, TextPos};

use super::marks;
use crate::release::found_version::FoundVersion;
use crate::source::Span;

/// One step of a path.
#[derive(Debug)]
struct XmlStep<'p> {
    deep: bool,
    name: &'p str,
    place: Option<usize>,
}

/// The versions at `path`.
pub(super) fn find(text: &str, path: &str) -> Vec<FoundVersion> {
    let Some((steps, attribute)) = steps(path) else {
        let why = format!(
            "unsupported path `{path}`: supported are `/a/b`, `//b`, `/*/b`, `b[1]` and `@c` at the end"
        );
        return vec![FoundVersion::Fault(Span::new(0, 0), why)];
    };
    // A custom document type is well-formed; its includes are never read.
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = match Document::parse_with_options(text, options) {
        Ok(document) => document,
        Err(error) => {
            let at = offset(text, error.pos());
            return vec![FoundVersion::Fault(Span::new(at, at), format!("invalid XML: {error}"))];
        }
    };
    let mut here = vec![document.root()];
    for step in &steps {
        let fits = |node: &Node<'_, '_>| {
            node.is_element()
                && (step.name == "*" || qualified_name(text, node) == step.name)
                && step.place.is_none_or(|place| place_of(text, node) == place)
        };
        let mut below = BTreeSet::new();
        for from in &here {
            match step.deep {
                true => below.extend(from.descendants().skip(1).filter(fits).map(|node| node.id().get())),
                false => below.extend(from.children().filter(fits).map(|node| node.id().get())),
            }
        }
        here = below.into_iter().filter_map(|id| document.get_node(NodeId::new(id))).collect();
    }
    let of = |node: Node<'_, '_>| {
        let range = match attribute {
            Some(name) => {
                let own = node.attributes().find(|own| text.get(own.range_qname()) == Some(name))?;
                own.range_value()
            }
            None => words(&node),
        };
        let span = Span::new(range.start, range.end);
        let none = || FoundVersion::Fault(span, format!("the value at `{path}` is not a version"));
        Some(marks::version(text, span).unwrap_or_else(none))
    };
    here.into_iter().filter_map(of).collect()
}

/// The name of an element as it is written, with its prefix.
fn qualified_name<'t>(text: &'t str, node: &Node<'_, '_>) -> &'t str {
    let tag = text.get(node.range().start + 1..).unwrap_or_default();
    &tag[..tag.find(|c: char| c.is_whitespace() || "/>".contains(c)).unwrap_or(tag.len())]
}

/// The 1-based index of an element among its siblings of the same name.
fn place_of(text: &str, node: &Node<'_, '_>) -> usize {
    let name = qualified_name(text, node);
    let before = node.prev_siblings().filter(|other| other.is_element());
    // The element itself is the first of them.
    before.filter(|other| qualified_name(text, other) == name).count()
}

/// The range of the text in an element before its first child element; without text, the start of its content.
fn words(node: &Node<'_, '_>) -> Range<usize> {
    let first = node.children().take_while(|child| !child.is_element()).find(Node::is_text);
    let start = node.range().start;
    first.map_or(start..start, |child| child.range())
}

/// The byte offset of a 1-based line and column, columns in characters.
fn offset(text: &str, position: TextPos) -> usize {
    let before = position.row.saturating_sub(1) as usize;
    let line: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
    let column = position.col.saturating_sub(1) as usize;
    text[line..].char_indices().nth(column).map_or(text.len(), |(at, _)| line + at)
}

/// The steps of a path, and the attribute at its end.
fn steps(path: &str) -> Option<(Vec<XmlStep<'_>>, Option<&str>)> {
    let path = path.trim();
    let mut rest = path.strip_suffix("/text()").unwrap_or(path);
    let mut out = Vec::new();
    while !rest.is_empty() {
        let deep = rest.strip_prefix("//");
        let word = deep.or_else(|| rest.strip_prefix('/')).or(out.is_empty().then_some(rest))?;
        let (word, after) = word.split_at(word.find('/').unwrap_or(word.len()));
        if let Some(attribute) = word.strip_prefix('@') {
            return (after.is_empty() && is_name(attribute)).then_some((out, Some(attribute)));
        }
        let (name, place) = match word.split_once('[') {
            Some((name, place)) => (name, Some(place.strip_suffix(']')?.parse().ok()?)),
            None => (word, None),
        };
        if name != "*" && !is_name(name) {
            return None;
        }
        out.push(XmlStep { deep: deep.is_some(), name, place });
        rest = after;
    }
    (!out.is_empty()).then_some((out, None))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.:".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_elements_and_attributes() {
        let text = "<?xml version=\"1.0\"?>\n<!-- <version>9.9.9</version> -->\n<project a='b>'>\n  <parent><version>0.0.1</version></parent>\n  <version>1.2.3</version>\n  <x v=\"1.2.4\"/>\n  <x v=\"1.2.5\"></x>\n  <name>demo</name>\n</project>\n";
        let at = |path: &str| {
            let of = |found: FoundVersion| match found {
                FoundVersion::Version(version, span) => {
                    assert_eq!(span.slice(text), version);
                    version
                }
                FoundVersion::Fault(_, why) => why,
                FoundVersion::Nothing => String::new(),
            };
            find(text, path).into_iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(at("/project/version"), ["1.2.3"]);
        assert_eq!(at("/*/version/text()"), ["1.2.3"]);
        assert_eq!(at("//version"), ["0.0.1", "1.2.3"]);
        assert_eq!(at("//parent/version"), ["0.0.1"]);
        assert_eq!(at("/project/x/@v"), ["1.2.4", "1.2.5"]);
        assert_eq!(at("/project/x[2]/@v"), ["1.2.5"]);
        assert_eq!(at("/project/name"), ["the value at `/project/name` is not a version"]);
        assert!(at("/project/none").is_empty());
        assert!(at("/project/x[@v='1']")[0].contains("unsupported path"));
    }

    #[test]
    fn text_that_is_not_xml_is_a_fault_where_it_breaks() {
        for (broken, at) in [
            ("<é>\n<b></é>", "</é>"),
            ("<a b=c/>", "c/>"),
            ("<a></a></a>", "</a>"),
            ("<a>&none;</a>", "&none;"),
            ("<a", "<a"),
            ("<a>", "<a>"),
            ("", ""),
            ("< a/>", " a/>"),
        ] {
            let found = find(broken, "/a");
            let [FoundVersion::Fault(span, why)] = found.as_slice() else { panic!("{broken}: {found:?}") };
            assert!(why.starts_with("invalid XML: "), "{why}");
            assert_eq!(broken.rfind(at), Some(span.start), "{broken}: {why}");
        }
    }

    #[test]
    fn comments_data_prefixes_and_document_types_are_read() {
        for (text, path) in [
            ("<a><!-- 9.9.9 -->1.2.3</a>", "/a"),
            ("<a><![CDATA[<1.2.3>]]></a>", "/a"),
            ("<m:a xmlns:m='u' m:v='1.2.3'/>", "/m:a/@m:v"),
            ("<!DOCTYPE a [<!ENTITY e '1.2.3'>]><a>&e;</a>", "/a"),
            ("<!DOCTYPE a PUBLIC '-//x//y' 'http://example.com/a.dtd'>\n<a>1.2.3</a>", "/a"),
            ("<a>é &amp; 1.2.3</a>", "/a"),
        ] {
            let found = find(text, path);
            let [FoundVersion::Version(version, span)] = found.as_slice() else {
                panic!("{text}: {found:?}")
            };
            assert_eq!((version.as_str(), span.slice(text)), ("1.2.3", "1.2.3"), "{text}");
        }
    }
}
