//! Every key of every `targets/*/target.toml` is described in `schemas/target.json`, which is generated
//! from the types and their comments.
//!
//! [`leaves`] is the seam for the other half of the promise, that every key is used: a test that flips
//! one leaf after the other and asks that some expected tree changes.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// Keys without a description. Folders that are not there have none.
pub fn undocumented(targets: &Path, schemas: &Path) -> Vec<String> {
    let mut folders: Vec<_> =
        fs::read_dir(targets).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let files: Vec<_> =
        folders.iter().map(|folder| folder.join("target.toml")).filter(|path| path.is_file()).collect();
    if files.is_empty() {
        return Vec::new();
    }
    let text = fs::read_to_string(schemas.join("target.json")).unwrap_or_default();
    let Ok(schema) = serde_json::from_str::<Value>(&text) else {
        return vec![
            "schemas/target.json: missing or no JSON: `plugcast schema target` prints it".to_owned(),
        ];
    };
    files.iter().flat_map(|path| undocumented_in(path, &schema)).collect()
}

fn undocumented_in(path: &Path, schema: &Value) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let place = path.components().rev().take(3).collect::<Vec<_>>();
    let place =
        place.iter().rev().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
    match text.parse::<toml::Table>() {
        Err(error) => vec![format!("{place}: {error}")],
        Ok(table) => {
            let mut found: Vec<String> = leaves(&toml::Value::Table(table))
                .into_iter()
                .filter_map(|(keys, _)| undescribed(&keys, schema))
                .map(|key| {
                    format!(
                        "{place}: `{key}` has no description: write a comment on its field in src/target.rs"
                    )
                })
                .collect();
            found.dedup();
            found
        }
    }
}

/// Every value that is not a table, with the keys that lead to it; a list counts by its items' tables.
pub fn leaves(value: &toml::Value) -> Vec<(Vec<String>, toml::Value)> {
    fn walk(value: &toml::Value, keys: &mut Vec<String>, found: &mut Vec<(Vec<String>, toml::Value)>) {
        match value {
            toml::Value::Table(table) => {
                for (key, value) in table {
                    keys.push(key.clone());
                    walk(value, keys, found);
                    keys.pop();
                }
            }
            toml::Value::Array(items) if items.iter().any(toml::Value::is_table) => {
                for (at, item) in items.iter().enumerate() {
                    keys.push(at.to_string());
                    walk(item, keys, found);
                    keys.pop();
                }
            }
            leaf => found.push((keys.clone(), leaf.clone())),
        }
    }
    let mut found = Vec::new();
    walk(value, &mut Vec::new(), &mut found);
    found
}

/// The first key on the way to a leaf that the schema does not describe.
fn undescribed(keys: &[String], schema: &Value) -> Option<String> {
    let mut at = schema;
    for (depth, key) in keys.iter().enumerate() {
        let Some((next, own)) = step(schema, at, key, 0) else { return Some(keys[..=depth].join(".")) };
        if own && !described(schema, next) {
            return Some(keys[..=depth].join("."));
        }
        at = next;
    }
    None
}

/// Follows one key; `true` when the key is a separate field and needs a description.
fn step<'a>(schema: &'a Value, at: &'a Value, key: &str, depth: usize) -> Option<(&'a Value, bool)> {
    if depth > 8 {
        return None;
    }
    if let Some(next) = at["properties"].get(key) {
        return Some((next, true));
    }
    if at["additionalProperties"] == true {
        // A document of the host's own: its keys are the host's, not ours.
        return Some((at, false));
    }
    if at["additionalProperties"].is_object() {
        return Some((&at["additionalProperties"], false));
    }
    if at["items"].is_object() && key.parse::<usize>().is_ok() {
        return Some((&at["items"], false));
    }
    if let Some(target) = at["$ref"].as_str().and_then(|path| path.strip_prefix('#')) {
        return step(schema, schema.pointer(target)?, key, depth + 1);
    }
    let parts = ["anyOf", "oneOf", "allOf"].iter().filter_map(|name| at[name].as_array()).flatten();
    parts.into_iter().find_map(|part| step(schema, part, key, depth + 1))
}

fn described(schema: &Value, at: &Value) -> bool {
    let says = |value: &Value| value["description"].as_str().is_some_and(|text| !text.trim().is_empty());
    let target = at["$ref"].as_str().and_then(|path| path.strip_prefix('#'));
    says(at) || target.and_then(|target| schema.pointer(target)).is_some_and(says)
}

#[test]
fn undocumented_keys_are_found() {
    let schema = serde_json::json!({
        "properties": {
            "skill": {"description": "Skills.", "$ref": "#/$defs/Skill"},
            "bare": {"type": "string"},
            "tools": {"description": "Tools.", "additionalProperties": {"$ref": "#/$defs/Tool"}},
        },
        "$defs": {
            "Skill": {"properties": {"path": {"description": "Where."}, "list": {"description": "x", "items": {"$ref": "#/$defs/Tool"}}}},
            "Tool": {"anyOf": [{"properties": {"name": {"description": "Its name."}, "note": {}}}]},
        },
    });
    let target = "bare = 1\nnew = 1\n[skill]\npath = 'x'\nlist = [{ name = 'a' }]\n[tools.Read]\nname = 'r'\nnote = 'n'\n";
    let tree = crate::support::tree::Tree::new()
        .file("targets/x/target.toml", target)
        .file("schemas/target.json", schema.to_string());
    let folder = tree.temporary();
    let found = undocumented(&folder.path().join("targets"), &folder.path().join("schemas"));
    assert_eq!(found.len(), 3, "{found:?}");
    for (sentence, key) in found.iter().zip(["bare", "new", "tools.Read.note"]) {
        assert!(
            sentence.starts_with(&format!("targets/x/target.toml: `{key}` has no description")),
            "{sentence}"
        );
    }
    assert!(
        undocumented(&folder.path().join("targets"), folder.path())[0].contains("plugcast schema target")
    );
}
