//! The anchors that links into a Markdown text can target: headings, and ids in HTML. The comparison ignores spelling
//! on which viewers disagree (hyphens, punctuation, case).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use camino::Utf8Path;

use crate::model::project::Project;
use crate::read::markdown::{self, RegionKind};
use crate::source::{Span, is_markdown};

/// The anchors of every Markdown text, computed lazily.
#[derive(Debug)]
pub struct Anchors<'a> {
    texts: BTreeMap<&'a str, MarkdownText<'a>>,
}

#[derive(Debug)]
struct MarkdownText<'a> {
    text: &'a str,
    /// The headings that are certain without a Markdown parser, normalized.
    lines: OnceLock<BTreeSet<String>>,
    places: OnceLock<TextAnchors>,
}

/// The anchors of one text.
#[derive(Debug, Default)]
pub struct TextAnchors {
    /// Normalized anchors.
    plain: BTreeSet<String>,
    /// The anchors as a link would spell them, in source order.
    pub shown: Vec<String>,
    /// Lines that would be headings if they were not part of an HTML block, by normalized anchor.
    swallowed: BTreeMap<String, Span>,
}

impl<'a> Anchors<'a> {
    /// Prepares the anchors of the texts of `project`.
    pub fn new(project: &'a Project) -> Self {
        let markdown = project.tree.files().filter(|file| is_markdown(&file.path));
        let texts = markdown.filter_map(|file| {
            let (lines, places) = (OnceLock::new(), OnceLock::new());
            Some((file.path.as_str(), MarkdownText { text: file.text()?, lines, places }))
        });
        Self { texts: texts.collect() }
    }

    /// The anchors of the text at `path`; `None` if there is no such Markdown text.
    pub fn get(&self, path: &Utf8Path) -> Option<&TextAnchors> {
        let text = self.texts.get(path.as_str())?;
        Some(text.places.get_or_init(|| TextAnchors::from_text(text.text)))
    }

    /// Whether a line of the text at `path` is certainly the heading that `anchor` targets. `false` means only that a
    /// parser is needed to tell.
    pub fn has_line(&self, path: &Utf8Path, anchor: &str) -> bool {
        let Some(text) = self.texts.get(path.as_str()) else { return false };
        let lines = text.lines.get_or_init(|| {
            // The rendered text of links, HTML, character references and markup differs from their source.
            let titles = markdown::sure_headings(text.text).into_iter();
            titles.filter(|title| !title.contains(['[', '<', '&', '{'])).map(plain_anchor).collect()
        });
        lines.contains(&plain_anchor(anchor))
    }
}

impl TextAnchors {
    fn from_text(text: &str) -> Self {
        let mut out = Self::default();
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let outline = markdown::outline(text, Span::new(0, text.len()));
        for heading in &outline.headings {
            let anchor = heading.anchor();
            let times = seen.entry(anchor.clone()).or_default();
            let numbered = if *times == 0 { anchor } else { format!("{anchor}-{times}") };
            *times += 1;
            // `## Title {#mark}` sets its own anchor.
            if let Some((title, mark)) = heading.text.rsplit_once("{#") {
                out.plain.insert(plain_anchor(mark));
                out.plain.insert(plain_anchor(title));
            }
            out.plain.insert(plain_anchor(&numbered));
            out.shown.push(numbered);
        }
        for region in outline.regions.iter().filter(|region| region.kind == RegionKind::Html) {
            out.add_swallowed(text, region.span);
        }
        for attribute in ["id=", "name="] {
            for (at, _) in text.match_indices(attribute) {
                let value = text[at + attribute.len()..].trim_start_matches(['"', '\'']);
                let end = value.find(['"', '\'', ' ', '>', '\n']).unwrap_or(value.len());
                out.plain.insert(plain_anchor(&value[..end]));
            }
        }
        out
    }

    /// Adds the lines of the HTML at `span` that would become headings after a blank line.
    fn add_swallowed(&mut self, text: &str, span: Span) {
        let mut at = span.start;
        for line in span.slice(text).split_inclusive('\n') {
            let start = at;
            at += line.len();
            let line = line.trim_end();
            let title = line.trim_start_matches('#');
            let level = line.len() - title.len();
            if (1..=6).contains(&level) && title.starts_with(' ') && !is_raw(&text[..start]) {
                self.swallowed.entry(plain_anchor(title)).or_insert(Span::new(start, start + line.len()));
            }
        }
    }

    /// The line that would be the heading `anchor` if it were not part of an HTML block.
    pub fn swallowed(&self, anchor: &str) -> Option<Span> {
        self.swallowed.get(&plain_anchor(anchor)).copied()
    }

    /// Whether a link can target `anchor`.
    pub fn contains(&self, anchor: &str) -> bool {
        self.plain.contains(&plain_anchor(anchor))
    }
}

/// Whether `before` leaves a comment open, or an element that only its end tag closes.
fn is_raw(before: &str) -> bool {
    let marks = [
        ("<!--", "-->"),
        ("<pre", "</pre"),
        ("<script", "</script"),
        ("<style", "</style"),
        ("<textarea", "</textarea"),
    ];
    marks.iter().any(|(open, close)| before.rfind(open) > before.rfind(close))
}

/// The part of an anchor on which all viewers agree: letters and digits, in lower case.
fn plain_anchor(anchor: &str) -> String {
    anchor.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
