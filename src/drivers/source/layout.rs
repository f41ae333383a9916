//! The parts of a folder to load in the source host: a marketplace, a plugin, or every plugin and skill below it. It
//! uses only file names, and whether a marketplace file lists anything. It shares no code with the reader of a build,
//! so that errors of the reader are detected.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::disk::plain_files;
use crate::source::SKILL_FILE;

/// The files and folders that mark a folder as a plugin for the host.
const PARTS: [&str; 8] = [
    ".claude-plugin/plugin.json",
    "skills",
    "agents",
    "commands",
    "hooks/hooks.json",
    ".mcp.json",
    "workflows",
    ".lsp.json",
];
/// The marketplace file of a source.
const MARKETPLACE: &str = ".claude-plugin/marketplace.json";
/// Folders that contain no source.
const SKIPPED: [&str; 2] = ["node_modules", "target"];
/// Manifests of other hosts, which mark their folder as a plugin of that host.
const FOREIGN_MANIFESTS: [&str; 4] =
    [".cursor-plugin/plugin.json", "plugin.json", "gemini-extension.json", "POWER.md"];
/// Folders of a plugin whose skills are not installed.
const UNINSTALLED: [&str; 12] = [
    "test",
    "tests",
    "__tests__",
    "fixtures",
    "testdata",
    "evals",
    "doc",
    "docs",
    "example",
    "examples",
    "templates",
    "assets",
];
/// Deeper folders are not searched.
const DEPTH: usize = 8;

/// The parts to load in the source host.
#[derive(Debug, Clone, Default)]
pub struct SourceLayout {
    /// The source, absolute.
    pub root: PathBuf,
    /// Whether it has a marketplace file, whose plugins the host installs.
    pub marketplace: bool,
    /// Folders of plugins, absolute.
    pub plugins: Vec<PathBuf>,
    /// Folders of skills outside of plugins, absolute.
    pub skills: Vec<PathBuf>,
    /// The name of the source itself in the bundles, if it is a plugin without a manifest or contains skills.
    pub name: Option<String>,
}

impl SourceLayout {
    /// Finds the parts of `source`.
    ///
    /// # Errors
    /// When it does not exist.
    pub fn find(source: &Path) -> Result<Self> {
        let root =
            plain_files::absolute(source).with_context(|| format!("cannot open `{}`", source.display()))?;
        let mut layout = Self { root: root.clone(), ..Self::default() };
        // A marketplace that lists nothing of the source does not hide a plugin next to it.
        if is_file(&root, MARKETPLACE) && (lists(&root) || !is_file(&root, PARTS[0])) {
            layout.plugins = own_folders(&root);
            layout.marketplace = layout.plugins.is_empty();
            return Ok(layout);
        }
        layout.walk(&root, 0);
        Ok(layout)
    }

    fn walk(&mut self, folder: &Path, depth: usize) {
        let manifest = is_file(folder, PARTS[0]);
        if !manifest && is_file(folder, SKILL_FILE) {
            return self.skills.push(folder.to_path_buf());
        }
        let top = |part: &'static str| part.split('/').next().unwrap_or(part);
        let is_own = |part| !is_file(&folder.join(top(part)), PARTS[0]);
        let has_part = |part: &'static str| plain_files::exists(&folder.join(part)) && is_own(part);
        let declared = manifest || FOREIGN_MANIFESTS.into_iter().any(|manifest| is_file(folder, manifest));
        let has_parts = PARTS.into_iter().any(has_part) && !is_shelf(folder);
        if manifest || has_parts {
            self.plugins.push(folder.to_path_buf());
        }
        // A source with parts of a plugin but no manifest may contain further plugins and skills.
        if manifest || has_parts && (declared || depth > 0) || depth == DEPTH {
            return;
        }
        for name in plain_files::names_in(folder) {
            let child = folder.join(&name);
            let bundle = is_file(&child, ".plugcast/manifest.json");
            let own = PARTS.into_iter().any(|part| top(part) == name && is_own(part));
            if !(name.starts_with('.') || has_parts && (own || UNINSTALLED.contains(&name.as_str())))
                && !SKIPPED.contains(&name.as_str())
                && plain_files::is_folder(&child)
                && !bundle
            {
                self.walk(&child, depth + 1);
            }
        }
    }

    /// Whether a path in the source goes through a link: the host reads some of these, lists one of several that point
    /// to the same file, and installs a file in place of others.
    pub fn has_link(&self, path: &str) -> bool {
        let mut parts = Path::new(path).ancestors().filter(|part| !part.as_os_str().is_empty());
        parts.any(|part| plain_files::is_link(&self.root.join(part)))
    }

    /// The path of a folder in the source; empty for the source itself.
    pub fn relative_folder(&self, folder: &Path) -> Option<String> {
        Some(folder.strip_prefix(&self.root).ok()?.to_string_lossy().into_owned())
    }
}

/// The entries of the marketplace file of a folder.
fn entries(folder: &Path) -> Vec<Value> {
    entries_in(&plain_files::read(&folder.join(MARKETPLACE)).unwrap_or_default())
}

/// The entries of a marketplace file; none if it has another form.
fn entries_in(text: &str) -> Vec<Value> {
    let mut document: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default();
    match document.get_mut("plugins").map(Value::take) {
        Some(Value::Array(entries)) => entries,
        _ => Vec::new(),
    }
}

/// Whether the marketplace file of a folder lists a plugin of the source, and not only of other places.
fn lists(folder: &Path) -> bool {
    entries(folder).iter().any(|plugin| plugin["name"].is_string() && plugin["source"].is_string())
}

/// The folders of plugins in a source that its marketplace names by its own address, if it lists no other plugin of it:
/// the host would fetch them.
fn own_folders(root: &Path) -> Vec<PathBuf> {
    let entries = if lists(root) { Vec::new() } else { entries(root) };
    let folder = |entry: &Value| {
        let path = entry["source"]["path"].as_str()?;
        let folder = root.join(path.strip_prefix("./").unwrap_or(path));
        let text = plain_files::read(&folder.join(PARTS[0])).ok()?;
        let manifest: Value = serde_json::from_str(&text).ok()?;
        (manifest["name"].is_string() && manifest["name"] == entry["name"]).then_some(folder)
    };
    entries.iter().filter_map(folder).collect()
}

/// Whether a folder without a manifest only seems to have a component folder, which is in fact a skill.
fn is_shelf(folder: &Path) -> bool {
    ["skills", "agents", "commands", "workflows"].iter().any(|name| is_file(&folder.join(name), SKILL_FILE))
}

fn is_file(folder: &Path, name: &str) -> bool {
    plain_files::is_file(&folder.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marketplace_of_another_form_has_no_entries() {
        for text in ["[]", "3", "\"plugins\"", "null", "{}", "{\"plugins\": {}}", "", "{"] {
            assert!(entries_in(text).is_empty(), "{text}");
        }
        assert_eq!(entries_in("\u{feff}{\"plugins\": [1]}"), [1]);
    }
}
