//! Finds the folder to search for references: callers of a plugin's skills may be anywhere in the repository.

use std::path::{Path, PathBuf};

use camino::Utf8Path;

use crate::disk;
use crate::model::project::Project;
use crate::model::qualified_name::qualify;
use crate::read::json;
use crate::read::tree::Node;
use crate::source_format::SourceFacts;
use crate::target::Targets;

/// The folder to search. If SRC, or the current folder, is a plugin of a marketplace above it in the same repository,
/// that marketplace; if there are plugins next to it, the folder of all of them; else SRC, or without one the nearest
/// plugin.
pub fn repository(src: Option<&Path>, targets: &Targets) -> PathBuf {
    let here = src.unwrap_or(Path::new(".")).to_owned();
    let Ok(start) = disk::canonical(&here) else { return here };
    let top = start.ancestors().find(|folder| disk::kind(&folder.join(".git")).is_some());
    let inside: Vec<&Path> =
        start.ancestors().take_while(|folder| top.is_some_and(|top| folder.starts_with(top))).collect();
    let source = targets.source();
    let lists = |folder: &&&Path| {
        disk::is_file(&folder.join(&source.marketplace)) && is_listed_in(folder, &start, source)
    };
    if let Some(marketplace) = inside.iter().rev().find(lists) {
        return if *marketplace == start { here } else { marketplace.to_path_buf() };
    }
    let is_plugin = |folder: &Path| disk::is_file(&folder.join(&source.manifest));
    let Some(plugin) = inside.iter().find(|folder| is_plugin(folder)) else { return here };
    if src.is_some() && *plugin != start {
        return here;
    }
    match plugin.parent().filter(|parent| inside.contains(parent) && !is_plugin(parent)) {
        Some(parent)
            if disk::list(parent).unwrap_or_default().iter().any(|(name, _)| {
                let other = parent.join(name);
                other != **plugin && is_plugin(&other)
            }) =>
        {
            parent.to_owned()
        }
        _ if *plugin == start => here,
        _ => plugin.to_path_buf(),
    }
}

/// Whether the marketplace in `folder` includes `place`: it is that folder itself, contains plugins, or is in one.
fn is_listed_in(folder: &Path, place: &Path, source: &SourceFacts) -> bool {
    if folder == place {
        return true;
    }
    let text = disk::read_text(&folder.join(&source.marketplace)).ok().flatten().unwrap_or_default();
    let Some(node) = json::parse(&text).0 else { return false };
    let base = node.get("metadata").and_then(|metadata| metadata.get("pluginRoot")).and_then(Node::as_str);
    let plugins = node.get("plugins").and_then(Node::items).unwrap_or_default();
    let folders = plugins.iter().filter_map(|entry| entry.get("source").and_then(Node::as_str));
    folders
        .flat_map(|listed| [folder.join(listed), folder.join(base.unwrap_or(".")).join(listed)])
        .filter_map(|listed| disk::canonical(&listed).ok())
        .any(|listed| place.starts_with(&listed) || listed.starts_with(place))
}

/// SKILL, qualified by the plugin if SRC is one plugin of several.
pub fn qualified_skill(project: &Project, root: &Path, src: Option<&Path>, skill: &str) -> String {
    let inner = src.and_then(|src| disk::canonical(src).ok());
    let inner = inner.as_deref().and_then(|src| Utf8Path::from_path(src.strip_prefix(root).ok()?));
    let own = inner.and_then(|inner| project.plugins.iter().find(|plugin| plugin.root == inner));
    let is_one =
        |name: &str| own.is_some_and(|plugin| plugin.components.iter().any(|one| one.qualified == name));
    match own.map(|plugin| qualify(&plugin.name, skill)).filter(|name| is_one(name)) {
        Some(qualified) => qualified,
        None => skill.to_owned(),
    }
}
