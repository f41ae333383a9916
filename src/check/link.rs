//! What the destination of a link means: most are addresses, some stand for any, and what remains is a
//! path in the plugin or a place in a text.

use std::borrow::Cow;
use std::sync::OnceLock;

use memchr::memchr_iter;
use percent_encoding::percent_decode_str;

use super::context::{PluginText, RuleContext};
use super::paths::{self, PathTarget};
use super::rules::{ROOT_RELATIVE_LINK, SKILL_BOUNDARY};
use crate::read::intent::stands_for_any;
use crate::read::markdown::destination_parts;
use crate::source::Span;

/// How most addresses begin.
const ADDRESSES: [&str; 3] = ["https://", "http://", "mailto:"];

/// A link that leads to a file or a place.
#[derive(Debug)]
pub struct LocalLink {
    /// The link.
    pub whole: Span,
    /// Where its destination stands.
    pub destination: Span,
    /// Where its path stands, without the anchor.
    pub span: Span,
    /// The path, decoded; empty for a place in the same text.
    pub path: String,
    /// The place in the file, decoded, without `#`.
    pub anchor: Option<String>,
    leads: OnceLock<PathTarget>,
}

impl LocalLink {
    /// Where its path leads from `text`, which holds it; looked up once.
    pub fn leads(&self, context: &RuleContext<'_>, text: &PluginText<'_>) -> &PathTarget {
        self.leads.get_or_init(|| paths::leads(context, text, &self.path))
    }
}

/// The links of `text` that lead to a file or a place, where a component owns the text: addresses,
/// placeholders and the links of templates are left out.
///
/// Most texts hold only links of which no rule has anything to say. Those are told by their bytes, and the Markdown of such
/// a text is not parsed.
pub fn find(context: &RuleContext<'_>, text: &PluginText<'_>) -> Vec<LocalLink> {
    let counts = text.component.is_some() && text.is_markdown() && !text.is_example();
    if !counts || !may_matter(context, text) {
        return Vec::new();
    }
    let links = text.outline().links.iter().filter_map(|link| {
        let (path, anchor) = taken_apart(&link.destination)?;
        let shown = link.destination_span.slice(text.text);
        let length = shown.find(['#', '?']).unwrap_or(shown.len());
        Some(LocalLink {
            whole: link.span,
            destination: link.destination_span,
            span: Span::new(link.destination_span.start, link.destination_span.start + length),
            path: path.into_owned(),
            anchor: anchor.map(Cow::into_owned),
            leads: OnceLock::new(),
        })
    });
    links.collect()
}

/// Whether a text can hold a link of which a rule has something to say: one needs `](`, or a definition with `]:`.
fn may_matter(context: &RuleContext<'_>, text: &PluginText<'_>) -> bool {
    let body = text.body.slice(text.text);
    let bytes = body.as_bytes();
    memchr_iter(b']', bytes).any(|at| match bytes.get(at + 1) {
        Some(b':') if !may_define(&body[..at]) => false,
        Some(b'(' | b':') => leads_away(context, text, body[at + 2..].trim_start_matches(' ')),
        _ => false,
    })
}

/// Whether the line that ends with the label of a definition can hold one. A label may begin on a line before, and of a line
/// that is too long for this look a parser must tell.
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

/// Whether what follows the opening of a destination leads anywhere but to an address, or to a file and a heading that are
/// there.
fn leads_away(context: &RuleContext<'_>, text: &PluginText<'_>, rest: &str) -> bool {
    if ADDRESSES.iter().any(|scheme| rest.starts_with(scheme)) {
        return false;
    }
    let end = rest.find(|c: char| c == ')' || c.is_ascii_whitespace()).unwrap_or(rest.len());
    let destination = &rest[..end];
    // Anything else may mean another path to a reader of Markdown.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/#".contains(&byte);
    if destination.is_empty() || !destination.bytes().all(plain) {
        return true;
    }
    let Some((path, anchor)) = taken_apart(destination) else { return false };
    let there = match path.is_empty() {
        true => text.file.path.clone(),
        false => match paths::leads(context, text, &path) {
            PathTarget::Here { only_from_skill: true, .. } if context.settings.is_on(&ROOT_RELATIVE_LINK) => {
                return true;
            }
            PathTarget::Away(path)
                if !path.starts_with(&text.plugin.root) || context.settings.is_on(&SKILL_BOUNDARY) =>
            {
                return true;
            }
            PathTarget::Here { path, .. } | PathTarget::Away(path) => path,
            _ => return true,
        },
    };
    anchor.is_some_and(|anchor| !context.anchors().has_line(&there, &anchor))
}

/// The path and the anchor of a destination; `None` for what leads out of the plugin or stands for any.
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

/// Whether a path has the form of one: an ending, a slash at its end, or dots at its start. `[i](x)` and
/// `[title](link)` are none.
fn leads_to_a_file(path: &str) -> bool {
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let ending = last.rsplit_once('.').map(|(stem, ending)| (stem, ending.len()));
    let file = ending.is_some_and(|(stem, length)| !stem.is_empty() && (1..=8).contains(&length));
    file || path.ends_with('/') || path.starts_with("./") || path.starts_with("../")
}

/// A destination without percent signs for bytes; as it is where that gives no text.
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
