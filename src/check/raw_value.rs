//! A frontmatter value as its author wrote it, before any YAML parsing.

use crate::read::tree::{MappingEntry, Style, Value};
use crate::source::{Span, line_start};

/// The lines of `entry` in the frontmatter `yaml`: from its key to the next key.
pub fn lines(text: &str, yaml: Span, entry: &MappingEntry) -> Span {
    let start = line_start(text, entry.key_span.start);
    let indent = entry.key_span.start - start;
    let mut end = start;
    for (at, line) in text[start..yaml.end.max(start)].split_inclusive('\n').enumerate() {
        let inner = line.trim_start_matches([' ', '\t']);
        let outside =
            line.len() - inner.len() <= indent && !inner.trim().is_empty() && !inner.starts_with("- ");
        if at > 0 && outside {
            break;
        }
        end += line.len();
    }
    Span::new(start, end)
}

/// The value of `entry` on the line of its key, with comments and without blanks around it.
pub fn line(text: &str, entry: &MappingEntry) -> Span {
    let rest = &text[entry.key_span.end..];
    let rest = rest.split('\n').next().unwrap_or_default();
    let colon = rest.find(':').map_or(0, |at| at + 1);
    let value = rest[colon..].trim();
    let start = entry.key_span.end + rest.len() - rest[colon..].trim_start().len();
    Span::new(start, start + value.len())
}

/// Whether every host reads the value alike: words on one line without characters that are special to some host, or
/// quoted or block text that no host ends early.
pub fn is_simple(text: &str, yaml: Span, entry: &MappingEntry) -> bool {
    let all = lines(text, yaml, entry).slice(text);
    let value = line(text, entry).slice(text);
    let signs = [": ", ":\t", " #", "\t#", "---"];
    match entry.node.style {
        Style::Plain => {
            all.trim_end().lines().count() == 1
                && value.starts_with(|first: char| first.is_ascii_alphabetic())
                && !value.ends_with(':')
                && !signs.iter().any(|sign| value.contains(sign))
        }
        _ => !all.contains("---"),
    }
}

/// The text that the author means, on one line; `None` if it is not text, or is ambiguous.
pub fn intended_text(text: &str, yaml: Span, entry: &MappingEntry) -> Option<String> {
    let Value::String(read) = &entry.node.value else { return None };
    let first = line(text, entry).slice(text);
    let parsed = entry.node.style != Style::Plain;
    let marked = first.starts_with("!!")
        || first.strip_prefix("! ").is_some_and(|behind| behind.trim() == read)
        || first.starts_with('&')
            && text.contains(&format!(" *{}", &first[1..].split(' ').next().unwrap_or_default()));
    // A value that was resolved differs from its source: it is a real alias.
    let alias = first.starts_with('*') && *read != first;
    if marked || alias || first.is_empty() || first.starts_with('#') {
        return None;
    }
    if parsed {
        return Some(join_lines(read));
    }
    let all = lines(text, yaml, entry);
    let rest = &text[line(text, entry).end..all.end.max(line(text, entry).end)];
    let whole = std::iter::once(first).chain(rest.split('\n').skip(1)).map(without_comment);
    Some(join_lines(&whole.collect::<Vec<_>>().join(" ")))
}

/// A comment starts with `#` and a blank; `#12` is a value.
fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with("# ") {
        return "";
    }
    let end = [" # ", "\t# "].iter().filter_map(|mark| line.find(mark)).min();
    end.map_or(line, |end| &line[..end])
}

fn join_lines(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text in double quotes that every host reads alike: three dashes in a row would end the frontmatter on some.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace("---", "\\u002d--")
}
