//! Texts that declare themselves copies: a comment `copy of NAME-OR-PATH`, in HTML or in the language of the file. The
//! declaring line is not part of the copy.

use memchr::memmem;

use super::context::PluginText;
use crate::read::path_words::leading_path;
use crate::source::{Span, line_end, line_start};

/// One declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyDeclaration<'t> {
    /// The comment's bytes.
    pub span: Span,
    /// The original, as written.
    pub of: &'t str,
}

const MARKER: &str = "copy of ";

/// Comment openers, longest first.
const MARKS: [&str; 6] = ["<!--", "//", "/*", "#", "--", "*"];

/// The originals that `text` declares to copy.
pub fn declared<'t>(text: &PluginText<'t>) -> Vec<CopyDeclaration<'t>> {
    in_text(text.text)
}

/// The declarations in `text`, in source order.
pub fn in_text(text: &str) -> Vec<CopyDeclaration<'_>> {
    let found = memmem::find_iter(text.as_bytes(), MARKER).filter_map(|at| {
        let line = line_at(text, at);
        let shown = line.slice(text).trim();
        let mark = MARKS.iter().find(|mark| shown.starts_with(**mark))?;
        // Words before "copy of" may only qualify how exact the copy is.
        let start = line.start + line.slice(text).find(shown)?;
        let before = text[start + mark.len()..at].trim().to_lowercase();
        let exact = before.split([' ', '-']).all(|word| {
            matches!(
                word,
                "" | "a" | "an" | "exact" | "identical" | "byte" | "verbatim" | "this" | "is" | "keep" | "as"
            )
        });
        let rest = text[at + MARKER.len()..line.end].trim_start_matches(['`', '"', '\'']);
        let of = leading_path(rest);
        (exact && !of.is_empty())
            .then_some(CopyDeclaration { span: Span::new(start, start + shown.len()), of })
    });
    found.collect()
}

/// The first line of `other` that `text` does not share, not counting lines that declare a copy; `None` if nothing else
/// differs.
pub fn difference(text: &str, other: &str) -> Option<Span> {
    let lines = |text: &str| {
        let mut at = 0;
        let spans = text.split_inclusive('\n').map(|line| {
            at += line.len();
            Span::new(at - line.len(), at - line.len() + line.trim_end().len())
        });
        let spans: Vec<Span> = spans.collect();
        spans.into_iter().filter(|span| !declares(span.slice(text))).collect::<Vec<_>>()
    };
    let (own, others) = (lines(text), lines(other));
    let differs = own.iter().zip(&others).position(|(a, b)| a.slice(text) != b.slice(other));
    match differs {
        Some(at) => Some(others[at]),
        None if own.len() == others.len() => None,
        None => Some(others.get(own.len()).or(others.last()).copied().unwrap_or_default()),
    }
}

fn declares(line: &str) -> bool {
    line.contains(MARKER) && MARKS.iter().any(|mark| line.trim_start().starts_with(mark))
}

fn line_at(text: &str, at: usize) -> Span {
    let start = line_start(text, at);
    Span::new(start, line_end(text, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_declares_does_not_count_as_a_difference() {
        assert_eq!(difference("<!-- copy of a -->\nx\ny\n", "x\ny\n"), None);
        let other = "x\nz\n";
        assert_eq!(difference("# copy of a\nx\ny\n", other).unwrap().slice(other), "z");
        assert_eq!(difference("x\n", other).unwrap().slice(other), "z");
        assert!(difference("a copy of x\n", "y\n").is_some());
    }
}
