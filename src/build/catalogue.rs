//! Files at SRC that apply to all plugins: the README, and the marketplace with the plugins that it lists.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::BuildError;
use super::discover::{FILES_OF_PLUGIN, README};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::disk::{FileSystem, walk};
use crate::model::manifest;
use crate::model::marketplace::{self, EntrySource, Marketplace};
use crate::model::plugin::{LocationForm, PluginLocation};
use crate::parallel;
use crate::read::tree::Node;
use crate::source::{SourceFile, SourceTree};
use crate::source_format::SourceFacts;

/// The README at SRC; its text in `texts`, if any, takes precedence.
pub(super) fn readme(
    file_system: &FileSystem,
    src: &Path,
    texts: &BTreeMap<Utf8PathBuf, Arc<str>>,
) -> Result<Option<SourceFile>, BuildError> {
    read_one(file_system, src, README, texts, &mut SourceTree::default())
}

/// The file at `path`, which is added to `tree`; its text in `texts`, if any, takes precedence.
pub(super) fn read_one(
    file_system: &FileSystem,
    src: &Path,
    path: &str,
    texts: &BTreeMap<Utf8PathBuf, Arc<str>>,
    tree: &mut SourceTree,
) -> Result<Option<SourceFile>, BuildError> {
    let path = Utf8Path::new(path);
    if !file_system.is_file(&src.join(path)) {
        return Ok(None);
    }
    walk::read_one(file_system, src, path, tree)?;
    if let Some(text) = texts.get(path) {
        tree.set_text(path, src.join(path), text);
    }
    Ok(tree.get(path).cloned())
}

/// The marketplace file at `path`, if it exists and can be read.
pub(super) fn read_marketplace(
    file_system: &FileSystem,
    src: &Path,
    path: &str,
    source: &SourceFacts,
    texts: &BTreeMap<Utf8PathBuf, Arc<str>>,
    tree: &mut SourceTree,
    found: &mut Vec<Diagnostic>,
) -> Result<Option<Marketplace>, BuildError> {
    let Some(file) = read_one(file_system, src, path, texts, tree)? else { return Ok(None) };
    let (node, findings) = manifest::read_object(&file);
    found.extend(findings);
    let of = (file.path == source.marketplace, source.remote_sources.as_slice());
    Ok(node.map(|node| marketplace::read(&file, node, of, found)))
}

/// A repository that is its own marketplace may list its plugins by the repository's address: such an entry is the plugin
/// of that name at SRC, or in the folder that it names there.
pub(super) fn find_own_plugins(
    file_system: &FileSystem,
    src: &Path,
    source: &SourceFacts,
    texts: &BTreeMap<Utf8PathBuf, Arc<str>>,
    file: &mut Marketplace,
) -> Result<(), BuildError> {
    let folders = file.entries.iter().filter_map(|entry| match &entry.source {
        EntrySource::Folder(folder) => Some(folder.clone()),
        _ => None,
    });
    let mut listed: BTreeSet<Utf8PathBuf> = folders.collect();
    let mut names: BTreeMap<Utf8PathBuf, Option<String>> = BTreeMap::new();
    for entry in &mut file.entries {
        let named = entry.node.get("source").and_then(|from| from.get("path")).and_then(Node::as_str);
        let inside = |path: &str| manifest::path_inside(&format!("./{}", path.trim_start_matches("./"))).ok();
        let Some(folder) = named.map_or_else(|| Some(Utf8PathBuf::new()), inside) else { continue };
        if !matches!(entry.source, EntrySource::Remote(_)) || listed.contains(&folder) {
            continue;
        }
        if !names.contains_key(&folder) {
            let path = manifest::join(&folder, Utf8Path::new(&source.manifest));
            let own = read_one(file_system, src, path.as_str(), texts, &mut SourceTree::default())?;
            let node = own.and_then(|file| manifest::read_object(&file).0);
            let name = node.as_ref().and_then(|node| node.get("name")).and_then(Node::as_str);
            names.insert(folder.clone(), name.map(str::to_owned));
        }
        if names.get(&folder).is_some_and(|name| name.as_deref() == Some(entry.name.as_str())) {
            listed.insert(folder.clone());
            entry.source = EntrySource::Folder(folder);
        }
    }
    Ok(())
}

/// The plugins of this source that a marketplace lists.
pub(super) fn listed_plugins(
    file_system: &FileSystem,
    src: &Path,
    marketplace: &Marketplace,
    tree: &SourceTree,
    found: &mut Vec<Diagnostic>,
) -> Vec<PluginLocation> {
    let mut locations = Vec::new();
    // Each part of each path is looked up in the file system, so a long list is resolved in parallel.
    let files = marketplace.entries.len() * FILES_OF_PLUGIN;
    let inside = parallel::map(marketplace.entries.iter().collect(), files, |entry| {
        let EntrySource::Folder(folder) = &entry.source else { return false };
        let real = file_system.canonical(&src.join(folder));
        real.is_ok_and(|real| real.starts_with(src) && file_system.is_folder(&real))
    });
    for (entry, inside) in marketplace.entries.iter().zip(inside) {
        let EntrySource::Folder(folder) = &entry.source else { continue };
        if inside {
            locations.push(PluginLocation {
                root: folder.clone(),
                name: Some(entry.name.clone()),
                entry: Some(entry.clone()),
                loose_skills: Vec::new(),
                has_parts: false,
                is_check_only: false,
                form: LocationForm::Plugin,
            });
        } else if let Some(file) = tree.get(&marketplace.path) {
            let span = entry.node.get("source").map_or(entry.node.span, |node| node.span);
            let message = format!("`{}` is listed at `{folder}`, which does not exist", entry.name);
            let help = "fix the path, or remove the entry";
            found.push(
                Diagnostic::in_file(file, span, Severity::Error, RuleId::MARKETPLACE_SOURCE_MISSING, message)
                    .help(help),
            );
        }
    }
    locations
}
