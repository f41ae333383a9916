//! The `expected` folder of a case: one tree a host, the modes that version control would not keep
//! beside it, and the outputs that the case chose to compare.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::RwLock;

use super::tree::{Entry, Tree};

/// Held for writing while what cases expect is rewritten, so that no other test reads half of it.
pub static EXPECTATIONS: RwLock<()> = RwLock::new(());

/// What the commands of a case leave behind.
#[derive(Debug, PartialEq, Eq)]
pub struct ExpectedTree {
    /// One tree a host, and `in` where the source was changed.
    pub trees: BTreeMap<String, Tree>,
    /// Standard output, where the case compares it.
    pub stdout: Option<String>,
    /// Standard error, where the case compares it.
    pub stderr: Option<String>,
}

impl ExpectedTree {
    /// Reads a folder; one that is not there expects nothing.
    pub fn read(folder: &Path) -> Self {
        let text = |name: &str| fs::read_to_string(folder.join(name)).ok();
        let whole = if folder.is_dir() { Tree::read(folder) } else { Tree::new() };
        let mut trees = BTreeMap::new();
        for name in whole.top() {
            let host = name.strip_suffix(".modes").unwrap_or(&name);
            if matches!(name.as_str(), "stdout" | "stderr") {
                continue;
            }
            let executable: BTreeSet<String> =
                text(&format!("{host}.modes")).unwrap_or_default().lines().map(str::to_owned).collect();
            trees.insert(host.to_owned(), with_modes(&whole.below(host), &executable));
        }
        Self { trees, stdout: text("stdout"), stderr: text("stderr") }
    }

    /// Replaces a folder.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, folder: &Path) {
        if folder.exists() {
            fs::remove_dir_all(folder).expect("the old folder can be removed");
        }
        let mut whole = Tree::new();
        for (host, tree) in &self.trees {
            tree.write(&folder.join(host));
            let executable = |entry: &Entry| matches!(entry, Entry::File { mode: 0o755, .. });
            let modes: Vec<&str> =
                tree.entries().filter(|(_, entry)| executable(entry)).map(|(path, _)| path).collect();
            if !modes.is_empty() {
                whole = whole.file(&format!("{host}.modes"), modes.join("\n") + "\n");
            }
        }
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if let Some(text) = text {
                whole = whole.file(name, text);
            }
        }
        whole.write(folder);
    }
}

/// The same tree with mode 0755 for the listed files and 0644 for all others; a listed file that is
/// not there stays in the tree as an empty one, so that the list cannot rot.
fn with_modes(tree: &Tree, executable: &BTreeSet<String>) -> Tree {
    let mut result = Tree::new();
    for path in executable.iter().filter(|path| tree.get(path).is_none()) {
        result = result.script(path, "");
    }
    for (path, entry) in tree.entries() {
        result = match entry {
            Entry::Link(target) => result.link(path, target),
            Entry::File { content, .. } if executable.contains(path) => result.script(path, content),
            Entry::File { content, .. } => result.file(path, content),
        };
    }
    result
}
