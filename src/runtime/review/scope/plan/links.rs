//! Finds the plans named in the description of a pull request: paths below `docs/plans/`, links labelled as a plan, and
//! lines that begin with `Plan:`.

use super::FOLDER;
use crate::order;
use crate::read::markdown::destination_parts;
use crate::source::is_markdown;

/// Extensions of documents.
const DOCUMENT_EXTENSIONS: [&str; 10] =
    [".md", ".markdown", ".mdx", ".txt", ".rst", ".adoc", ".org", ".html", ".htm", ".pdf"];
/// Words that say that a file is gone.
const REMOVED_WORDS: [&str; 8] =
    ["removed", "deleted", "dropped", "obsolete", "renamed", "moved", "superseded", "replaced"];

/// A plan that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlanLink {
    pub(super) path: String,
    /// Whether the text says that it is gone.
    pub(super) gone: bool,
    /// Whether it has the name of a document; other words may not be a plan, such as `Plan: later`.
    pub(super) is_document: bool,
    /// Its position in the text.
    at: usize,
}

/// The plans that a text names, without duplicates and in order, and the external addresses that it calls plans.
pub(super) fn find(text: &str) -> (Vec<PlanLink>, Vec<String>) {
    let mut found: Vec<PlanLink> = Vec::new();
    let mut elsewhere: Vec<String> = Vec::new();
    let mut named = |at: usize, target: &str, is_path: bool| match path_of(target) {
        LinkTarget::File { path, is_document } => {
            let is_document = is_document || is_path;
            found.push(PlanLink { path, gone: is_gone(text, at), is_document, at })
        }
        LinkTarget::WebPage => elsewhere.push(target.to_owned()),
        LinkTarget::None => {}
    };
    for (at, label, target) in links(text) {
        if says_plan(label) || target.contains(FOLDER) {
            named(at, target, false);
        }
    }
    for (at, target, is_path) in lines(text) {
        named(at, target, is_path);
    }
    let below = format!("{FOLDER}/");
    for (at, _) in text.match_indices(&below) {
        let rest = &text[at..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "-_./%".contains(c))).unwrap_or(rest.len());
        let path = decoded(rest[..end].trim_end_matches('.'));
        // A quoted or linked path was found above, including spaces in its name.
        if is_markdown(&path) && !path.contains("..") {
            found.push(PlanLink { path, gone: is_gone(text, at), is_document: true, at });
        }
    }
    order::sort_by_key(&mut found, |link| link.at);
    let mut once: Vec<PlanLink> = Vec::new();
    for link in found {
        if once.iter().all(|known| known.path != link.path) {
            once.push(link);
        }
    }
    elsewhere.dedup();
    (once, elsewhere)
}

/// The kind of a link target.
enum LinkTarget {
    /// A file of the repository, or a folder.
    File { path: String, is_document: bool },
    /// A page of the web.
    WebPage,
    /// Not a plan, such as an anchor in the same text.
    None,
}

fn path_of(target: &str) -> LinkTarget {
    let target = target.trim().trim_matches(['<', '>', '`', '"', '\'']).trim();
    let (bare, _) = destination_parts(target);
    let path = match bare.split_once("://") {
        // `https://HOST/OWNER/NAME/blob/REF/PATH`; for a ref with slashes, only the known folder marks the path.
        Some((_, rest)) => match (rest.find(&format!("{FOLDER}/")), rest.split_once("/blob/")) {
            (Some(at), _) => &rest[at..],
            (None, Some((_, rest))) => rest.split_once('/').map_or("", |(_, path)| path),
            (None, None) => return LinkTarget::WebPage,
        },
        None => {
            match bare.trim_start_matches("../").strip_prefix("blob/").and_then(|rest| rest.split_once('/')) {
                Some((_, path)) => path,
                None => bare.trim_start_matches('/').trim_start_matches("./"),
            }
        }
    };
    let path = decoded(path);
    let is_document = ends_as_document(&path);
    if path.is_empty() || path.contains(['\n', '\0']) {
        LinkTarget::None
    } else {
        LinkTarget::File { path, is_document }
    }
}

fn ends_as_document(path: &str) -> bool {
    DOCUMENT_EXTENSIONS.iter().any(|end| path.to_lowercase().ends_with(end))
}

/// A path with percent-encoded characters decoded.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|code| *first == b'%' && code.iter().all(u8::is_ascii_hexdigit));
        let code = code.and_then(|code| str::from_utf8(code).ok());
        let byte = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

/// The Markdown links of a text: position, label and target.
fn links(text: &str) -> Vec<(usize, &str, &str)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("](") {
        let label = text[..at].rfind('[').map_or("", |open| &text[open + 1..at]);
        let rest = &text[at + 2..];
        let target = match rest.trim_start().strip_prefix('<') {
            Some(rest) => rest.split(['>', '\n']).next(),
            None => rest.split([')', '\n']).next().map(|target| target.split(" \"").next().unwrap_or(target)),
        };
        found.extend(target.map(|target| (at, label, target)));
    }
    found
}

/// The targets of lines that begin with `Plan:`, with their positions: the quoted or bracketed text, else the first
/// word.
fn lines(text: &str) -> Vec<(usize, &str, bool)> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start_matches(|c: char| c.is_whitespace() || "-*>#_+".contains(c));
        let (key, value) = bare.split_once(':').unwrap_or_default();
        let is_label = key.chars().all(|c| c.is_alphanumeric() || " *_-".contains(c));
        let is_key = is_label && key.split_whitespace().count() <= 3 && says_plan(key);
        let value = value.trim_matches(|c: char| c.is_whitespace() || "*_".contains(c));
        // Links are already handled.
        if is_key && !value.starts_with('[') {
            let target = match value.chars().next() {
                Some('`') => value[1..].split('`').next(),
                Some('<') => value[1..].split('>').next(),
                Some('"') => value[1..].split('"').next(),
                _ if ends_as_document(value) && !value.contains(['(', ',']) => Some(value),
                // Before other words, only a path counts: `Plan: src first, then docs`.
                _ => {
                    let first = value.split_whitespace().next();
                    let first = first.map(|word| word.trim_end_matches(['.', ',', ';', ')']));
                    let is_alone = value.split_whitespace().nth(1).is_none();
                    first.filter(|word| is_alone || word.contains('/') || ends_as_document(word))
                }
            };
            // `Plan: docs/next-step` names a file, whatever its ending.
            let is_none = value.eq_ignore_ascii_case("n/a");
            let is_path =
                |target: &str| target == value && target.contains('/') && !target.contains("://") && !is_none;
            found.extend(target.map(|target| (at, target, is_path(target))));
        }
        at += line.len();
    }
    found
}

/// Whether a label contains the word plan, but not as a test or rollback plan.
fn says_plan(label: &str) -> bool {
    let any = |wanted: &[&str]| {
        let mut words = label.split(|c: char| !c.is_alphanumeric());
        words.any(|word| wanted.iter().any(|wanted| word.eq_ignore_ascii_case(wanted)))
    };
    any(&["plan", "plans"]) && !any(&["test", "testing", "rollback"])
}

/// Whether the sentence around a position says that something is gone.
fn is_gone(text: &str, at: usize) -> bool {
    let ends = ["\n", ". ", "! ", "? "];
    let begin = ends.iter().filter_map(|end| text[..at].rfind(end)).max().map_or(0, |at| at + 1);
    let end =
        ends.iter().filter_map(|end| text[at..].find(end)).min().map_or(text.len(), |length| at + length);
    let words = text[begin..end].split(|c: char| c.is_whitespace() || ",;:()".contains(c));
    words
        .filter(|word| !word.contains('/'))
        .any(|word| REMOVED_WORDS.iter().any(|gone| word.eq_ignore_ascii_case(gone)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        find(text).0.into_iter().map(|link| link.path).collect()
    }

    #[test]
    fn plans_are_found_in_texts() {
        let text = "See [it](https://x/blob/main/docs/plans/a-b.md), docs/plans/c.md. docs/plans/a-b.md docs/plans/../x.md";
        assert_eq!(names(text), ["docs/plans/a-b.md", "docs/plans/c.md"]);
        assert!(names("docs/plans/ and docs/plans/é").is_empty());
        for (text, wanted) in [
            ("[plan](docs/plans/a%20b.md)", "docs/plans/a b.md"),
            ("[it](<docs/plans/a b.md>)", "docs/plans/a b.md"),
            ("Plan: `docs/plans/a b.md`", "docs/plans/a b.md"),
            ("Plan: docs/plans/a b.md", "docs/plans/a b.md"),
            ("- **Plan:** specs/plan.md (second part)", "specs/plan.md"),
            ("[The plan](./specs/plan.md \"title\")", "specs/plan.md"),
            ("[plan](https://github.com/o/r/blob/main/specs/plan.md#goal)", "specs/plan.md"),
            ("Implementation plan: PLAN.md.", "PLAN.md"),
            ("Plan: PLAN", "PLAN"),
            ("Plan: specs/next (second part)", "specs/next"),
            ("[plan](docs/plan.html)", "docs/plan.html"),
        ] {
            assert_eq!(names(text), [wanted], "{text}");
        }
        for text in [
            "Plan: roll out slowly",
            "Plan: src first, then docs",
            "[explanation](a.md)",
            "[plan](#plan)",
            "[planning](x.md)",
            "Test plan: a.md",
        ] {
            assert!(names(text).is_empty(), "{text}");
        }
        assert_eq!(find("[plan](https://wiki.example/x)").1, ["https://wiki.example/x"]);
    }

    #[test]
    fn a_plan_that_a_text_says_is_gone_is_told_from_one_that_it_follows() {
        let gone = |text: &str| find(text).0.into_iter().map(|link| link.gone).collect::<Vec<bool>>();
        for text in [
            "We removed docs/plans/old.md",
            "docs/plans/a.md was renamed. Fine",
            "x\n- Deleted: docs/plans/a.md",
        ] {
            assert_eq!(gone(text), [true], "{text}");
        }
        for text in [
            "Plan: docs/plans/removed.md",
            "It was removed. Plan: docs/plans/a.md",
            "docs/plans/a.md\nremoved x",
        ] {
            assert_eq!(gone(text), [false], "{text}");
        }
    }
}
