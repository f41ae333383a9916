//! What of a folder the source host is given: a marketplace, a plugin, or every plugin and skill below it. It looks at
//! names of files, and at whether a marketplace file lists anything. It knows nothing of how a build reads a source, so
//! that a misreading there shows.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::disk::plain_files;
use crate::source::SKILL_FILE;

/// The files and folders that make a folder a plugin for the host.
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
/// Folders that hold no source.
const SKIPPED: [&str; 2] = ["node_modules", "target"];
/// Manifests of other hosts, which say what their folder is.
const FOREIGN: [&str; 4] = [".cursor-plugin/plugin.json", "plugin.json", "gemini-extension.json", "POWER.md"];
/// Folders of a plugin whose skills nobody installs.
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
/// Deeper folders are not looked into.
const DEPTH: usize = 8;

/// What the source host is given.
#[derive(Debug, Clone, Default)]
pub struct SourceLayout {
    /// The source, absolute.
    pub root: PathBuf,
    /// Whether it has a marketplace file, whose plugins the host installs.
    pub marketplace: bool,
    /// Folders of plugins, absolute.
    pub plugins: Vec<PathBuf>,
    /// Folders of skills that belong to no plugin, absolute.
    pub skills: Vec<PathBuf>,
    /// The name that the bundles have for the source itself, where it is a plugin without a manifest or holds skills.
    pub name: Option<String>,
}

impl SourceLayout {
    /// Looks at `source`.
    ///
    /// # Errors
    /// When it is not there.
    pub fn find(source: &Path) -> Result<Self> {
        let root =
            plain_files::absolute(source).with_context(|| format!("cannot open `{}`", source.display()))?;
        let mut layout = Self { root: root.clone(), ..Self::default() };
        // One that lists nothing hides no plugin that stands beside it.
        if is_file(&root, MARKETPLACE) && (lists(&root) || !is_file(&root, PARTS[0])) {
            layout.marketplace = true;
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
        let has_part = |part: &str| plain_files::exists(&folder.join(part));
        let declared = manifest || FOREIGN.into_iter().any(|manifest| is_file(folder, manifest));
        let has_parts = PARTS.into_iter().any(has_part) && !is_shelf(folder);
        if manifest || has_parts {
            self.plugins.push(folder.to_path_buf());
        }
        // A source that has parts of a plugin and no manifest at all may hold further plugins and skills.
        if manifest || has_parts && (declared || depth > 0) || depth == DEPTH {
            return;
        }
        for name in plain_files::names_in(folder) {
            let child = folder.join(&name);
            let bundle = is_file(&child, ".plugcast/manifest.json");
            let own = PARTS.iter().any(|part| part.split('/').next() == Some(&name));
            if !(name.starts_with('.') || has_parts && (own || UNINSTALLED.contains(&name.as_str())))
                && !SKIPPED.contains(&name.as_str())
                && plain_files::is_folder(&child)
                && !bundle
            {
                self.walk(&child, depth + 1);
            }
        }
    }

    /// Whether a path in the source leads over a link: the host reads some of these, lists one of several that lead to one
    /// file, and installs a file in the place of others.
    pub fn has_link(&self, path: &str) -> bool {
        let mut parts = Path::new(path).ancestors().filter(|part| !part.as_os_str().is_empty());
        parts.any(|part| plain_files::is_link(&self.root.join(part)))
    }

    /// The place of a folder in the source: empty for the source itself.
    pub fn inner(&self, folder: &Path) -> Option<String> {
        Some(folder.strip_prefix(&self.root).ok()?.to_string_lossy().into_owned())
    }
}

/// Whether the marketplace file of a folder lists a plugin.
fn lists(folder: &Path) -> bool {
    let text = plain_files::read(&folder.join(MARKETPLACE)).unwrap_or_default();
    let document: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default();
    document["plugins"]
        .as_array()
        .is_some_and(|plugins| plugins.iter().any(|plugin| plugin["name"].is_string()))
}

/// Whether a folder without a manifest has a component folder by name alone, which is a skill or holds plugins.
fn is_shelf(folder: &Path) -> bool {
    ["skills", "agents", "commands", "workflows"].iter().any(|name| is_file(&folder.join(name), SKILL_FILE))
}

fn is_file(folder: &Path, name: &str) -> bool {
    plain_files::is_file(&folder.join(name))
}
