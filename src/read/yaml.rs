//! YAML with spans, as the pinned source host reads it: duplicate keys keep the last value, tags are dropped, and a
//! plain one-line value that breaks the syntax is read as text, because that host retries with such lines quoted (seen
//! in Claude Code 2.1.197 and 2.1.330).

mod chunks;
mod lines;
mod merges;
mod scalars;
mod surrogates;
mod tabs;

use std::collections::BTreeMap;

use granit_parser::{Event, Parser, ScalarStyle, Tag};

use super::tags::{TaggedContent, TaggedNode};
use super::tree::{FaultKind, MappingEntry, Node, ReadFault, Style, Value};
use crate::source::Span;

use chunks::{at_open_quote, chunks, plain_line, spaces_for_tabs};

/// Nodes that aliases may add to one document before it is refused.
const ALIAS_BUDGET: usize = 10_000;
/// Keys that one mapping may have before the document is refused: real frontmatter has fewer, and every key is compared
/// with every other one.
pub const KEYS: usize = 2_000;

/// Reads the YAML in `range` of `text`; spans refer to `text`. The node is `None` when nothing could be read or
/// rescued.
pub fn parse(text: &str, range: Span) -> (Option<Node>, Vec<ReadFault>) {
    match document(range.slice(text), range.start) {
        Ok((Some(node), _)) if is_refused(&node, text, range) => {
            let why = "a value, a key or a tag begins or ends in an invalid place";
            rescue(text, range, syntax(node.span, why))
        }
        Ok(found) => found,
        Err(YamlRefusal { fault, rescuable: true }) => rescue(text, range, fault),
        Err(YamlRefusal { fault, rescuable: false }) => (None, vec![fault]),
    }
}

/// The YAML of a whole document without any rescue, and its duplicate keys; `None` if it is invalid.
pub fn strict(yaml: &str) -> Option<(Node, Vec<String>)> {
    let (node, faults) = document(yaml, 0).ok()?;
    let repeated = faults.iter().filter(|fault| fault.kind == FaultKind::DuplicateKey);
    Some((node?, repeated.map(|fault| fault.span.slice(yaml).to_owned()).collect()))
}

/// The values with tags in the YAML in `range` of `text`; empty if it is invalid.
pub fn tagged(text: &str, range: Span) -> Vec<TaggedNode> {
    let yaml = range.slice(text);
    if !yaml.contains('!') {
        return Vec::new();
    }
    built(yaml, range.start).map(|builder| builder.tagged).unwrap_or_default()
}

/// Whether the source host's parser refuses the YAML in `range` of `text`, which this one read as `node`.
pub fn is_refused(node: &Node, text: &str, range: Span) -> bool {
    lines::begin_wrongly(node, text) || tabs::end_wrongly(node, text, range) || holds_wrong_tag(text, range)
}

/// Whether the name of a tag begins with something other than a letter, a digit or a dash (Bun 1.4.4).
fn holds_wrong_tag(text: &str, range: Span) -> bool {
    let is_wrong = |first: char| !first.is_ascii_alphanumeric() && first != '-';
    tagged(text, range)
        .iter()
        .any(|tagged| tagged.tag.strip_prefix('!').is_some_and(|name| name.starts_with(is_wrong)))
}

/// Why a document could not be read, and whether the source host tries again with lines quoted.
struct YamlRefusal {
    fault: ReadFault,
    rescuable: bool,
}

impl From<ReadFault> for YamlRefusal {
    fn from(fault: ReadFault) -> Self {
        Self { fault, rescuable: true }
    }
}

fn document(yaml: &str, offset: usize) -> Result<(Option<Node>, Vec<ReadFault>), YamlRefusal> {
    let read = built(yaml, offset).map(|builder| (builder.root, builder.faults));
    if read.is_ok() {
        return read;
    }
    // The source host also accepts these deviations.
    let blanks = lines::with_blanks(yaml);
    let joined = surrogates::with_characters(blanks.as_deref().unwrap_or(yaml));
    match joined.or(blanks) {
        Some(text) => built(&text, offset)
            .map(|builder| (builder.root.map(surrogates::restore), builder.faults))
            .or(read),
        None => read,
    }
}

fn built(yaml: &str, offset: usize) -> Result<TreeBuilder, YamlRefusal> {
    let mut builder = TreeBuilder::default();
    if let Some(at) = lines::behind_dots(yaml) {
        let fault = syntax(Span::new(at, at).shifted(offset), "a second document starts here");
        return Err(YamlRefusal { fault, rescuable: false });
    }
    let broken = lines::with_line_feeds(yaml);
    let yaml = broken.as_deref().unwrap_or(yaml);
    for next in Parser::new_from_str(yaml) {
        let (event, span) = next.map_err(|error| {
            let at = error.marker().byte_offset().unwrap_or(0).min(yaml.len()) + offset;
            syntax(Span::new(at, at), &error.info().to_string())
        })?;
        let range = span.byte_range().unwrap_or(0..0);
        builder.event(&event, Span::new(range.start, range.end).shifted(offset))?;
    }
    Ok(builder)
}

fn syntax(span: Span, why: &str) -> ReadFault {
    ReadFault {
        span,
        kind: FaultKind::YamlSyntax,
        message: format!("invalid YAML: {why}"),
        help: "put the value in double quotes, or fix the indentation".to_owned(),
        rescued: false,
        first: None,
    }
}

fn too_many_fault(span: Span) -> ReadFault {
    let help = "keep what hosts read, and move the rest into a separate file".to_owned();
    ReadFault { help, ..syntax(span, &format!("a mapping has more than {KEYS} keys")) }
}

enum OpenCollection {
    List { start: Span, items: Vec<Node>, anchor: usize },
    Map { start: Span, entries: Vec<MappingEntry>, key: Option<(String, Span)>, anchor: usize },
}

#[derive(Default)]
struct TreeBuilder {
    open: Vec<OpenCollection>,
    root: Option<Node>,
    documents: usize,
    anchors: BTreeMap<usize, Node>,
    copied: usize,
    faults: Vec<ReadFault>,
    tagged: Vec<TaggedNode>,
}

impl TreeBuilder {
    fn event(&mut self, event: &Event<'_>, span: Span) -> Result<(), YamlRefusal> {
        if let Event::Scalar(_, _, _, Some(tag))
        | Event::SequenceStart(_, _, Some(tag))
        | Event::MappingStart(_, _, Some(tag)) = event
        {
            let content = match event {
                Event::Scalar(text, ..) => TaggedContent::Scalar(text.to_string()),
                Event::SequenceStart(..) => TaggedContent::List,
                _ => TaggedContent::Map,
            };
            // A verbatim tag (`!<…>`) may have commas.
            let is_cut = tag.suffix().contains('#') || tag.suffix().contains(',') && !tag.handle().is_empty();
            let tag = format!("{}{}", tag.handle(), tag.suffix());
            if is_cut {
                return Err(syntax(span, "a tag contains an invalid character").into());
            }
            self.tagged.push(TaggedNode { span, tag, content, depth: self.open.len() });
        }
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    // The source host reads no fields then, either.
                    let fault = syntax(span, "a second document starts here");
                    return Err(YamlRefusal { fault, rescuable: false });
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let node = scalar(text, *style, span, tag.as_deref());
                self.place(node, *anchor)?;
            }
            Event::SequenceStart(_, anchor, _) => {
                self.open.push(OpenCollection::List { start: span, items: Vec::new(), anchor: *anchor })
            }
            Event::MappingStart(_, anchor, _) => {
                self.open.push(OpenCollection::Map {
                    start: span,
                    entries: Vec::new(),
                    key: None,
                    anchor: *anchor,
                });
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span)?,
            Event::Alias(id) => {
                let Some(node) = self.anchors.get(id) else {
                    // All hosts accept a value that contains itself, and show the other fields.
                    self.faults.push(self_reference(span));
                    return Ok(self.place(Node { span, value: Value::Null, style: Style::Plain }, 0)?);
                };
                self.copied += size(node);
                if self.copied > ALIAS_BUDGET {
                    return Err(syntax(span, "aliases expand to more than 10,000 values").into());
                }
                let node = Node { span, ..node.clone() };
                self.place(node, 0)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, span: Span) -> Result<(), ReadFault> {
        let (value, start, last, anchor) = match self.open.pop() {
            Some(OpenCollection::List { start, items, anchor }) => {
                let last = items.last().map_or(start.end, |item| item.span.end);
                (Value::List(items), start, last, anchor)
            }
            Some(OpenCollection::Map { start, entries, anchor, .. }) => {
                let last = entries.last().map_or(start.end, |entry| entry.span().end);
                (Value::Map(merges::merged(entries)), start, last, anchor)
            }
            None => return Ok(()),
        };
        // A flow collection ends at its own bracket, a block collection with its last value.
        let end = if start.end > start.start { span.end } else { last };
        self.place(
            Node { span: Span::new(start.start, end.max(start.start)), value, style: Style::Plain },
            anchor,
        )
    }

    fn place(&mut self, node: Node, anchor: usize) -> Result<(), ReadFault> {
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(OpenCollection::List { items, .. }) => items.push(node),
            Some(OpenCollection::Map { key: key @ None, .. }) => *key = Some((node.key_text(), node.span)),
            Some(OpenCollection::Map { entries, key, .. }) => {
                let (key, key_span) = key.take().unwrap_or_default();
                if entries.len() == KEYS {
                    return Err(too_many_fault(key_span));
                }
                if let Some(earlier) = entries.iter().find(|entry| entry.key == key && key != merges::KEY) {
                    self.faults.push(ReadFault {
                        span: key_span,
                        kind: FaultKind::DuplicateKey,
                        message: format!("duplicate key `{key}`; the last value is used"),
                        help: "keep one of them".to_owned(),
                        rescued: true,
                        first: Some(earlier.key_span),
                    });
                }
                entries.push(MappingEntry { key, key_span, node });
            }
        }
        Ok(())
    }
}

fn size(node: &Node) -> usize {
    1 + match &node.value {
        Value::List(items) => items.iter().map(size).sum(),
        Value::Map(entries) => entries.iter().map(|entry| size(&entry.node)).sum(),
        _ => 0,
    }
}

fn scalar(text: &str, style: ScalarStyle, span: Span, tag: Option<&Tag>) -> Node {
    let style = match style {
        ScalarStyle::SingleQuoted => Style::Single,
        ScalarStyle::DoubleQuoted => Style::Double,
        ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
        _ => Style::Plain,
    };
    let value = match tag {
        _ if style != Style::Plain => Value::String(text.to_owned()),
        Some(tag) => scalars::tagged(text, tag.handle(), tag.suffix()),
        None => scalars::plain_scalar(text),
    };
    Node { span, value, style }
}

/// Reads key by key: each top-level key is parsed as a separate document with the lines that belong to it, and a plain
/// one-line value that does not parse is read as text.
fn rescue(text: &str, range: Span, original: ReadFault) -> (Option<Node>, Vec<ReadFault>) {
    let mut entries: Vec<MappingEntry> = Vec::new();
    let mut faults = Vec::new();
    for chunk in chunks(text, range) {
        let untabbed: String = chunk.slice(text).split_inclusive('\n').map(spaces_for_tabs).collect();
        let parsed = match document(&untabbed, chunk.start) {
            Ok((Some(node), inner)) if !node.entries().is_empty() => {
                faults.extend(inner);
                if untabbed != chunk.slice(text) {
                    faults.push(rescued(chunk, "tabs indent this value"));
                }
                node.entries().to_vec()
            }
            Ok((None, _)) => Vec::new(),
            _ => match plain_line(text, chunk) {
                Some(entry) => {
                    faults.push(rescued(entry.node.span, "this value is not valid YAML and is read as text"));
                    vec![entry]
                }
                None => return (None, vec![at_open_quote(text, chunk, original)]),
            },
        };
        for entry in parsed {
            if entries.len() == KEYS {
                return (None, vec![too_many_fault(entry.key_span)]);
            }
            if let Some(earlier) = entries.iter().find(|existing| existing.key == entry.key) {
                let message = format!("duplicate key `{}`; the last value is used", entry.key);
                let first = Some(earlier.key_span);
                let help = "keep one of them".to_owned();
                faults.push(ReadFault {
                    span: entry.key_span,
                    kind: FaultKind::DuplicateKey,
                    message,
                    help,
                    rescued: true,
                    first,
                });
            }
            entries.push(entry);
        }
    }
    if faults.iter().all(|fault| fault.kind != FaultKind::YamlDialect) {
        // Each part is valid, but not the whole.
        faults.push(rescued(Span::new(original.span.start, original.span.start), "this is not valid YAML"));
    }
    let span = Span::new(
        entries.first().map_or(range.start, |e| e.key_span.start),
        entries.last().map_or(range.start, |e| e.span().end),
    );
    (Some(Node { span, value: Value::Map(entries), style: Style::Plain }), faults)
}

fn self_reference(span: Span) -> ReadFault {
    ReadFault {
        kind: FaultKind::SelfReference,
        message: "this alias names the value that contains it, and is read as empty".to_owned(),
        help: "remove the alias".to_owned(),
        rescued: true,
        ..syntax(span, "")
    }
}

fn rescued(span: Span, message: &str) -> ReadFault {
    ReadFault { rescued: true, kind: FaultKind::YamlDialect, message: message.to_owned(), ..syntax(span, "") }
}

#[cfg(test)]
mod tests;
