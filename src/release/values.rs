//! Locates versions in files: the value in a JSON, YAML, TOML or XML file, a marked line, or a file that contains
//! nothing else, with the span that a fix replaces.

mod marks;
mod steps;
mod xml;

use toml::de::{DeTable, DeValue};

use super::found_version::FoundVersion;
use crate::read::tree::{MappingEntry, Node, Style, Value};
use crate::read::{json, yaml};
use crate::source::{Span, line_end};

/// The keys of package tools for the version in TOML.
const VERSION_KEYS: [&str; 4] =
    ["package.version", "project.version", "tool.poetry.version", "workspace.package.version"];

/// The location of a version in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum VersionLocation {
    /// At a key such as `a.b`, or at the usual key of a file of that name.
    Key(Option<String>),
    /// In the entry of that name in a marketplace.
    Entry(String),
    /// At the default key of release automation for a file of that name, and in marked lines.
    Usual,
    /// In marked lines.
    Marked,
    /// At a path such as `$.a[0].b` in JSON.
    Json(String),
    /// The same in YAML.
    Yaml(String),
    /// The same in TOML.
    Toml(String),
    /// At a path such as `/a/b` in XML.
    Xml(String),
}

/// The versions in `text`, a file named `path`; a single fault if there is none.
pub(super) fn find(path: &str, text: &str, at: &VersionLocation) -> Vec<FoundVersion> {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let found = match at {
        VersionLocation::Key(key) => vec![at_key(ending, text, key.as_deref())],
        VersionLocation::Entry(name) => vec![in_entry(text, name)],
        VersionLocation::Marked => marks::find(text),
        VersionLocation::Usual => default_versions(ending, text),
        VersionLocation::Json(steps) => {
            parsed(json::parse(text)).map_or_else(fault, |node| versions_at(text, &node, steps))
        }
        VersionLocation::Yaml(steps) => {
            in_yaml(text).map_or_else(fault, |node| versions_at(text, &node, steps))
        }
        VersionLocation::Toml(steps) => {
            in_toml(text).map_or_else(fault, |node| versions_at(text, &node, steps))
        }
        VersionLocation::Xml(path) => xml::find(text, path),
    };
    if found.is_empty() { vec![FoundVersion::Nothing] } else { found }
}

fn fault(found: FoundVersion) -> Vec<FoundVersion> {
    vec![found]
}

/// The name of the package that a file of a package tool describes, if it has one.
pub(super) fn package_name(path: &str, text: &str) -> Option<String> {
    if path.ends_with(".json") {
        return Some(json::parse(text).0?.get("name")?.as_str()?.to_owned());
    }
    let table: toml::Table = text.parse().ok()?;
    let named = |table: &toml::Value| Some(table.get("name")?.as_str()?.to_owned());
    let tool = || named(table.get("tool")?.get("poetry")?);
    ["package", "project"].iter().find_map(|key| named(table.get(*key)?)).or_else(tool)
}

/// The defaults of release automation: the key `version`, and marked lines.
fn default_versions(ending: &str, text: &str) -> Vec<FoundVersion> {
    let marked = marks::find(text);
    let keyed = match ending {
        "json" => find("", text, &VersionLocation::Json("$.version".to_owned())),
        "yaml" | "yml" => find("", text, &VersionLocation::Yaml("$.version".to_owned())),
        "toml" => find("", text, &VersionLocation::Toml("$.version".to_owned())),
        "xml" => find("", text, &VersionLocation::Xml("/*/version".to_owned())),
        _ if marked.is_empty() => vec![whole_file_version(text)],
        _ => Vec::new(),
    };
    let versions = keyed.into_iter().filter(|found| *found != FoundVersion::Nothing);
    versions.chain(marked).collect()
}

fn at_key(ending: &str, text: &str, key: Option<&str>) -> FoundVersion {
    match (ending, key) {
        ("json", key) => parsed(json::parse(text))
            .map_or_else(|fault| fault, |node| keyed(&node, key.unwrap_or("version"))),
        ("yaml" | "yml", Some(key)) => in_yaml(text).map_or_else(|fault| fault, |node| keyed(&node, key)),
        ("toml", Some(key)) => in_toml(text).map_or_else(|fault| fault, |node| in_tables(&node, &[key])),
        ("toml", None) => in_toml(text).map_or_else(|fault| fault, |node| in_tables(&node, &VERSION_KEYS)),
        (_, None) => whole_file_version(text),
        (ending, Some(_)) => FoundVersion::Fault(
            Span::new(0, 0),
            format!("keys are known of `.json`, `.yaml` and `.toml` files, not of `.{ending}`"),
        ),
    }
}

/// The value of `a.b` in `node`.
fn keyed(node: &Node, key: &str) -> FoundVersion {
    // A key may itself contain dots, such as a path in the record of a release.
    let value = node.get(key).or_else(|| key.split('.').try_fold(node, |node: &Node, part| node.get(part)));
    value.map_or(FoundVersion::Nothing, version_of)
}

/// The value of the first of `keys` that has a version.
fn in_tables(node: &Node, keys: &[&str]) -> FoundVersion {
    // `version.workspace = true` inherits the version.
    let is_table = |key: &&&str| {
        key.split('.')
            .try_fold(node, |node: &Node, part| node.get(part))
            .is_some_and(|node| matches!(node.value, Value::Map(_)))
    };
    let versions = keys.iter().filter(|key| !is_table(key)).map(|key| keyed(node, key));
    versions.into_iter().find(|found| *found != FoundVersion::Nothing).unwrap_or(FoundVersion::Nothing)
}

fn in_entry(text: &str, name: &str) -> FoundVersion {
    let node = match parsed(json::parse(text)) {
        Ok(node) => node,
        Err(fault) => return fault,
    };
    let entries = node.get("plugins").and_then(Node::items).unwrap_or_default();
    let entry = entries.iter().find(|entry| entry.get("name").and_then(Node::as_str) == Some(name));
    entry.and_then(|entry| entry.get("version")).map_or(FoundVersion::Nothing, version_of)
}

/// The version in `value`.
fn version_of(value: &Node) -> FoundVersion {
    match &value.value {
        Value::String(version) => FoundVersion::Version(version.clone(), span_in_quotes(value)),
        _ => FoundVersion::Fault(value.span, format!("the version is {}, not text", value.kind())),
    }
}

/// The versions in the values at a path.
fn versions_at(text: &str, node: &Node, path: &str) -> Vec<FoundVersion> {
    let values = match steps::resolve(node, path) {
        Ok(values) => values,
        Err(why) => return vec![FoundVersion::Fault(Span::new(0, 0), why)],
    };
    let of = |value: &Node| match &value.value {
        Value::String(_) => marks::version(text, span_in_quotes(value)).unwrap_or_else(|| {
            FoundVersion::Fault(value.span, format!("the value at `{path}` contains no version"))
        }),
        _ => FoundVersion::Fault(value.span, format!("the value at `{path}` is {}, not text", value.kind())),
    };
    values.into_iter().map(of).collect()
}

fn parsed((node, faults): (Option<Node>, Vec<crate::read::tree::ReadFault>)) -> Result<Node, FoundVersion> {
    let first = faults.into_iter().next();
    node.ok_or_else(|| {
        first.map_or(FoundVersion::Nothing, |fault| FoundVersion::Fault(fault.span, fault.message))
    })
}

fn in_yaml(text: &str) -> Result<Node, FoundVersion> {
    let (node, faults) = yaml::parse(text, Span::new(0, text.len()));
    match faults.into_iter().next() {
        Some(fault) => Err(FoundVersion::Fault(fault.span, format!("invalid YAML: {}", fault.message))),
        None => node.ok_or(FoundVersion::Nothing),
    }
}

fn in_toml(text: &str) -> Result<Node, FoundVersion> {
    let table = DeTable::parse(text).map_err(|error| {
        let range = error.span().unwrap_or(0..0);
        let message = error.message().lines().next().unwrap_or_default().to_owned();
        FoundVersion::Fault(Span::new(range.start, range.end), format!("invalid TOML: {message}"))
    })?;
    Ok(node_from_table(table.get_ref(), Span::new(0, text.len())))
}

fn node_from_table(table: &DeTable<'_>, span: Span) -> Node {
    let entry = |(key, value): (&toml::Spanned<std::borrow::Cow<'_, str>>, &toml::Spanned<DeValue<'_>>)| {
        MappingEntry {
            key: key.get_ref().to_string(),
            key_span: Span::new(key.span().start, key.span().end),
            node: node_from_value(value),
        }
    };
    Node { span, value: Value::Map(table.iter().map(entry).collect()), style: Style::Plain }
}

fn node_from_value(value: &toml::Spanned<DeValue<'_>>) -> Node {
    let span = Span::new(value.span().start, value.span().end);
    let value = match value.get_ref() {
        DeValue::Table(table) => return node_from_table(table, span),
        DeValue::Array(items) => Value::List(items.iter().map(node_from_value).collect()),
        DeValue::String(text) => {
            return Node { span, value: Value::String(text.to_string()), style: Style::Double };
        }
        DeValue::Boolean(value) => Value::Bool(*value),
        other => Value::Number(format!("{other:?}")),
    };
    Node { span, value, style: Style::Plain }
}

/// The version of a file that contains nothing else.
fn whole_file_version(text: &str) -> FoundVersion {
    let version = text.trim();
    let start = text.find(version).unwrap_or(0);
    let bare = version.trim_start_matches('v');
    if semver::Version::parse(bare).is_err() {
        let message =
            "cannot locate the version: no known key, no marked line, and the file is not a single version";
        return FoundVersion::Fault(Span::new(0, line_end(text, 0)), message.to_owned());
    }
    let start = start + version.len() - bare.len();
    FoundVersion::Version(bare.to_owned(), Span::new(start, start + bare.len()))
}

/// The span of a string without its quotes.
fn span_in_quotes(node: &Node) -> Span {
    match node.style {
        Style::Plain | Style::Block => node.span,
        Style::Single | Style::Double => Span::new(node.span.start + 1, node.span.end.saturating_sub(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(path: &str, text: &str, at: &VersionLocation) -> FoundVersion {
        let found = find(path, text, at);
        assert_eq!(found.len(), 1, "{found:?}");
        found.into_iter().next().unwrap()
    }

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
            match one(path, text, &VersionLocation::Key(key.map(str::to_owned))) {
                FoundVersion::Version(version, span) => assert_eq!(span.slice(text), version, "{path}"),
                other => panic!("{path}: {other:?}"),
            }
        }
        assert_eq!(
            one("Cargo.toml", "[package]\nversion.workspace = true\n", &VersionLocation::Key(None)),
            FoundVersion::Nothing
        );
        assert_eq!(
            one("pyproject.toml", "[project]\ndynamic = [\"version\"]\n", &VersionLocation::Key(None)),
            FoundVersion::Nothing
        );
        let entry =
            "{ \"plugins\": [ { \"name\": \"one\", \"version\": \"1.2.3\" }, { \"name\": \"two\" } ] }";
        let of = |name: &str| one("marketplace.json", entry, &VersionLocation::Entry(name.to_owned()));
        assert!(matches!(of("one"), FoundVersion::Version(version, span) if span.slice(entry) == version));
        assert_eq!(of("two"), FoundVersion::Nothing);
        for (path, text) in [
            ("a.json", "{ \"version\": 1 }"),
            ("a.json", "{"),
            ("a.toml", "[package\n"),
            ("a.toml", "[package]\nversion = 1\n"),
            ("notes.txt", "version one\n"),
        ] {
            assert!(
                matches!(one(path, text, &VersionLocation::Key(None)), FoundVersion::Fault(..)),
                "{path} {text}"
            );
        }
    }

    #[test]
    fn release_automation_looks_in_every_form() {
        let toml =
            "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n[[package]]\nname = \"b\"\nversion = '1.2.3'\n";
        let of = |text: &str| text.to_owned();
        for (path, text, at) in [
            ("a.json", "{ \"a\": [ { \"v\": \"demo@1.2.3\" } ] }", VersionLocation::Json(of("$.a[0].v"))),
            ("a.yaml", "a:\n  - v: v1.2.3 # here\n", VersionLocation::Yaml(of("$.a[0].v"))),
            ("a.yml", "version: \"1.2.3\"\n", VersionLocation::Usual),
            ("a.json", "{ \"version\": \"1.2.3\" }", VersionLocation::Usual),
            ("a.toml", "version = '1.2.3'\n", VersionLocation::Usual),
            ("a.xml", "<a><version>1.2.3</version></a>", VersionLocation::Usual),
            ("a.lock", toml, VersionLocation::Toml(of("$.package[?(@.name.value=='b')].version"))),
            ("a.xml", "<a b=\"1.2.3\"/>", VersionLocation::Xml(of("/a/@b"))),
            ("a.py", "V = '1.2.3' # x-release-please-version\n", VersionLocation::Marked),
            ("a.py", "V = '1.2.3' # x-release-please-version\n", VersionLocation::Usual),
            ("a.txt", "1.2.3\n", VersionLocation::Usual),
        ] {
            match one(path, text, &at) {
                FoundVersion::Version(version, span) => {
                    assert_eq!((version.as_str(), span.slice(text)), ("1.2.3", "1.2.3"))
                }
                other => panic!("{path}: {other:?}"),
            }
        }
        assert_eq!(
            find(
                "a.json",
                "{ \"version\": \"1.2.3\",\n \"x\": \"1.2.3 x-release-please-version\" }",
                &VersionLocation::Usual
            )
            .len(),
            2
        );
        for (text, at) in [
            ("{ \"v\": 1 }", VersionLocation::Json(of("$.v"))),
            ("{ \"v\": \"one\" }", VersionLocation::Json(of("$.v"))),
            ("{ \"v\": \"1.2.3\" }", VersionLocation::Json(of("$.v[1:2]"))),
            ("a: [\n", VersionLocation::Yaml(of("$.a"))),
            ("a = \n", VersionLocation::Toml(of("$.a"))),
        ] {
            assert!(matches!(one("x", text, &at), FoundVersion::Fault(..)), "{text}");
        }
        assert_eq!(one("x", "{}", &VersionLocation::Json(of("$.v"))), FoundVersion::Nothing);
        assert_eq!(one("x", "1.2.3", &VersionLocation::Marked), FoundVersion::Nothing);
    }
}
