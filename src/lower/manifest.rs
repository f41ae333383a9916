//! The plugin's manifest and the marketplace file in the host's own shape, with a row for every
//! field of the source's.

use camino::Utf8Path;
use serde_json::Value as Json;

use super::component::root;
use super::{Cast, Scene, rows, shape};
use crate::bundle::{Content, Node};
use crate::ledger::{Kind, Outcome, Row};
use crate::model::marketplace::EntrySource;
use crate::model::plugin::{self, Plugin};
use crate::model::project::Project;
use crate::read::tree::Node as Tree;
use crate::source::SourceFile;
use crate::target::{Axis, Target};

/// Emits the manifest of one plugin.
pub(super) fn manifest(scene: &Scene<'_>, cast: &mut Cast) {
    let facts = &scene.target.manifest;
    let plugin = scene.plugin;
    let mut used = Vec::new();
    let filled = shape::fill(&facts.document, &|name| lookup(plugin, name), &mut used);
    let emitted = root(scene).join(&facts.path);
    let file = plugin.manifest.as_ref().and_then(|manifest| scene.project.tree.get(&manifest.path));
    let unreadable = plugin
        .manifest
        .is_none()
        .then(|| scene.project.tree.get(plugin.root.join(&scene.source.manifest)))
        .flatten();
    if let Some(file) = unreadable {
        let row = Row::kept(&plugin.name, Kind::File, file.path.as_str(), &file.path);
        cast.rows.push(
            row.became(Outcome::Dropped, "it cannot be read, so a new one is made from the folder's name"),
        );
    }
    let usable = plugin
        .manifest
        .as_ref()
        .is_some_and(|manifest| manifest.node.get("name").and_then(Tree::as_str).is_some());
    let kept = facts.passthrough
        && usable
        && plugin.manifest.as_ref().is_some_and(|manifest| manifest.node.get("skills").is_none());
    if let (Some(manifest), Some(file)) = (&plugin.manifest, file) {
        let row = Row::kept(&plugin.name, Kind::File, file.path.as_str(), &file.path).to(emitted.as_str());
        cast.rows.push(if kept {
            row
        } else {
            row.became(Outcome::Mapped, "its fields are said in the host's own manifest")
        });
        for (pointer, span, _) in manifest.node.leaves() {
            let name = pointer.trim_start_matches('/').to_owned();
            let row = Row::kept(&plugin.name, Kind::Field, name, &file.path)
                .at(rows::span(file, span))
                .pointer(&pointer);
            cast.rows.push(field_row(scene, row, &pointer, &used, kept, emitted.as_str()));
        }
    }
    let content = match (file, kept) {
        (Some(file), true) => Content::CopyOf(file.origin.clone()),
        (Some(_), false) if facts.passthrough => Content::Json(passed(scene, &filled)),
        _ => Content::Json(merged(scene, filled, cast)),
    };
    let from = file.filter(|_| kept).map(|file| file.path.clone());
    cast.nodes.push(Node { path: emitted, executable: false, content, from });
}

fn field_row(scene: &Scene<'_>, row: Row, pointer: &str, used: &[String], kept: bool, emitted: &str) -> Row {
    let covered = used.iter().any(|used| pointer == used || pointer.starts_with(&format!("{used}/")));
    let top = pointer.trim_start_matches('/').split('/').next().unwrap_or_default();
    let path_field = matches!(top, "skills" | "agents" | "commands");
    if kept {
        row.to(emitted)
    } else if pointer == "/name" || covered {
        row.to(emitted).became(Outcome::Mapped, "it is said in the host's own manifest")
    } else if path_field {
        row.became(Outcome::Mapped, "what it names lies where the host looks for it")
    } else if let Some(kind) = scene.source.manifest_components.get(top) {
        let reason = scene.target.components.get(kind).and_then(|facts| facts.reason.clone());
        match reason {
            Some(reason) => row.became(Outcome::Dropped, reason),
            None => row.to(emitted),
        }
    } else if scene.target.manifest.passthrough {
        row.to(emitted).became(Outcome::Mapped, "it is in the manifest, which is written anew")
    } else {
        let owner = (Kind::Plugin, scene.plugin.name.as_str());
        let axis = Axis::Metadata;
        row.became(Outcome::Dropped, &scene.target.manifest.dropped).loss(axis.id(), axis.floor(), owner, top)
    }
}

/// The source's manifest without the paths of components that lie in their default folders here.
fn passed(scene: &Scene<'_>, filled: &Json) -> Json {
    let mut document = scene.plugin.manifest.as_ref().map_or(Json::Null, |manifest| manifest.node.to_json());
    if let Json::Object(map) = &mut document {
        map.shift_remove("skills");
        if let Some(name) = filled.get("name") {
            map.insert("name".into(), name.clone());
        }
    }
    document
}

/// A file of the source that has the manifest's own name keeps its fields; the host's are set.
fn merged(scene: &Scene<'_>, filled: Json, cast: &mut Cast) -> Json {
    let path = scene.plugin.root.join(&scene.target.manifest.path);
    let Some(file) = scene.project.tree.get(&path).filter(|_| scene.plugin.files.kept.contains(&path)) else {
        return filled;
    };
    let row = Row::kept(&scene.plugin.name, Kind::File, path.as_str(), &path)
        .to(root(scene).join(&scene.target.manifest.path).as_str());
    let (node, findings) = crate::model::manifest::read_object(file);
    let Some(Json::Object(mut own)) = node.map(|node| node.to_json()) else {
        cast.diagnostics.extend(findings.into_iter().map(|finding| finding.host(&scene.target.name)));
        cast.rows
            .push(row.became(Outcome::Dropped, "it cannot be read, and the host needs a file of that name"));
        return filled;
    };
    for key in &scene.target.manifest.remove {
        own.shift_remove(key);
    }
    for (key, value) in filled.as_object().into_iter().flatten() {
        let set = key == "main" || key == "type" && value == "module";
        if set || !own.contains_key(key) {
            own.insert(key.clone(), value.clone());
        }
    }
    cast.rows
        .push(row.became(Outcome::Mapped, "its entry point is the host's module; every other field stays"));
    Json::Object(own)
}

fn lookup(plugin: &Plugin, name: &str) -> Option<Json> {
    match name {
        "plugin" => Some(plugin.name.as_str().into()),
        pointer if pointer.starts_with('/') => plugin.metadata(pointer).map(Tree::to_json),
        _ => None,
    }
}

/// Emits the marketplace file, and the rows of the source's.
pub(super) fn marketplace(project: &Project, target: &Target, cast: &mut Cast) {
    let mut used = Vec::new();
    if let Some(facts) = &target.marketplace {
        let document = project.marketplace.as_ref().map(|marketplace| &marketplace.node);
        let find = |name: &str| match name {
            "marketplace" => Some(project.marketplace_name.as_str().into()),
            "owner" => owner(project),
            pointer => plugin::at(document?, pointer).filter(|_| pointer.starts_with('/')).map(Tree::to_json),
        };
        let mut filled = shape::fill(&facts.document, &find, &mut used);
        let mut list: Vec<Json> = Vec::new();
        for plugin in &project.plugins {
            let find = |name: &str| match name {
                "category" => Some("Productivity".into()),
                name => {
                    let entry = plugin.entry.as_ref().filter(|_| name.starts_with('/'));
                    entry
                        .and_then(|entry| plugin::at(&entry.node, name))
                        .map(Tree::to_json)
                        .or_else(|| lookup(plugin, name))
                }
            };
            list.push(shape::fill(&facts.entry, &find, &mut used));
        }
        list.extend(remote(project, target).map(|(_, node)| node.to_json()));
        filled[&facts.list] = list.into();
        cast.nodes.push(Node {
            path: facts.path.clone().into(),
            executable: false,
            content: Content::Json(filled),
            from: None,
        });
    }
    let Some(marketplace) = &project.marketplace else { return };
    let Some(file) = project.tree.get(&marketplace.path) else { return };
    marketplace_rows(project, target, file, &used, cast);
}

/// The owner that the source host demands, from the first plugin that names an author.
fn owner(project: &Project) -> Option<Json> {
    let named = project.plugins.iter().find_map(|plugin| plugin.metadata("/author/name").map(Tree::to_json));
    Some(serde_json::json!({ "name": named.unwrap_or_else(|| project.marketplace_name.as_str().into()) }))
}

/// Entries that lie elsewhere and whose kind of source the host can fetch itself.
fn remote<'a>(project: &'a Project, target: &'a Target) -> impl Iterator<Item = (&'a str, &'a Tree)> {
    let entries = project.marketplace.iter().flat_map(|marketplace| &marketplace.entries);
    entries.filter_map(|entry| match &entry.source {
        EntrySource::Remote(kind)
            if target.marketplace.as_ref().is_some_and(|facts| facts.remote_sources.contains(kind)) =>
        {
            Some((entry.name.as_str(), &entry.node))
        }
        _ => None,
    })
}

fn marketplace_rows(project: &Project, target: &Target, file: &SourceFile, used: &[String], cast: &mut Cast) {
    let Some(marketplace) = &project.marketplace else { return };
    let emitted = target.marketplace.as_ref().map(|facts| facts.path.clone());
    let gone = "the host has no marketplace file";
    let row = Row::kept("", Kind::File, file.path.as_str(), Utf8Path::new(file.path.as_str()));
    cast.rows.push(match &emitted {
        Some(path) => row.to(path).became(Outcome::Mapped, "the host's marketplace file is written from it"),
        None => row.became(Outcome::Dropped, gone),
    });
    let carried: Vec<&str> = remote(project, target).map(|(name, _)| name).collect();
    for (pointer, span, _) in marketplace.node.leaves() {
        let row = Row::kept("", Kind::Field, pointer.trim_start_matches('/'), &file.path)
            .at(rows::span(file, span))
            .pointer(&pointer);
        let covered = pointer == "/plugins"
            || pointer == "/name"
            || used.iter().any(|used| pointer == *used || pointer.starts_with(&format!("{used}/")));
        cast.rows.push(match &emitted {
            Some(path) if covered => {
                row.to(path).became(Outcome::Mapped, "it is said in the host's own marketplace file")
            }
            Some(_) => row.became(Outcome::Dropped, "the host's marketplace file has no such field"),
            None => row.became(Outcome::Dropped, gone),
        });
    }
    for entry in &marketplace.entries {
        let pointer = format!("/plugins/{}", entry.name.replace('~', "~0").replace('/', "~1"));
        let row = Row::kept("", Kind::MarketplaceEntry, &entry.name, &file.path)
            .at(rows::span(file, entry.node.span))
            .pointer(&pointer);
        let owner = (Kind::MarketplaceEntry, entry.name.as_str());
        let built = project
            .plugins
            .iter()
            .any(|plugin| plugin.entry.as_ref().is_some_and(|own| own.name == entry.name));
        let axis = Axis::Sources;
        cast.rows.push(match &entry.source {
            EntrySource::Folder(_) if built => row.became(Outcome::Mapped, "its plugin is in the bundle"),
            EntrySource::Remote(_) if carried.contains(&entry.name.as_str()) => {
                row.to(emitted.clone().unwrap_or_default())
            }
            EntrySource::Remote(kind) => row
                .became(
                    Outcome::Dropped,
                    format!("a build fetches nothing, and the host takes no `{kind}` sources from a bundle"),
                )
                .loss(axis.id(), axis.floor(), owner, ""),
            _ => row.became(Outcome::Dropped, "its plugin could not be read").loss(
                axis.id(),
                axis.floor(),
                owner,
                "",
            ),
        });
        for (inner, span, _) in entry.node.leaves() {
            let row = Row::kept("", Kind::Field, inner.trim_start_matches('/'), &file.path)
                .at(rows::span(file, span))
                .pointer(format!("{pointer}{inner}"));
            let covered = built
                && (inner == "/name"
                    || inner.starts_with("/source")
                    || used.iter().any(|used| inner == *used || inner.starts_with(&format!("{used}/"))));
            cast.rows.push(match &emitted {
                Some(path) if covered => {
                    row.to(path).became(Outcome::Mapped, "it is said in the host's own marketplace file")
                }
                Some(path) if carried.contains(&entry.name.as_str()) => row.to(path),
                _ => row.became(Outcome::Dropped, "the host's marketplace file has no such field"),
            });
        }
    }
}
