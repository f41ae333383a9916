//! Splits a Markdown file into frontmatter and body as the pinned source host does, with ranges, so
//! that nothing else has to guess where a body starts.

use super::tree::{Fault, Node, Value};
use super::yaml;
use crate::source::Span;

/// A Markdown file taken apart. All spans are byte ranges of the whole text.
#[derive(Debug, Clone)]
pub struct Document {
    /// A byte order mark stands before everything else.
    pub byte_order_mark: bool,
    /// The YAML between the delimiter lines; `None` without frontmatter.
    pub yaml: Option<Span>,
    /// Everything after the closing delimiter line.
    pub body: Span,
    /// The fields; `None` without frontmatter or when it cannot be read.
    pub fields: Option<Node>,
    /// The part that the source host reads no field of; [`super::salvage`] knows.
    pub lost: Option<Span>,
    /// What could not be taken as it stands.
    pub faults: Vec<Fault>,
}

impl Document {
    /// Whether a fault left the fields unreadable.
    pub fn unreadable(&self) -> bool {
        self.fields.is_none() && self.faults.iter().any(|fault| !fault.rescued)
    }
}

/// Takes `text` apart.
///
/// The first line must be `---` (trailing spaces allowed); the first later line that begins with
/// `---`, after spaces or not, closes (Claude Code 2.1.197 and 2.1.330). Where there is none, or what stands before it
/// cannot be read, the first three dashes close, as they do on that host.
pub fn parse(text: &str) -> Document {
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut document = Document {
        byte_order_mark: start > 0,
        yaml: None,
        body: Span::new(start, text.len()),
        fields: None,
        lost: None,
        faults: Vec::new(),
    };
    if start > 0 {
        document.faults.push(fault(
            Span::new(0, 3),
            "byte-order-mark",
            "the file starts with a byte order mark",
            "save it as UTF-8 without BOM",
            true,
        ));
    }
    let (yaml, body) = match delimiters(text, start) {
        Delimiters::Closed { yaml, body } => (yaml, body),
        Delimiters::None => {
            if let Some(span) = late_opening(text, start) {
                let (message, help) = if text[start..span.start].contains('\n') {
                    (
                        "frontmatter starts after a blank line and is read as text",
                        "move `---` to the first line of the file",
                    )
                } else {
                    ("frontmatter is indented and is read as text", "move `---` to the start of its line")
                };
                document.faults.push(fault(span, "frontmatter-not-first", message, help, true));
            }
            return document;
        }
        Delimiters::Unclosed { yaml } => {
            if let Some((yaml, body)) = first_dashes(text, yaml) {
                return closed(document, text, yaml, body);
            }
            document.faults.push(fault(
                Span::new(start, start + 3),
                "frontmatter-unclosed",
                "frontmatter is never closed",
                "add a line `---` after the last field",
                false,
            ));
            return document;
        }
    };
    // Dashes within a line end the frontmatter for the source host; where a value holds them, the line was meant.
    match first_dashes(text, yaml.start).filter(|(earlier, _)| earlier.end < yaml.end) {
        None => closed(document, text, yaml, body),
        Some((earlier, rest)) => {
            let meant = closed(document.clone(), text, yaml, body);
            if meant.unreadable() { closed(document, text, earlier, rest) } else { meant }
        }
    }
}

/// What a host reads that looks for the mark and not for its line: the frontmatter with the tabs before the mark.
pub fn with_tabs(text: &str, yaml: Span) -> Span {
    let rest = &text[yaml.end..];
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    Span::new(yaml.start, yaml.end + if rest[..blank].contains('\t') { blank } else { 0 })
}

/// `document` with the fields between the marks.
fn closed(mut document: Document, text: &str, yaml: Span, body: Span) -> Document {
    (document.yaml, document.body) = (Some(yaml), body);
    let (node, faults) = yaml::parse(text, with_tabs(text, yaml));
    document.faults.extend(faults);
    match node {
        Some(node) if matches!(node.value, Value::Map(_)) => document.fields = Some(node),
        Some(node) if node.value != Value::Null => {
            let message = format!("frontmatter must be a mapping of keys to values, found {}", node.kind());
            document.faults.push(fault(
                node.span,
                "field-type",
                &message,
                "write `name: value` lines",
                false,
            ));
        }
        _ if document.faults.iter().all(|fault| fault.rescued) => {
            document.fields = Some(Node {
                span: Span::new(yaml.start, yaml.start),
                value: Value::Map(Vec::new()),
                style: super::tree::Style::Plain,
            });
        }
        _ => {}
    }
    document
}

/// Where the body of `text` stands, as [`parse`] says; the fields are not read.
pub fn body(text: &str) -> Span {
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    match delimiters(text, start) {
        Delimiters::Closed { body, .. } => body,
        Delimiters::Unclosed { yaml } => match first_dashes(text, yaml) {
            Some((_, body)) => body,
            None => Span::new(start, text.len()),
        },
        Delimiters::None => Span::new(start, text.len()),
    }
}

/// What the delimiter lines of a text enclose.
enum Delimiters {
    None,
    /// The fields would begin at `yaml`.
    Unclosed {
        yaml: usize,
    },
    Closed {
        yaml: Span,
        body: Span,
    },
}

fn delimiters(text: &str, start: usize) -> Delimiters {
    let mut lines = Lines { text, at: start };
    if lines.next().is_none_or(|(_, first)| first.trim_end() != "---") {
        return Delimiters::None;
    }
    let yaml = lines.at;
    while let Some((at, line)) = lines.next() {
        if line.trim_start_matches([' ', '\t']).starts_with("---") {
            return Delimiters::Closed { yaml: Span::new(yaml, at), body: Span::new(lines.at, text.len()) };
        }
    }
    Delimiters::Unclosed { yaml }
}

/// What stands before and behind the first three dashes behind `start`, wherever in a line they are.
fn first_dashes(text: &str, start: usize) -> Option<(Span, Span)> {
    let at = start + text.get(start..)?.find("---")?;
    let rest = &text[at + 3..];
    let line = rest.find('\n').map_or(rest.len(), |end| end + 1);
    let body = if rest[..line].trim().is_empty() { at + 3 + line } else { at + 3 };
    Some((Span::new(start, at), Span::new(body, text.len())))
}

fn late_opening(text: &str, start: usize) -> Option<Span> {
    let rest = &text[start..];
    let blank = rest.len() - rest.trim_start().len();
    let line = rest[blank..].lines().next()?;
    (blank > 0 && line.trim_end() == "---").then(|| Span::new(start + blank, start + blank + 3))
}

fn fault(span: Span, rule: &'static str, message: &str, help: &str, rescued: bool) -> Fault {
    Fault { span, rule, message: message.to_owned(), help: help.to_owned(), rescued, first: None }
}

struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let start = self.at;
        let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
        self.at += length;
        Some((start, rest[..length].trim_end_matches(['\n', '\r'])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_like_the_source_host() {
        let cases = [
            ("---\nname: a\n---\nbody\n", Some("name: a\n"), "body\n"),
            ("--- \r\nname: a\r\n---  \r\nbody\r\n", Some("name: a\r\n"), "body\r\n"),
            ("---\n---\nbody", Some(""), "body"),
            ("---\nname: a\n---", Some("name: a\n"), ""),
            ("---\nname: a\n----\nbody", Some("name: a\n"), "body"),
            ("---\nd: |\n  ---\nx\n---\n", Some("d: |\n"), "x\n---\n"),
            ("----\nname: a\n---\n", None, "----\nname: a\n---\n"),
            ("# title\n", None, "# title\n"),
            ("", None, ""),
        ];
        for (text, yaml, body) in cases {
            let document = parse(text);
            assert_eq!(document.yaml.map(|span| span.of(text)), yaml, "{text:?}");
            assert_eq!(document.body.of(text), body, "{text:?}");
            assert!(!document.unreadable(), "{text:?}");
        }
    }

    #[test]
    fn names_what_is_wrong() {
        let rule = |text: &str| parse(text).faults.first().map(|fault| (fault.rule, fault.rescued));
        assert_eq!(rule("\u{feff}---\nname: a\n---\n"), Some(("byte-order-mark", true)));
        assert_eq!(rule("\n---\nname: a\n---\n"), Some(("frontmatter-not-first", true)));
        assert_eq!(rule("---\nname: a\n"), Some(("frontmatter-unclosed", false)));
        assert_eq!(rule("---\n- a\n---\n"), Some(("field-type", false)));
        assert_eq!(rule("---\na: \"x\n---\n"), Some(("yaml-syntax", false)));
    }
}
