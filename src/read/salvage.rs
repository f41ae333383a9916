//! How the source host handles frontmatter that is not valid YAML: it still loads the component, with the fields that
//! its second attempt reads, or with none (Claude Code 2.1.330, skills, commands and agents). Spans refer to the
//! original text.

use super::dialect::{self, Dialect};
use super::frontmatter::{self, MarkdownDocument};
use super::tree::{FaultKind, MappingEntry, Node, ReadFault, Style, Value};
use super::yaml;
use crate::source::Span;

/// `document`, parsed from `text` by [`super::frontmatter::parse`], with the fields that a host with this dialect
/// reads.
pub fn as_read_by(mut document: MarkdownDocument, text: &str, dialect: &Dialect) -> MarkdownDocument {
    let unclosed = document.faults.iter().any(|fault| fault.kind == FaultKind::FrontmatterUnclosed);
    let rescued = |fault: &ReadFault| fault.kind == FaultKind::YamlDialect;
    if unclosed {
        // To the host, all of it is text.
        document.fields = Some(none_at(document.body.start));
        document.faults.iter_mut().for_each(|fault| fault.rescued = true);
        return document;
    }
    // A tab before the closing dashes is part of what the host reads.
    let has_tabs = |yaml: &Span| frontmatter::with_tabs(text, *yaml) != *yaml;
    let is_faulty = document.unreadable() || document.faults.iter().any(rescued);
    let Some(yaml) = document.yaml.filter(|yaml| is_faulty || has_tabs(yaml)) else { return document };
    let Some(read) = dialect::mapping(frontmatter::with_tabs(text, yaml).slice(text), dialect) else {
        if yaml.slice(text).lines().count() > yaml::KEYS {
            // Over the limit of this reader, and not realistic frontmatter.
            return document;
        }
        lose_all(&mut document, text, yaml);
        return document;
    };
    if document.fields.as_ref().is_some_and(|fields| fields.to_json() == read.to_json()) {
        return document;
    }
    let mut entries = Vec::new();
    let mut at_fault = Vec::new();
    for entry in read.entries() {
        let Some(key_span) = key_at(text, yaml, &entry.key, &entries) else {
            // A key that is on no line in this form, such as one from a merge.
            let nowhere = Span::new(yaml.start, yaml.start);
            let node = with_span(&entry.node, nowhere);
            entries.push(MappingEntry { key: entry.key.clone(), key_span: nowhere, node });
            continue;
        };
        let chunk = end_of(text, yaml, key_span.end);
        let value = text[key_span.end..chunk].find(':').map_or(chunk, |at| key_span.end + at + 1);
        let blank =
            text[value..chunk].len() - text[value..chunk].trim_start_matches([' ', '\t', '\r', '\n']).len();
        let span = Span::new(value + blank, chunk).trimmed(text);
        if !is_sound(&text[key_span.start..chunk], entry) {
            at_fault.push(span);
        }
        entries.push(MappingEntry { key: entry.key.clone(), key_span, node: with_span(&entry.node, span) });
    }
    document.faults.retain(|fault| fault.rescued && !rescued(fault));
    if at_fault.is_empty() {
        // Each field is valid alone, but not all of them together.
        at_fault.extend(entries.iter().map(|entry| entry.node.span));
    }
    document.faults.extend(at_fault.into_iter().map(|span| ReadFault {
        span,
        kind: FaultKind::YamlDialect,
        message: "this value is not valid YAML and is read as text".to_owned(),
        help: "put the value in double quotes, or fix the indentation".to_owned(),
        rescued: true,
        first: None,
    }));
    document.fields = Some(Node { span: yaml, value: Value::Map(entries), style: Style::Plain });
    document
}

/// Whether the lines of one field are valid YAML alone, with the value that the host reads.
fn is_sound(lines: &str, entry: &MappingEntry) -> bool {
    yaml::strict(lines).is_some_and(|(node, _)| match node.entries() {
        [alone] => alone.key == entry.key && alone.node.to_json() == entry.node.to_json(),
        _ => false,
    })
}

/// Records that the host reads none of the fields.
fn lose_all(document: &mut MarkdownDocument, text: &str, yaml: Span) {
    document.fields = Some(none_at(yaml.start));
    document.lost = Some(yaml);
    let tab = tab(text, yaml);
    for fault in &mut document.faults {
        if !fault.rescued || fault.kind == FaultKind::YamlDialect {
            fault.rescued = true;
            let what =
                if fault.kind == FaultKind::YamlDialect { "invalid YAML" } else { fault.message.as_str() };
            // A parser's message about a tab does not make the cause visible.
            let what = if tab.is_some() { "invalid YAML, because a tab indents a line" } else { what };
            if let Some(tab) = tab {
                fault.span = tab;
                fault.help = "indent with spaces".to_owned();
            }
            fault.message = format!("{what}: the source host reads none of the fields, and keeps the text");
            fault.kind =
                if fault.kind == FaultKind::YamlDialect { FaultKind::YamlSyntax } else { fault.kind };
        }
    }
    let mut told = false;
    // One cause, one diagnostic.
    document
        .faults
        .retain(|fault| fault.kind != FaultKind::YamlSyntax || !std::mem::replace(&mut told, true));
}

/// The first tab that indents a line.
fn tab(text: &str, yaml: Span) -> Option<Span> {
    let mut at = yaml.start;
    yaml.slice(text).split_inclusive('\n').find_map(|line| {
        let start = at;
        at += line.len();
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        line[..indent].find('\t').map(|tab| Span::new(start + tab, start + tab + 1))
    })
}

/// A value from another text, with `span` as the span of everything in it.
fn with_span(node: &Node, span: Span) -> Node {
    let inner = |entry: &MappingEntry| MappingEntry {
        key: entry.key.clone(),
        key_span: span,
        node: with_span(&entry.node, span),
    };
    let value = match &node.value {
        Value::List(items) => Value::List(items.iter().map(|item| with_span(item, span)).collect()),
        Value::Map(entries) => Value::Map(entries.iter().map(inner).collect()),
        value => value.clone(),
    };
    Node { span, value, style: Style::Plain }
}

fn none_at(at: usize) -> Node {
    Node { span: Span::new(at, at), value: Value::Map(Vec::new()), style: Style::Plain }
}

/// The span of the first `key` at the start of a line that none of `taken` has.
fn key_at(text: &str, yaml: Span, key: &str, taken: &[MappingEntry]) -> Option<Span> {
    let mut at = yaml.start;
    for line in yaml.slice(text).split_inclusive('\n') {
        let indent = line.len()
            - line
                .trim_start_matches(|c| matches!(c, ' ' | '\t') || c == '\u{feff}' && at == yaml.start)
                .len();
        let start = at + indent;
        let rest = &line[indent..];
        let bare = rest.strip_prefix(['"', '\'']).unwrap_or(rest);
        let quote = rest.len() - bare.len();
        let after = bare.strip_prefix(key).map(|after| after.trim_start_matches(['"', '\'', ' ']));
        let span = Span::new(start, start + key.len() + 2 * quote);
        if after.is_some_and(|after| after.starts_with(':'))
            && taken.iter().all(|entry| entry.key_span != span)
        {
            return Some(span);
        }
        at += line.len();
    }
    None
}

/// The end of the value whose key ends at `from`: before the next line that is neither indented, nor a list item, nor a
/// comment.
fn end_of(text: &str, yaml: Span, from: usize) -> usize {
    let mut at = from;
    for line in text[from..yaml.end].split_inclusive('\n') {
        if at > from && !line.starts_with([' ', '\t', '-', '#', '\n', '\r']) {
            break;
        }
        at += line.len();
    }
    at
}
