//! Agents and commands by the source host's file layout alone: what the manifest lists, else every Markdown file below the
//! folder, and what the marketplace's entry adds. Links in these folders are neither.

use serde_json::Value;

use super::components::{Root, add, join, strings};
use crate::support::tree::{Entry, Tree};

/// Adds those of `part`, which is `agents` or `commands`.
pub fn find_markdown(tree: &Tree, manifest: &Value, entry: &Value, part: &'static str, root: &mut Root) {
    let kind = if part == "agents" { "agent" } else { "command" };
    let mut listed = Vec::new();
    for document in [manifest, entry] {
        listed.extend(strings(&document[part]));
        if let Some(object) = document[part].as_object() {
            listed.extend(object.values().filter_map(|value| value["source"].as_str()).map(str::to_owned));
        }
    }
    if manifest[part].is_null() {
        listed.insert(0, part.to_owned());
    }
    // A file that is listed by its path has the name of the file, wherever its folder is listed.
    let is_file = |path: &str| matches!(tree.get(path), Some(Entry::File { .. }));
    listed.sort_by_key(|item| !is_file(&root.path(item)));
    for item in listed {
        let path = root.path(&item);
        if root.components.iter().any(|known| known.path == path && known.kind == kind) {
            continue;
        }
        if is_file(&path) && path.ends_with(".md") {
            let stem = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
            add(root, kind, stem.to_owned(), path.clone());
        }
        let below = tree.below(&path);
        let is_text = |inner: &str, entry: &Entry| {
            matches!(entry, Entry::File { .. }) && inner.to_lowercase().ends_with(".md")
        };
        let texts = below.entries().filter(|(inner, entry)| is_text(inner, entry));
        let texts: Vec<String> = texts.map(|(inner, _)| inner.to_owned()).collect();
        // A folder below with a skill in it is that skill.
        let is_skill =
            |inner: &str| inner.rsplit('/').next().unwrap_or_default().eq_ignore_ascii_case("SKILL.md");
        let folder_of = |inner: &&str| Some(inner.rsplit_once('/')?.0.to_owned()).filter(|_| is_skill(inner));
        let skills: Vec<String> = texts
            .iter()
            .filter(|_| kind == "command")
            .filter_map(|inner| folder_of(&inner.as_str()))
            .collect();
        let skill = |inner: &str| {
            let around = skills.iter().filter(|folder| inner.starts_with(&format!("{folder}/")));
            around.min_by_key(|folder| folder.len())
        };
        for inner in &texts {
            let name = match skill(inner) {
                Some(folder) if folder_of(&inner.as_str()).as_ref() != Some(folder) => continue,
                Some(folder) => folder.replace('/', ":"),
                None => inner.strip_suffix(".md").unwrap_or(inner).replace('/', ":"),
            };
            let file = join(&path, inner);
            if !root.components.iter().any(|known| known.path == file && known.kind == kind) {
                add(root, kind, name, file);
            }
        }
    }
}
