//! Classifies link destinations: most are URLs, some are placeholders, and the rest are paths in the plugin or anchors.

mod html_links;

use std::borrow::Cow;
use std::sync::OnceLock;

use memchr::{memchr_iter, memmem};
use percent_encoding::percent_decode_str;

use super::context::{PluginText, RuleContext};
use super::paths::{self, PathTarget};
use super::rules::{ROOT_RELATIVE_LINK, SKILL_BOUNDARY};
use crate::read::intent::stands_for_any;
use crate::read::markdown::destination_parts;
use crate::source::Span;

/// The prefixes of most URLs.
const ADDRESSES: [&str; 3] = ["https://", "http://", "mailto:"];

/// A link to a file or an anchor.
#[derive(Debug)]
pub struct LocalLink {
    /// The link.
    pub whole: Span,
    /// The span of its destination.
    pub destination: Span,
    /// The span of its path, without the anchor.
    pub span: Span,
    /// The decoded path; empty for an anchor in the same text.
    pub path: String,
    /// The decoded anchor, without `#`.
    pub anchor: Option<String>,
    leads: OnceLock<PathTarget>,
}

impl LocalLink {
    /// The target of its path, as seen from the containing `text`; looked up once.
    pub fn target(&self, context: &RuleContext<'_>, text: &PluginText<'_>) -> &PathTarget {
        self.leads.get_or_init(|| paths::resolve(context, text, &self.path))
    }
}

/// The links of `text` to files and anchors, if a component owns the text: URLs, placeholders and the links of
/// templates are left out.
///
/// Most texts contain only links that no rule reports. A scan of their bytes recognizes them, and their Markdown is not
/// parsed.
pub fn find(context: &RuleContext<'_>, text: &PluginText<'_>) -> Vec<LocalLink> {
    let counts = text.component.is_some() && text.is_markdown() && !text.is_example();
    if !counts || !may_matter(context, text) {
        return Vec::new();
    }
    let local = |whole: Span, destination: &str, place: Span| {
        let (path, anchor) = taken_apart(destination)?;
        let shown = place.slice(text.text);
        let length = shown.find(['#', '?']).unwrap_or(shown.len());
        Some(LocalLink {
            whole,
            destination: place,
            span: Span::new(place.start, place.start + length),
            path: path.into_owned(),
            anchor: anchor.map(Cow::into_owned),
            leads: OnceLock::new(),
        })
    };
    let outline = text.outline();
    let markdown = outline.links.iter();
    let mut links: Vec<LocalLink> =
        markdown.filter_map(|link| local(link.span, &link.destination, link.destination_span)).collect();
    if has_html_link(text.body.slice(text.text)) {
        let html = html_links::find(text.text, outline);
        links.extend(html.into_iter().filter_map(|(whole, place)| {
            // An anchor of HTML may name any element.
            local(whole, place.slice(text.text), place).filter(|link| !link.path.is_empty())
        }));
        links.sort_by_key(|link| link.whole);
    }
    links
}

/// Whether a text can contain a link or an image in HTML.
fn has_html_link(body: &str) -> bool {
    ["href=", "src="].iter().any(|name| memmem::find(body.as_bytes(), name.as_bytes()).is_some())
}

/// Whether a text can contain a link that a rule may report: one needs `](`, or a definition with `]:`.
fn may_matter(context: &RuleContext<'_>, text: &PluginText<'_>) -> bool {
    let body = text.body.slice(text.text);
    let bytes = body.as_bytes();
    let markdown = memchr_iter(b']', bytes).any(|at| match bytes.get(at + 1) {
        Some(b':') if !may_define(&body[..at]) => false,
        Some(b'(' | b':') => is_external(context, text, body[at + 2..].trim_start_matches(' ')),
        _ => false,
    });
    markdown || has_html_link(body)
}

/// Whether the line that ends with the label of a link definition can contain one. A label may start on an earlier
/// line; for a line too long to scan, the answer is yes, and the parser decides.
fn may_define(before: &str) -> bool {
    const LONG: usize = 1024;
    let near = &before[before.floor_char_boundary(before.len().saturating_sub(LONG))..];
    let line = match near.rsplit_once('\n') {
        Some((_, line)) => line,
        None if near.len() < before.len() => return true,
        None => near,
    };
    let start = line.trim_start_matches(|c: char| c.is_ascii_digit() || " \t>-*+.)".contains(c));
    start.starts_with('[') || !line.contains('[')
}

/// Whether the destination at the start of `rest` is anything but a URL, or an existing file and heading.
fn is_external(context: &RuleContext<'_>, text: &PluginText<'_>, rest: &str) -> bool {
    if ADDRESSES.iter().any(|scheme| rest.starts_with(scheme)) {
        return false;
    }
    let end = rest.find(|c: char| c == ')' || c.is_ascii_whitespace()).unwrap_or(rest.len());
    let destination = &rest[..end];
    // A Markdown parser may read any other character differently.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/#".contains(&byte);
    if destination.is_empty() || !destination.bytes().all(plain) {
        return true;
    }
    let Some((path, anchor)) = taken_apart(destination) else { return false };
    let there = match path.is_empty() {
        true => text.file.path.clone(),
        false => match paths::resolve(context, text, &path) {
            PathTarget::Inside { only_from_skill: true, .. }
                if context.settings.is_enabled(&ROOT_RELATIVE_LINK) =>
            {
                return true;
            }
            PathTarget::Outside(path)
                if !path.starts_with(&text.plugin.root) || context.settings.is_enabled(&SKILL_BOUNDARY) =>
            {
                return true;
            }
            PathTarget::Inside { path, .. } | PathTarget::Outside(path) => path,
            _ => return true,
        },
    };
    anchor.is_some_and(|anchor| !context.anchors().has_line(&there, &anchor))
}

/// Splits a destination into path and anchor; `None` for URLs and placeholders.
fn taken_apart(destination: &str) -> Option<(Cow<'_, str>, Option<Cow<'_, str>>)> {
    let (path, anchor) = destination_parts(destination);
    let (path, anchor) = (decoded(path), anchor.map(decoded));
    if path.is_empty() {
        return anchor.map(|anchor| (path, Some(anchor)));
    }
    let known = !path.starts_with(['/', '~', '@', '\\'])
        && !path.contains(|c: char| "{}<>$*|:\"`()".contains(c) || c == '\\')
        && !path.contains("...")
        && !path.contains('…');
    (known && !path.split('/').any(stands_for_any) && leads_to_a_file(&path)).then_some((path, anchor))
}

/// Whether a path looks like one: it has an extension, a trailing slash, or leading dots. `[i](x)` and `[title](link)`
/// do not.
fn leads_to_a_file(path: &str) -> bool {
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let ending = last.rsplit_once('.').map(|(stem, ending)| (stem, ending.len()));
    let file = ending.is_some_and(|(stem, length)| !stem.is_empty() && (1..=8).contains(&length));
    file || path.ends_with('/') || path.starts_with("./") || path.starts_with("../")
}

/// A percent-decoded destination; unchanged if the bytes are not valid text.
fn decoded(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8().unwrap_or(Cow::Borrowed(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_paths_and_places_and_leaves_addresses_and_placeholders() {
        for (destination, path, anchor) in [
            ("a/how%20to.md#top", "a/how to.md", Some("top")),
            ("references/", "references/", None),
            ("../b", "../b", None),
            ("#end", "", Some("end")),
            ("50%.md", "50%.md", None),
        ] {
            let (found, place) = taken_apart(destination).expect("a path");
            assert_eq!((&*found, place.as_deref()), (path, anchor));
        }
        for destination in [
            "https://e.org/x.md",
            "mailto:me@e.org",
            "app://home",
            "//e.org/x.md",
            "/docs/x.md",
            "URL",
            "event",
            "path/to/file.md",
            "{{link}}",
            "<x>",
            "$URL",
            "...",
            "@scope/x.md",
            "your-file.md",
        ] {
            assert!(taken_apart(destination).is_none(), "{destination}");
        }
    }
}
