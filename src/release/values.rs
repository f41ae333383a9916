//! Versions where they stand: the value in a JSON or TOML file, or a file that holds nothing else, with the
//! bytes that a fix replaces.

use toml::de::{DeTable, DeValue};

use crate::read::json;
use crate::read::tree::Node;
use crate::source::Span;

/// What a file says about the version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// The value, and its bytes without quotes.
    Version(String, Span),
    /// Nothing: the file has no such key, or leaves it to others.
    Nothing,
    /// The file cannot be read that way: where, and why.
    Fault(Span, String),
}

/// Where in a file a version stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum At {
    /// At a key such as `a.b`, or where a file of that name has it.
    Key(Option<String>),
    /// In the entry of that name in a marketplace.
    Entry(String),
}

/// The version in `text`, a file named `path`.
pub(super) fn find(path: &str, text: &str, at: &At) -> Found {
    let key = match at {
        At::Key(key) => key.as_deref(),
        At::Entry(name) => return in_entry(text, name),
    };
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "json" => in_json(text, key.unwrap_or("version")),
        "toml" => match key {
            Some(key) => in_toml(text, &[key]),
            None => in_toml(
                text,
                &["package.version", "project.version", "tool.poetry.version", "workspace.package.version"],
            ),
        },
        _ if key.is_none() => whole(text),
        ending => Found::Fault(
            Span::new(0, 0),
            format!("keys are known of `.json` and `.toml` files, not of `.{ending}`"),
        ),
    }
}

fn in_entry(text: &str, name: &str) -> Found {
    let (node, faults) = json::parse(text);
    let Some(node) = node else {
        let first = faults.into_iter().next();
        return first.map_or(Found::Nothing, |fault| Found::Fault(fault.span, fault.message));
    };
    let entries = node.get("plugins").and_then(Node::items).unwrap_or_default();
    let entry = entries.iter().find(|entry| entry.get("name").and_then(Node::as_str) == Some(name));
    entry.and_then(|entry| entry.get("version")).map_or(Found::Nothing, said)
}

fn said(value: &Node) -> Found {
    match value.as_str() {
        Some(version) => Found::Version(version.to_owned(), inner(value.span)),
        None => Found::Fault(value.span, format!("the version is {}, not text", value.kind())),
    }
}

fn in_json(text: &str, key: &str) -> Found {
    let (node, faults) = json::parse(text);
    let Some(node) = node else {
        let first = faults.into_iter().next();
        return first.map_or(Found::Nothing, |fault| Found::Fault(fault.span, fault.message));
    };
    // A key may hold dots itself, such as a path in the record of a release.
    let value = node.get(key).or_else(|| key.split('.').try_fold(&node, |node: &Node, part| node.get(part)));
    value.map_or(Found::Nothing, said)
}

fn in_toml(text: &str, keys: &[&str]) -> Found {
    let table = match DeTable::parse(text) {
        Ok(table) => table,
        Err(error) => {
            let range = error.span().unwrap_or(0..0);
            let message = error.message().lines().next().unwrap_or_default().to_owned();
            return Found::Fault(Span::new(range.start, range.end), format!("invalid TOML: {message}"));
        }
    };
    for key in keys {
        let parts: Vec<&str> = key.split('.').collect();
        let Some((last, folders)) = parts.split_last() else { continue };
        let mut at = table.get_ref();
        let mut there = true;
        for folder in folders {
            match at.get(*folder).map(toml::Spanned::get_ref) {
                Some(DeValue::Table(table)) => at = table,
                _ => there = false,
            }
        }
        let Some(value) = at.get(*last).filter(|_| there) else { continue };
        let span = Span::new(value.span().start, value.span().end);
        return match value.get_ref() {
            DeValue::String(version) => Found::Version(version.to_string(), inner(span)),
            // `version.workspace = true`, and what a build tool fills in.
            DeValue::Table(_) => Found::Nothing,
            _ => Found::Fault(span, "the version is not text".to_owned()),
        };
    }
    Found::Nothing
}

/// A file that holds a version and nothing else.
fn whole(text: &str) -> Found {
    let version = text.trim();
    let start = text.find(version).unwrap_or(0);
    let bare = version.trim_start_matches('v');
    if semver::Version::parse(bare).is_err() {
        let message = "it is no JSON, no TOML, and no single version, so where its version stands is unknown";
        return Found::Fault(Span::new(0, text.find('\n').unwrap_or(text.len())), message.to_owned());
    }
    let start = start + version.len() - bare.len();
    Found::Version(bare.to_owned(), Span::new(start, start + bare.len()))
}

/// A span without the quotes around it.
fn inner(span: Span) -> Span {
    Span::new(span.start + 1, span.end.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_with_their_bytes() {
        for (path, text, key) in [
            ("package.json", "{ \"name\": \"x\", \"version\": \"1.2.3\" }", None),
            ("a.json", "{ \".\": \"1.2.3\" }", Some(".")),
            ("a.json", "{ \"plugins/a.b\": \"1.2.3\" }", Some("plugins/a.b")),
            ("a.json", "{ \"a\": { \"b\": \"1.2.3\" } }", Some("a.b")),
            ("Cargo.toml", "[package]\nname = \"x\"\nversion = \"1.2.3\" # it\n", None),
            ("pyproject.toml", "[project]\nversion = '1.2.3'\n", None),
            ("pyproject.toml", "[tool.poetry]\nversion = \"1.2.3\"\n", None),
            (
                "Cargo.toml",
                "[package]\nversion.workspace = true\n[workspace.package]\nversion = \"9.9.9\"",
                Some("workspace.package.version"),
            ),
            ("VERSION", "v1.2.3\n", None),
        ] {
            match find(path, text, &At::Key(key.map(str::to_owned))) {
                Found::Version(version, span) => assert_eq!(span.of(text), version, "{path}"),
                other => panic!("{path}: {other:?}"),
            }
        }
        assert_eq!(
            find("Cargo.toml", "[package]\nversion.workspace = true\n", &At::Key(None)),
            Found::Nothing
        );
        assert_eq!(
            find("pyproject.toml", "[project]\ndynamic = [\"version\"]\n", &At::Key(None)),
            Found::Nothing
        );
        let entry =
            "{ \"plugins\": [ { \"name\": \"one\", \"version\": \"1.2.3\" }, { \"name\": \"two\" } ] }";
        let of = |name: &str| find("marketplace.json", entry, &At::Entry(name.to_owned()));
        assert!(matches!(of("one"), Found::Version(version, span) if span.of(entry) == version));
        assert_eq!(of("two"), Found::Nothing);
        for (path, text) in [
            ("a.json", "{ \"version\": 1 }"),
            ("a.json", "{"),
            ("a.toml", "[package\n"),
            ("a.toml", "[package]\nversion = 1\n"),
            ("notes.txt", "version one\n"),
        ] {
            assert!(matches!(find(path, text, &At::Key(None)), Found::Fault(..)), "{path} {text}");
        }
    }
}
