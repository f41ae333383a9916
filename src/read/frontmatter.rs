//! Splits a Markdown file into frontmatter and body as the pinned source host does, with ranges, so
//! that nothing else has to guess where a body starts.

mod early_end;

use super::blanks::is_blank;
use super::tree::{FaultKind, Node, ReadFault, Value};
use super::yaml;
use crate::source::{Span, line_start, next_line};

/// A Markdown file, split into its parts. All spans are byte ranges of the whole text.
#[derive(Debug, Clone)]
pub struct MarkdownDocument {
    /// Whether the file starts with a byte order mark.
    pub byte_order_mark: bool,
    /// The YAML between the delimiter lines; `None` without frontmatter.
    pub yaml: Option<Span>,
    /// Everything after the closing delimiter line.
    pub body: Span,
    /// The fields; `None` without frontmatter or when it cannot be read.
    pub fields: Option<Node>,
    /// The frontmatter, if the source host reads no fields from it; set by [`super::salvage`].
    pub lost: Option<Span>,
    /// Text after the end of the frontmatter that the author meant to be part of it.
    pub cut_off: Option<Span>,
    /// What is invalid or had to be rescued.
    pub faults: Vec<ReadFault>,
}

impl MarkdownDocument {
    /// Whether a fault left the fields unreadable.
    pub fn unreadable(&self) -> bool {
        self.fields.is_none() && self.faults.iter().any(|fault| !fault.rescued)
    }
}

/// Splits `text` into frontmatter and body.
///
/// The first line must be `---` (trailing white space and blank lines below it belong to it). The next three dashes
/// close the frontmatter, even within a line (Claude Code 2.1.197 and 2.1.330).
pub fn parse(text: &str) -> MarkdownDocument {
    let start = start(text);
    let mut document = MarkdownDocument {
        byte_order_mark: start > 0,
        yaml: None,
        body: Span::new(start, text.len()),
        fields: None,
        lost: None,
        cut_off: None,
        faults: Vec::new(),
    };
    if start > 0 {
        document.faults.push(fault(
            Span::new(0, 3),
            FaultKind::ByteOrderMark,
            "the file starts with a byte order mark",
            "save it as UTF-8 without BOM",
            true,
        ));
    }
    let Some(opened) = opened(text, start) else {
        if let Some(span) = late_opening(text, start) {
            let (message, help) = if text[start..span.start].contains('\n') {
                (
                    "frontmatter starts after a blank line and is read as text",
                    "move `---` to the first line of the file",
                )
            } else {
                ("frontmatter is indented and is read as text", "move `---` to the start of its line")
            };
            document.faults.push(fault(span, FaultKind::FrontmatterNotFirst, message, help, true));
        }
        return document;
    };
    let Some(ClosingMark { yaml, mark, body }) = find_closing(text, opened) else {
        document.faults.push(fault(
            Span::new(start, start + 3),
            FaultKind::FrontmatterUnclosed,
            "frontmatter is never closed",
            "add a line `---` after the last field",
            false,
        ));
        return document;
    };
    (document.yaml, document.body) = (Some(yaml), body);
    read(&mut document, text, yaml);
    if let Some((span, early)) = early_end::text_after_early_end(text, yaml, mark) {
        document.cut_off = Some(span);
        document.faults.push(early);
    }
    document
}

/// The frontmatter with the tabs before the closing delimiter, for a host that looks for the dashes and not for their
/// line.
pub fn with_tabs(text: &str, yaml: Span) -> Span {
    let rest = &text[yaml.end..];
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    Span::new(yaml.start, yaml.end + if rest[..blank].contains('\t') { blank } else { 0 })
}

/// Reads the fields between the delimiters.
fn read(document: &mut MarkdownDocument, text: &str, yaml: Span) {
    let (node, faults) = yaml::parse(text, with_tabs(text, yaml));
    document.faults.extend(faults);
    match node {
        Some(node) if matches!(node.value, Value::Map(_)) => document.fields = Some(node),
        Some(node) if node.value != Value::Null => {
            let message = format!("frontmatter must be a mapping of keys to values, found {}", node.kind());
            document.faults.push(fault(
                node.span,
                FaultKind::FieldType,
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
}

/// The same body as from [`parse`], without reading the fields.
pub fn body(text: &str) -> Span {
    let start = start(text);
    let closed = opened(text, start).and_then(|opened| find_closing(text, opened));
    closed.map_or(Span::new(start, text.len()), |closed| closed.body)
}

fn start(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

/// The start of the first line that is not blank after the opening delimiter at `start`.
pub(super) fn opened(text: &str, start: usize) -> Option<usize> {
    let rest = text[start..].strip_prefix("---")?;
    let blank = rest.len() - rest.trim_start_matches(is_blank).len();
    rest[..blank].contains('\n').then(|| line_start(text, start + 3 + blank))
}

/// The closing delimiter and the parts on either side of it.
struct ClosingMark {
    /// Excludes white space before the delimiter if its line holds nothing else before it.
    yaml: Span,
    mark: usize,
    /// Starts after the delimiter's line, or right after the delimiter if text follows on that line.
    body: Span,
}

fn find_closing(text: &str, opened: usize) -> Option<ClosingMark> {
    let mark = opened + text[opened..].find("---")?;
    let shown = text[opened..mark].trim_end_matches([' ', '\t']);
    let yaml = if shown.is_empty() || shown.ends_with('\n') { opened + shown.len() } else { mark };
    let rest = &text[mark + 3..];
    let line = next_line(rest, 0);
    let body = if rest[..line].trim_matches(is_blank).is_empty() { mark + 3 + line } else { mark + 3 };
    Some(ClosingMark { yaml: Span::new(opened, yaml), mark, body: Span::new(body, text.len()) })
}

fn late_opening(text: &str, start: usize) -> Option<Span> {
    let rest = &text[start..];
    let blank = rest.len() - rest.trim_start().len();
    let line = rest[blank..].lines().next()?;
    (blank > 0 && line.trim_end() == "---").then(|| Span::new(start + blank, start + blank + 3))
}

fn fault(span: Span, kind: FaultKind, message: &str, help: &str, rescued: bool) -> ReadFault {
    ReadFault { span, kind, message: message.to_owned(), help: help.to_owned(), rescued, first: None }
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
            ("---\nname: a\n----\nbody", Some("name: a\n"), "-\nbody"),
            ("---\nname: a\n--- b\nbody", Some("name: a\n"), " b\nbody"),
            ("---\nname: a\n---\rbody", Some("name: a\n"), "\rbody"),
            ("---\nd: |\n  ---\nx\n---\n", Some("d: |\n"), "x\n---\n"),
            ("---\nname: a---b\nd: c\n---\nbody", Some("name: a"), "b\nd: c\n---\nbody"),
            ("---\n# a --- b\nd: c\n---\nbody", Some("# a "), " b\nd: c\n---\nbody"),
            ("---\n \u{a0}\n\u{feff}\nname: a\n---\u{feff}\nbody", Some("name: a\n"), "body"),
            ("---\u{85}\nname: a\n---\n", None, "---\u{85}\nname: a\n---\n"),
            ("----\nname: a\n---\n", None, "----\nname: a\n---\n"),
            ("# title\n", None, "# title\n"),
            ("", None, ""),
        ];
        for (text, yaml, body) in cases {
            let document = parse(text);
            assert_eq!(document.yaml.map(|span| span.slice(text)), yaml, "{text:?}");
            assert_eq!(document.body.slice(text), body, "{text:?}");
            assert!(!document.unreadable(), "{text:?}");
        }
    }

    #[test]
    fn names_what_is_wrong() {
        let rule = |text: &str| parse(text).faults.first().map(|fault| (fault.kind, fault.rescued));
        assert_eq!(rule("\u{feff}---\nname: a\n---\n"), Some((FaultKind::ByteOrderMark, true)));
        assert_eq!(rule("\n---\nname: a\n---\n"), Some((FaultKind::FrontmatterNotFirst, true)));
        assert_eq!(rule("---\nname: a\n"), Some((FaultKind::FrontmatterUnclosed, false)));
        assert_eq!(rule("---\n- a\n---\n"), Some((FaultKind::FieldType, false)));
        assert_eq!(rule("---\na: \"x\n---\n"), Some((FaultKind::YamlSyntax, false)));
    }
}
