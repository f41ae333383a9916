//! The schemas of every JSON document are generated from the types, closed, and checked in:
//! `schemas/NAME.json` is what `plugcast schema NAME` prints. Those of the helper begin with `rt.`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::support::run::Plugcast;
use crate::support::tree::Tree;
use crate::support::{bless, none_left, print_line, root};

#[test]
fn checked_in_schemas_are_fresh() {
    let generated = generated();
    assert!(!generated.is_empty(), "`plugcast schema --list` names no schema");
    let folder = root().join("schemas");
    if bless() {
        print_line("rewriting schemas");
        rewrite(&folder, &generated);
    }
    none_left("schemas (PLUGCAST_BLESS=1 rewrites them)", &stale(&folder, &generated));
}

#[test]
fn every_object_of_a_schema_is_closed() {
    let mut findings = Vec::new();
    for (name, text) in generated() {
        match serde_json::from_str::<Value>(&text) {
            Err(error) => findings.push(format!("{name}: no JSON: {error}")),
            Ok(schema) => {
                if jsonschema::validator_for(&schema).is_err() {
                    findings.push(format!("{name}: no JSON schema"));
                }
                open(&schema, &name, &mut findings);
            }
        }
    }
    none_left("schemas that let unknown keys through (add `#[serde(deny_unknown_fields)]`)", &findings);
}

/// What `plugcast schema` prints, by name, and the shapes of the helper's answers and errors.
fn generated() -> BTreeMap<String, String> {
    let folder = Tree::new().temporary();
    let run = |arguments: &[&str]| Plugcast::new(folder.path(), arguments).run().expect_code(0).stdout;
    let names = run(&["schema", "--list"]);
    let helper = schemars::schema_for!(plugcast::runtime::answer::ErrorResponse);
    let helper = plugcast::emit::json::to_string(&helper);
    let printed = names.lines().map(|name| (name.to_owned(), run(&["schema", name])));
    let answers = &plugcast::runtime::published::COMMANDS;
    let answers = answers.iter().map(|row| (row.name(), plugcast::emit::json::to_string(&row.schema())));
    printed.chain([("rt.error".to_owned(), helper)]).chain(answers).collect()
}

fn rewrite(folder: &Path, generated: &BTreeMap<String, String>) {
    if folder.exists() {
        std::fs::remove_dir_all(folder).expect("the old schemas can be removed");
    }
    let tree =
        generated.iter().fold(Tree::new(), |tree, (name, text)| tree.file(&format!("{name}.json"), text));
    tree.write(folder);
}

fn stale(folder: &Path, generated: &BTreeMap<String, String>) -> Vec<String> {
    let found = if folder.is_dir() { Tree::read(folder) } else { Tree::new() };
    let mut findings = Vec::new();
    for (name, text) in generated {
        match found.get(&format!("{name}.json")) {
            None => findings.push(format!("schemas/{name}.json: missing")),
            Some(entry) if entry.text() != *text => findings.push(format!("schemas/{name}.json: stale")),
            Some(_) => {}
        }
    }
    let known = |path: &str| path.strip_suffix(".json").is_some_and(|name| generated.contains_key(name));
    let extra = found.entries().filter(|(path, _)| !known(path));
    findings
        .extend(extra.map(|(path, _)| format!("schemas/{path}: `plugcast schema --list` does not name it")));
    findings
}

/// Objects with listed properties that accept other keys, too.
fn open(schema: &Value, place: &str, findings: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match schema {
        Value::Object(object) => {
            object.iter().map(|(key, value)| (format!("{place}/{key}"), value)).collect()
        }
        Value::Array(items) => {
            items.iter().enumerate().map(|(at, value)| (format!("{place}/{at}"), value)).collect()
        }
        _ => Vec::new(),
    };
    if schema["properties"].is_object() && schema.get("additionalProperties").is_none() {
        findings.push(format!("{place}: open"));
    }
    for (place, child) in children {
        open(child, &place, findings);
    }
}

#[test]
fn stale_missing_and_extra_schemas_are_found() {
    let folder = Tree::new().file("a.json", "{}").file("old.json", "{}").temporary();
    let generated = BTreeMap::from([("a".to_owned(), "{ }".to_owned()), ("b".to_owned(), "{}".to_owned())]);
    let found = stale(folder.path(), &generated).join("\n");
    for part in ["a.json: stale", "b.json: missing", "old.json: `plugcast schema --list`"] {
        assert!(found.contains(part), "`{part}` is missing in {found}");
    }
    rewrite(folder.path(), &generated);
    assert!(stale(folder.path(), &generated).is_empty());
    let mut findings = Vec::new();
    open(&serde_json::json!({"$defs": {"row": {"properties": {"id": {}}}}}), "ledger", &mut findings);
    assert_eq!(findings, ["ledger/$defs/row: open"]);
}
