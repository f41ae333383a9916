//! The regions of a Markdown text that matter when names in it are rewritten: code, headings, links and raw HTML, as
//! byte ranges. Everything outside them is prose.

mod destination;
mod fences;
mod info;
mod outline;
mod rows;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::source::Span;

pub use destination::destination_parts;
pub use fences::{sure_blocks, sure_headings, surely_closed};
pub use info::{block_language, language};
pub use outline::{CodeBlock, Heading, Link, Outline, outline};
pub use rows::{ListBlock, ListRow, rows};

/// What a region is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RegionKind {
    /// A fenced or indented code block, with its fences.
    CodeBlock,
    /// Inline code, with its backticks.
    CodeSpan,
    /// A heading, with its markers.
    Heading,
    /// A link or image, with its text; `[text](destination)`.
    Link,
    /// A URL or email address in angle brackets, or raw HTML.
    Html,
}

/// A byte range of the whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// What it is.
    pub kind: RegionKind,
    /// Its range.
    pub span: Span,
}

/// The regions of the part `body` of `text`, in the order in which they start.
pub fn regions(text: &str, body: Span) -> Vec<Region> {
    let mut out = Vec::new();
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut open = |kind, range: std::ops::Range<usize>| {
        out.push(Region { kind, span: Span::new(range.start, range.end).shifted(body.start) });
    };
    for (event, range) in Parser::new_ext(body.slice(text), options).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_)) => open(RegionKind::CodeBlock, range),
            Event::Start(Tag::Heading { .. }) => open(RegionKind::Heading, range),
            Event::Start(Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. }) => {
                open(RegionKind::Html, range)
            }
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => open(RegionKind::Link, range),
            Event::Code(_) => open(RegionKind::CodeSpan, range),
            Event::Html(_) | Event::InlineHtml(_) => open(RegionKind::Html, range),
            Event::End(TagEnd::CodeBlock) => {}
            _ => {}
        }
    }
    out
}

/// The innermost region that contains `offset`, among `regions` as [`regions`] returns them.
pub fn region_at(regions: &[Region], offset: usize) -> Option<RegionKind> {
    let after = regions.partition_point(|region| region.span.start <= offset);
    regions[..after]
        .iter()
        .rev()
        .take(64)
        .find(|region| region.span.contains(offset))
        .map(|region| region.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_ranges_of_the_whole_text() {
        let text = "---\n---\n# A `b`\n\nsee `x` and [t](p/q.md) <https://e.org>\n\n```sh\nrun\n```\n";
        let found: Vec<_> = regions(text, Span::new(8, text.len()))
            .into_iter()
            .map(|r| (r.kind, r.span.slice(text).trim_end()))
            .collect();
        assert_eq!(
            found,
            [
                (RegionKind::Heading, "# A `b`"),
                (RegionKind::CodeSpan, "`b`"),
                (RegionKind::CodeSpan, "`x`"),
                (RegionKind::Link, "[t](p/q.md)"),
                (RegionKind::Html, "<https://e.org>"),
                (RegionKind::CodeBlock, "```sh\nrun\n```"),
            ]
        );
        let regions = regions(text, Span::new(8, text.len()));
        assert_eq!(region_at(&regions, text.find("run").unwrap()), Some(RegionKind::CodeBlock));
        assert_eq!(region_at(&regions, text.find("b`").unwrap()), Some(RegionKind::CodeSpan));
        assert_eq!(region_at(&regions, text.find("see").unwrap()), None);
    }
}
