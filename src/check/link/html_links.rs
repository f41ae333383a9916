//! Links and images that a Markdown text writes in HTML: `<a href="…">` and `<img src="…">`.

use memchr::memmem;

use crate::read::markdown::{Outline, RegionKind};
use crate::source::Span;

/// The tags, each with its attribute.
const TAGS: [(&str, &str); 2] = [("<a", "href="), ("<img", "src=")];

/// Each tag with the range of its destination, in the order of the text.
pub(super) fn find(text: &str, outline: &Outline) -> Vec<(Span, Span)> {
    let mut out: Vec<(Span, Span)> = Vec::new();
    let html = outline.regions.iter().filter(|region| region.kind == RegionKind::Html);
    for region in html {
        // A tag may continue on the lines of the next regions.
        let rest = &text[region.span.start..];
        for at in memmem::find_iter(&rest.as_bytes()[..region.span.end - region.span.start], "<") {
            let start = region.span.start + at;
            let is_new = out.last().is_none_or(|(tag, _)| tag.end <= start);
            out.extend(tag_at(text, start).filter(|_| is_new && !is_in_comment(text, start)));
        }
    }
    out
}

/// Whether byte `at` is in a comment, which may have begun in an earlier region.
fn is_in_comment(text: &str, at: usize) -> bool {
    let before = &text[..at];
    before.rfind("<!--").is_some_and(|open| !before[open..].contains("-->"))
}

/// The tag at byte `start`, and the range of its destination.
fn tag_at(text: &str, start: usize) -> Option<(Span, Span)> {
    let rest = &text[start..];
    let (name, attribute) = TAGS.iter().find(|(name, _)| rest.starts_with(name))?;
    let end = rest.find('>')?;
    let inside = rest[..end].get(name.len()..)?;
    let at = memmem::find(inside.as_bytes(), attribute.as_bytes())?;
    let is_separate = inside.starts_with(|c: char| c.is_ascii_whitespace())
        && inside[..at].ends_with(|c: char| c.is_ascii_whitespace());
    let from = at + attribute.len();
    let value = &inside[from..];
    let quote = value.chars().next().filter(|quote| is_separate && matches!(quote, '"' | '\''))?;
    let length = value[1..].find(quote)?;
    let place = start + name.len() + from + 1;
    Some((Span::new(start, start + end + 1), Span::new(place, place + length)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::markdown;

    #[test]
    fn tags_are_read_outside_of_code_and_comments() {
        let text = "A <a class=\"x\" href=\"a.md\">link</a>, `<a href=\"no.md\">`.\n\n<p>\n<img\n  src='b.png' alt=\"\"></p>\n\n```html\n<img src=\"no.png\">\n```\n\n<abbr href=\"no.md\"><a data-href=\"no.md\"><a href=no.md>\n\n<!--\n<img src=\"no.png\">\n-->\n";
        let outline = markdown::outline(text, Span::new(0, text.len()));
        let found: Vec<&str> = find(text, &outline).into_iter().map(|(_, place)| place.slice(text)).collect();
        assert_eq!(found, ["a.md", "b.png"]);
    }
}
