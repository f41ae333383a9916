//! Components that a source holds twice because a folder is a link to them: a check reads each of them once.

use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};

use super::discover::COMPONENT_FOLDERS;
use super::listing::Files;
use crate::disk::FileSystem;
use crate::model::plugin::PluginLocation;
use crate::source::{SKILL_FILE, SourceTree};

/// Whether a component of the folder of a plugin or project is in it, and not behind a link.
pub(super) fn holds_own(folder: &Utf8Path, files: &Files, file_system: &FileSystem, src: &Path) -> bool {
    let is_own = |path: &Utf8Path| {
        let path = src.join(path);
        file_system.canonical(&path).is_ok_and(|real| real == path)
    };
    let mut folders = COMPONENT_FOLDERS.iter().map(|name| folder.join(name)).chain([folder.join("hooks")]);
    folders.any(|folder| is_own(&folder) && files.files_below(&folder).iter().any(|path| is_own(path)))
        || files.contains(&folder.join(".mcp.json"))
}

/// Leaves out, in the locations that only a check reads, the components that another location reads as well: behind a
/// link those that lie elsewhere, and where they lie those that a plugin of the build links to.
pub(super) fn read_once(tree: &mut SourceTree, locations: &mut Vec<PluginLocation>, manifest: &str) {
    let mut twice: Vec<Utf8PathBuf> = Vec::new();
    for (link, target) in &tree.links {
        if link.starts_with(target) || target.starts_with(link) || !is_component(tree, link, target) {
            continue;
        }
        let (Some(here), Some(there)) = (owner(locations, link), owner(locations, target)) else { continue };
        match (here.is_check_only, there.is_check_only) {
            (true, _) => twice.push(link.clone()),
            (false, true) => twice.push(target.clone()),
            (false, false) => {}
        }
    }
    for folder in &twice {
        let files: Vec<Utf8PathBuf> = tree.files_below(folder).map(|file| file.path.clone()).collect();
        for path in files {
            tree.remove(&path);
        }
        tree.links.retain(|link, _| !link.starts_with(folder));
    }
    let has_skill = |folder: &Utf8PathBuf| tree.get(folder.join(SKILL_FILE)).is_some();
    let has_components = |root: &Utf8Path| {
        COMPONENT_FOLDERS.iter().chain(&["hooks"]).any(|name| tree.has_folder(&root.join(name)))
            || [manifest, ".mcp.json"].iter().any(|name| tree.get(root.join(name)).is_some())
    };
    locations.retain_mut(|location| {
        if !location.is_check_only || !twice.iter().any(|folder| folder.starts_with(&location.root)) {
            return true;
        }
        if location.loose_skills.is_empty() {
            return has_components(&location.root);
        }
        location.loose_skills.retain(has_skill);
        !location.loose_skills.is_empty()
    });
}

/// Whether a link leads to a folder of components, which is read at both places.
fn is_component(tree: &SourceTree, link: &Utf8Path, target: &Utf8Path) -> bool {
    let is_skill =
        |folder: &Utf8Path| tree.files_below(folder).any(|file| file.path.file_name() == Some(SKILL_FILE));
    let is_shelf = link.file_name().is_some_and(|name| COMPONENT_FOLDERS.contains(&name));
    tree.has_folder(target) && tree.has_folder(link) && (is_shelf || is_skill(target))
}

/// The location that reads a path: the innermost one.
fn owner<'l>(locations: &'l [PluginLocation], path: &Utf8Path) -> Option<&'l PluginLocation> {
    let around = locations.iter().filter(|location| path.starts_with(&location.root));
    around.max_by_key(|location| location.root.as_str().len())
}
