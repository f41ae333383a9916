//! The structure of a Markdown text from one pass of the parser: regions, links with the range of their destination,
//! headings with their anchors, and code blocks.

use std::collections::BTreeMap;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::{Region, RegionKind};
use crate::source::Span;

/// What one pass over a Markdown text found; all spans are byte ranges of the whole text.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    /// Code, headings, links and raw HTML, in the order in which they start.
    pub regions: Vec<Region>,
    /// Links and images, in the order of the text.
    pub links: Vec<Link>,
    /// Headings, in the order of the text.
    pub headings: Vec<Heading>,
    /// Code blocks, in the order of the text.
    pub blocks: Vec<CodeBlock>,
}

/// A link or an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The whole link.
    pub span: Span,
    /// The range of the destination: in the link, or in the definition that a reference link names.
    pub destination_span: Span,
    /// The destination, with escapes resolved.
    pub destination: String,
    /// Whether it is an image.
    pub image: bool,
}

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// The whole heading, with its markers.
    pub span: Span,
    /// The level, 1 to 6.
    pub level: u8,
    /// Its text without markup.
    pub text: String,
}

/// A fenced or indented code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeBlock {
    /// The whole block, with its fences.
    pub span: Span,
    /// The info string after the opening fence; `None` for an indented block.
    pub info: Option<String>,
}

/// Reads the part `body` of `text`.
pub fn outline(text: &str, body: Span) -> Outline {
    let mut out = Outline::default();
    let mut heading: Option<Heading> = None;
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    let events = Parser::new_ext(body.slice(text), options).into_offset_iter();
    let defined: BTreeMap<String, Span> = events
        .reference_definitions()
        .iter()
        .map(|(name, found)| {
            (name.to_lowercase(), Span::new(found.span.start, found.span.end).shifted(body.start))
        })
        .collect();
    for (event, range) in events {
        let span = Span::new(range.start, range.end).shifted(body.start);
        let mut region = |kind| out.regions.push(Region { kind, span });
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                region(RegionKind::CodeBlock);
                let info = match kind {
                    CodeBlockKind::Fenced(info) => Some(info.to_string()),
                    CodeBlockKind::Indented => None,
                };
                out.blocks.push(CodeBlock { span, info });
            }
            Event::Start(Tag::Heading { level, .. }) => {
                region(RegionKind::Heading);
                heading = Some(Heading { span, level: level as u8, text: String::new() });
            }
            Event::End(TagEnd::Heading(_)) => out.headings.extend(heading.take()),
            Event::Start(Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. }) => {
                region(RegionKind::Html);
            }
            Event::Start(Tag::Link { dest_url, id, .. }) => {
                region(RegionKind::Link);
                out.links.push(link(text, span, &dest_url, defined.get(&id.to_lowercase()), false));
            }
            Event::Start(Tag::Image { dest_url, id, .. }) => {
                region(RegionKind::Link);
                out.links.push(link(text, span, &dest_url, defined.get(&id.to_lowercase()), true));
            }
            Event::Code(code) => {
                region(RegionKind::CodeSpan);
                if let Some(heading) = &mut heading {
                    heading.text.push_str(&code);
                }
            }
            Event::Text(part) => {
                if let Some(heading) = &mut heading {
                    heading.text.push_str(&part);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut heading {
                    heading.text.push(' ');
                }
            }
            Event::Html(_) | Event::InlineHtml(_) => region(RegionKind::Html),
            _ => {}
        }
    }
    out
}

fn link(text: &str, span: Span, destination: &CowStr<'_>, defined: Option<&Span>, image: bool) -> Link {
    // The parser gives no range for a destination. In a link it follows the last `](`, in a definition the first `]:`.
    let (within, opening) = defined.map_or((span, "]("), |defined| (*defined, "]:"));
    let whole = within.slice(text);
    let open = if defined.is_some() { whole.find(opening) } else { whole.rfind(opening) };
    let raw = open.and_then(|open| {
        let behind = &whole[open + 2..];
        let at = whole.len() - behind.trim_start_matches([' ', '\n', '<']).len();
        let rest = &whole[at..];
        let end = match whole[..at].ends_with('<') {
            true => rest.find('>'),
            false => rest.find(char::is_whitespace).or(match defined {
                Some(_) => Some(rest.len()),
                None => rest.len().checked_sub(1),
            }),
        };
        end.map(|end| Span::new(within.start + at, within.start + at + end))
    });
    Link { span, destination_span: raw.unwrap_or(span), destination: destination.to_string(), image }
}

impl Heading {
    /// The anchor that GitHub and most viewers generate for the heading, without the number that duplicates get.
    pub fn anchor(&self) -> String {
        let mut out = String::new();
        for c in self.text.trim().chars() {
            if c.is_alphanumeric() || c == '_' || c == '-' {
                out.extend(c.to_lowercase());
            } else if c.is_whitespace() {
                out.push('-');
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pass_finds_links_headings_and_blocks_with_their_places() {
        let text = "# A `b` c!\n\n[t](<p q.md> \"x\") ![i](i.png) [r][ref]\n\n```sh run\nx\n```\n\n[ref]: z.md#top\n";
        let outline = outline(text, Span::new(0, text.len()));
        let links: Vec<_> = outline
            .links
            .iter()
            .map(|link| (link.destination.as_str(), link.destination_span.slice(text), link.image))
            .collect();
        assert_eq!(
            links,
            [("p q.md", "p q.md", false), ("i.png", "i.png", true), ("z.md#top", "z.md#top", false)]
        );
        assert_eq!(outline.headings[0].anchor(), "a-b-c");
        assert_eq!(outline.blocks[0].info.as_deref(), Some("sh run"));
        assert_eq!(outline.regions, super::super::regions(text, Span::new(0, text.len())));
    }
}
