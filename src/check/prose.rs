//! The prose of a text: paragraphs and list items with their spans, where code, HTML, quotations and link destinations
//! can be left out.

use super::context::PluginText;
use crate::read::markdown::RegionKind;
use crate::source::{Span, line_end};

/// A paragraph, a list item, a heading or a row of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    /// Its bytes in the file.
    pub span: Span,
    /// Whether it is a list item.
    pub item: bool,
    /// Whether it is quoted with `>`.
    pub quoted: bool,
    /// Whether it is in a code block.
    pub code: bool,
}

/// Whether an agent reads the text as instructions: a component's main file, or a Markdown file among a skill's
/// references.
pub fn is_instructions(text: &PluginText<'_>) -> bool {
    let reference = || {
        let folder = text.component.map(crate::model::component::Component::folder);
        let inner = folder.and_then(|folder| text.file.path.strip_prefix(folder).ok());
        inner.is_some_and(|inner| inner.starts_with("references"))
    };
    text.component.is_some() && text.is_markdown() && (text.main || reference())
}

/// The passages of a text, in order; a code block is one.
pub fn passages(text: &PluginText<'_>) -> Vec<Passage> {
    let mut out = Vec::new();
    let blocks = &text.outline().blocks;
    let mut open: Option<Passage> = None;
    let mut at = text.body.start;
    while at < text.body.end {
        if let Some(block) = blocks.iter().find(|block| block.span.start <= at && at < block.span.end) {
            out.extend(open.take());
            let span = Span::new(block.span.start, block.span.end);
            out.push(Passage { span, item: false, quoted: false, code: true });
            at = block.span.end.max(at + 1);
            at += text.text[at.min(text.body.end)..text.body.end].find(|c: char| c != '\n').unwrap_or(0);
            continue;
        }
        let end = line_end(&text.text[..text.body.end], at);
        let next_block =
            blocks.iter().map(|block| block.span.start).find(|start| *start > at && *start < end);
        let line = &text.text[at..next_block.unwrap_or(end)];
        let trimmed = line.trim_start();
        let start = at + (line.len() - trimmed.len());
        let quoted = trimmed.starts_with('>');
        let item = is_item(trimmed);
        let alone = trimmed.starts_with(['#', '|']);
        if trimmed.trim().is_empty() || item || alone || open.is_some_and(|open| open.quoted != quoted) {
            out.extend(open.take());
        }
        if !trimmed.trim().is_empty() {
            let to = start + trimmed.trim_end().len();
            let passage =
                open.get_or_insert(Passage { span: Span::new(start, to), item, quoted, code: false });
            passage.span.end = to;
            if alone {
                out.extend(open.take());
            }
        }
        at = next_block.unwrap_or(end + 1);
    }
    out.extend(open);
    out
}

fn is_item(line: &str) -> bool {
    if ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark)) {
        return true;
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (1..=3).contains(&digits) && [". ", ") "].iter().any(|mark| line[digits..].starts_with(mark))
}

/// The text with code, HTML, link destinations and double-quoted text replaced by blanks of the same length.
pub fn words(text: &PluginText<'_>) -> String {
    let mut bytes = text.text.as_bytes().to_vec();
    let mut blank = |span: Span| {
        for byte in &mut bytes[span.start..span.end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    };
    blank(Span::new(0, text.body.start));
    let outline = text.outline();
    for region in &outline.regions {
        if matches!(region.kind, RegionKind::CodeBlock | RegionKind::CodeSpan | RegionKind::Html) {
            blank(region.span);
        }
    }
    for link in outline.links.iter().filter(|link| link.destination_span != link.span) {
        blank(link.destination_span);
    }
    // Only whole characters were replaced, so the rest is still valid UTF-8.
    let plain = String::from_utf8(bytes).unwrap_or_default();
    without_quotations(plain)
}

/// Replaces text in double quotes by blanks, within one paragraph.
fn without_quotations(text: String) -> String {
    let mut bytes = text.into_bytes();
    let mut open: Option<(usize, &[u8])> = None;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"\n\n") {
            open = None;
        } else if let Some((start, close)) = open {
            if rest.starts_with(close) {
                for byte in &mut bytes[start..at] {
                    if *byte != b'\n' {
                        *byte = b' ';
                    }
                }
                open = None;
            }
        } else if rest.starts_with(b"\"") {
            open = Some((at + 1, b"\""));
        } else if rest.starts_with("“".as_bytes()) {
            open = Some((at + "“".len(), "”".as_bytes()));
        }
        at += 1;
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// The spans of the whole word `word`, given in lower case, in `text`; the search ignores case.
pub fn word_spans<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = Span> + 'a {
    let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.char_indices().filter_map(move |(at, _)| {
        let end = at + word.len();
        let here = text.get(at..end).is_some_and(|here| here.eq_ignore_ascii_case(word));
        let whole = here && !text[..at].ends_with(inside) && !text[end..].starts_with(inside);
        whole.then(|| Span::new(at, end))
    })
}

/// Whether `text` contains any of `words` as a whole word or phrase.
pub fn contains_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| word_spans(text, word).next().is_some())
}
