//! Findings as SARIF 2.1.0, for services that show them next to the code. Every run lists every rule in the same order,
//! so that the results of several shards can be concatenated.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use crate::check::rule::Rule;
use crate::check::rules::RULES;
use crate::check::scope::Shard;
use crate::diagnostic::{Applicability, Diagnostic, Fix, RelatedPlace, Severity};
use crate::model::project::Project;
use crate::source::Position;

/// The name under which results carry their fingerprint.
const FINGERPRINT: &str = "plugcastFinding/v1";

/// The characters to escape in a relative URI reference.
const ESCAPED_CHARACTERS: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The context of a log besides its findings.
#[derive(Debug, Clone, Copy)]
pub struct SarifLog<'a> {
    /// The source, for places of fixes.
    pub project: &'a Project,
    /// The path of SRC below the folder to which paths are relative; empty if it is that folder.
    pub prefix: &'a str,
    /// The shard, if the run covers only one.
    pub shard: Option<Shard>,
}

/// The whole log.
pub fn log(found: &[Diagnostic], log: SarifLog<'_>) -> Value {
    let part = log.shard.map_or(String::new(), |shard| format!("{}-of-{}/", shard.number, shard.total));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "plugcast",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": RULES.iter().map(rule).collect::<Vec<_>>(),
            }},
            "automationDetails": { "id": format!("plugcast/{part}") },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { "SRCROOT": {
                "description": { "text": "the top of the repository, or SRC outside of one" },
            }},
            "invocations": [{ "executionSuccessful": true }],
            "results": found.iter().map(|found| result(found, log)).collect::<Vec<_>>(),
        }],
    })
}

fn rule(rule: &Rule) -> Value {
    let what = section(rule.page, "## What it does").unwrap_or_default();
    json!({
        "id": rule.name,
        "shortDescription": { "text": rule.summary },
        "fullDescription": { "text": what },
        "help": { "text": rule.page.trim(), "markdown": rule.page.trim() },
        "defaultConfiguration": { "enabled": rule.group.is_default(), "level": level(rule.severity) },
        "properties": { "tags": [rule.group.id()] },
    })
}

/// The text below a heading of a page, up to the next one, in one line.
fn section(page: &str, heading: &str) -> Option<String> {
    let (_, rest) = page.split_once(heading)?;
    let text = rest.split("\n## ").next()?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn result(found: &Diagnostic, log: SarifLog<'_>) -> Value {
    let help = found.help.as_ref().map_or(String::new(), |help| format!("\nhelp: {help}"));
    let whole = (found.end_line, found.end_column) == (1, 1);
    let ends = (!whole).then_some((found.end_line, found.end_column));
    let mut out = Map::new();
    out.insert("ruleId".into(), found.rule.as_str().into());
    if let Some(at) = RULES.iter().position(|rule| rule.id() == found.rule) {
        out.insert("ruleIndex".into(), at.into());
    }
    out.insert("level".into(), level(found.severity).into());
    out.insert("message".into(), json!({ "text": format!("{}{help}", found.message) }));
    let place = physical(&found.path, log, region((found.line, found.column), ends));
    out.insert("locations".into(), json!([{ "physicalLocation": place }]));
    if !found.related.is_empty() {
        let related = found.related.iter().enumerate().map(|(at, place)| related_location(at, place, log));
        out.insert("relatedLocations".into(), related.collect());
    }
    if let Some(fingerprint) = &found.fingerprint {
        out.insert("partialFingerprints".into(), json!({ FINGERPRINT: fingerprint }));
    }
    let fix = found.fix.as_ref().filter(|fix| fix.applicability != Applicability::Display);
    if let Some(fix) = fix.and_then(|fix| changes(fix, log)) {
        let text = found.help.clone().unwrap_or_else(|| "take the finding away".to_owned());
        out.insert("fixes".into(), json!([{ "description": { "text": text }, "artifactChanges": fix }]));
    }
    if !found.hosts.is_empty() {
        out.insert("properties".into(), json!({ "hosts": found.hosts }));
    }
    Value::Object(out)
}

fn related_location(at: usize, place: &RelatedPlace, log: SarifLog<'_>) -> Value {
    json!({
        "id": at,
        "message": { "text": place.message },
        "physicalLocation": physical(&place.path, log, region((place.line, place.column), place.end)),
    })
}

fn physical(path: &str, log: SarifLog<'_>, region: Value) -> Value {
    json!({ "artifactLocation": artifact(path, log), "region": region })
}

fn artifact(path: &str, log: SarifLog<'_>) -> Value {
    let path = if path == "." { "" } else { path };
    let whole = match (log.prefix, path) {
        ("", path) => path.to_owned(),
        (prefix, "") => prefix.to_owned(),
        (prefix, path) => format!("{prefix}/{path}"),
    };
    let whole = if whole.is_empty() { "./".to_owned() } else { encoded(&whole) };
    json!({ "uri": whole, "uriBaseId": "SRCROOT" })
}

fn region((line, column): (usize, usize), ends: Option<(usize, usize)>) -> Value {
    match ends {
        None => json!({ "startLine": line }),
        Some((end_line, end_column)) => json!({
            "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column,
        }),
    }
}

/// The file changes of a fix; `None` if one of its places cannot be found.
fn changes(fix: &Fix, log: SarifLog<'_>) -> Option<Value> {
    let mut paths: Vec<&str> = fix.edits.iter().map(|edit| edit.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    let mut out = Vec::new();
    for path in paths {
        let file = log.project.tree.get(path)?;
        file.text()?;
        let replacements = fix.edits.iter().filter(|edit| edit.path == path).map(|edit| {
            let place = |offset| {
                let Position { line, column } = file.position(offset);
                (line, column)
            };
            json!({
                "deletedRegion": region(place(edit.start), Some(place(edit.end))),
                "insertedContent": { "text": edit.replacement },
            })
        });
        out.push(json!({
            "artifactLocation": artifact(path, log), "replacements": replacements.collect::<Vec<_>>(),
        }));
    }
    (!out.is_empty()).then_some(Value::Array(out))
}

/// A path as a relative reference of a URI.
fn encoded(path: &str) -> String {
    utf8_percent_encode(path, ESCAPED_CHARACTERS).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_relative_references() {
        assert_eq!(encoded("skills/a b/ü:#%.md"), "skills/a%20b/%C3%BC%3A%23%25.md");
        assert_eq!(
            section("# a\n\n## What it does\n\none\ntwo\n\n## Why\n", "## What it does").unwrap(),
            "one two"
        );
    }
}
