//! The way back: every file of a bundle is listed, unchanged since, and comes from the source or is
//! declared as generated; and every place that a row names is there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::ledger::Ledger;
use crate::support::tree::{Entry, Tree, digest};

/// The plugins that a bundle holds.
pub fn plugin_names(bundle: &Path) -> Vec<String> {
    let entries = fs::read_dir(bundle.join("plugins")).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// What is wrong with a bundle's files.
pub fn violations(source: &Path, bundle: &Path, ledger: &Ledger) -> Vec<String> {
    let document = |name: &str| -> Value {
        let text = fs::read_to_string(bundle.join(".plugcast").join(name)).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    };
    let (manifest, sourcemap) = (document("manifest.json"), document("sourcemap.json"));
    let tree = Tree::read(bundle);
    let mapped: BTreeMap<&str, &Value> =
        items(&sourcemap, "files").map(|file| (text(file, "path"), file)).collect();
    let mut found = Vec::new();
    let mut listed = BTreeSet::new();
    for file in items(&manifest, "files") {
        let path = text(file, "path");
        listed.insert(path);
        match tree.get(path) {
            Some(Entry::File { content, mode }) => {
                if text(file, "sha256") != digest(content) || file["size"] != content.len() {
                    found.push(format!("{path}: size or sha256 differ from the manifest's"));
                }
                if text(file, "mode") != format!("{mode:04o}") {
                    found
                        .push(format!("{path}: mode {mode:04o}, but {} in the manifest", text(file, "mode")));
                }
                found.extend(origin(source, file, content, mapped.get(path).copied()));
            }
            _ => found.push(format!("{path}: in the manifest, but no regular file in the bundle")),
        }
    }
    if !whole_digests(&manifest).contains(&text(&manifest, "digest").to_owned()) {
        found.push("manifest.json: the digest is not that of `files`".to_owned());
    }
    listed.extend(items(&manifest, "helpers").map(|helper| text(helper, "path")));
    let own = |path: &&str| path.starts_with(".plugcast/") || listed.contains(path);
    found.extend(
        tree.entries()
            .map(|(path, _)| path)
            .filter(|path| !own(path))
            .map(|path| format!("{path}: not in the manifest")),
    );
    found.extend(ledger.rows().filter_map(|row| lost_place(source, &tree, row)));
    found
}

/// Where the bytes of an emitted file come from.
fn origin(source: &Path, file: &Value, content: &[u8], mapped: Option<&Value>) -> Option<String> {
    let path = text(file, "path");
    let Some(from) = file["from"].as_str() else {
        let declared = mapped.is_some_and(|mapped| mapped["from"].is_null());
        return (!declared)
            .then(|| format!("{path}: has no `from` and the source map does not declare it as generated"));
    };
    let Ok(original) = fs::read(source.join(from)) else {
        return Some(format!("{path}: comes from `{from}`, which is not in the source"));
    };
    if original == content {
        return None;
    }
    let Some(mapped) = mapped else {
        return Some(format!("{path}: differs from `{from}`, and the source map does not say where"));
    };
    (outside_edits(mapped, &original, content).is_none())
        .then(|| format!("{path}: differs from `{from}` outside the edits of the source map"))
}

/// `Some` when source and emitted bytes are the same outside every declared edit.
fn outside_edits(mapped: &Value, original: &[u8], emitted: &[u8]) -> Option<()> {
    let (mut at_source, mut at_emitted) = (0, 0);
    for edit in items(mapped, "edits") {
        let edge = |side: &str, edge: &str| edit[side][edge].as_u64().map(|edge| edge as usize);
        let before = original.get(at_source..edge("source", "start")?)?;
        if before != emitted.get(at_emitted..edge("emitted", "start")?)? {
            return None;
        }
        (at_source, at_emitted) = (edge("source", "end")?, edge("emitted", "end")?);
    }
    (original.get(at_source..)? == emitted.get(at_emitted..)?).then_some(())
}

/// A row of a kept or mapped file or component that names a place which is not there, or a kept file
/// whose bytes are not the source's.
fn lost_place(source: &Path, tree: &Tree, row: &Value) -> Option<String> {
    let outcome = text(row, "outcome");
    let placed = ["file", "skill", "agent", "command", "output-style", "executable", "hook", "mcp-server"];
    if !matches!(outcome, "kept" | "mapped") || !placed.contains(&text(row, "kind")) {
        return None;
    }
    let Some(to) = row["to"].as_str() else {
        return Some(format!("row `{}`: {outcome}, but without `to`", text(row, "id")));
    };
    let place = to.split('#').next().unwrap_or(to).trim_end_matches('/');
    let entry = tree.get(place);
    if entry.is_none() && tree.below(place).top().is_empty() {
        return Some(format!("row `{}`: `to` names `{to}`, which is not in the bundle", text(row, "id")));
    }
    if let (Some(Entry::File { content, .. }), "kept", "file") = (entry, outcome, text(row, "kind")) {
        let original = fs::read(source.join(text(row, "path"))).ok();
        if original.as_ref() != Some(content) {
            return Some(format!("row `{}`: kept, but `{to}` has other bytes", text(row, "id")));
        }
    }
    None
}

/// sha256 over the sorted `path\0mode\0sha256` of a manifest's files, with each way to join the lines.
pub fn whole_digests(manifest: &Value) -> [String; 3] {
    let line =
        |file: &Value| format!("{}\0{}\0{}", text(file, "path"), text(file, "mode"), text(file, "sha256"));
    let mut lines: Vec<String> = items(manifest, "files").map(line).collect();
    lines.sort();
    let joined = lines.join("\n");
    [digest(joined.as_bytes()), digest(format!("{joined}\n").as_bytes()), digest(lines.concat().as_bytes())]
}

fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}
