//! The plugin's manifest in the host's own shape, with a row for every field of the source's.

use std::collections::BTreeMap;

use camino::Utf8Path;
use serde_json::{Map, Value as Json};

use super::component::root;
use super::declared_rows::{self, Declarations};
use super::{LoweredBundle, LoweringContext, hooks_and_servers, own_manifest, rows, shape};
use crate::bundle::{BundleNode, NodeContent};
use crate::ledger::{ComponentKind, LedgerRow, LossClass, RowOutcome};
use crate::model::plugin::Plugin;
use crate::read::tree::{Node as Tree, Value};
use crate::source::SourceFile;
use crate::target::Axis;

/// Emits the manifest of one plugin.
pub(super) fn manifest(scene: &LoweringContext<'_>, cast: &mut LoweredBundle) {
    let facts = &scene.target.manifest;
    let plugin = scene.plugin;
    let mut used = Vec::new();
    // Agents that only the marketplace's entry lists lie in the default folder.
    let listed_agents = plugin.manifest.as_ref().is_some_and(|own| own.node.get("agents").is_some());
    let lookup = |name: &str| lookup(plugin, name).filter(|_| name != "/agents" || listed_agents);
    let filled = shape::fill(&facts.document, &lookup, &mut used);
    let emitted = root(scene).join(&facts.path);
    let file = plugin.manifest.as_ref().and_then(|manifest| scene.project.tree.get(&manifest.path));
    let unreadable = plugin
        .manifest
        .is_none()
        .then(|| scene.project.tree.get(plugin.root.join(&scene.source.manifest)))
        .flatten();
    if let Some(file) = unreadable {
        let row = LedgerRow::kept(&plugin.name, ComponentKind::File, file.path.as_str(), &file.path);
        cast.rows.push(
            row.became(RowOutcome::Dropped, "it cannot be read, so a new one is made from the folder's name"),
        );
    }
    let usable = plugin
        .manifest
        .as_ref()
        .is_some_and(|manifest| manifest.node.get("name").and_then(Tree::as_str).is_some());
    let sound = plugin
        .manifest
        .as_ref()
        .is_some_and(|manifest| manifest.refused.is_empty() && manifest.escaping.is_empty());
    let listed = if facts.passthrough { listed(scene) } else { Map::new() };
    let kept = facts.passthrough
        && sound
        && usable
        && plugin.manifest.as_ref().is_some_and(|manifest| manifest.node.get("skills").is_none())
        && listed.is_empty()
        && file.is_some_and(|file| cleaned(scene, file).is_none());
    if let (Some(manifest), Some(file)) = (&plugin.manifest, file) {
        let row = LedgerRow::kept(&plugin.name, ComponentKind::File, file.path.as_str(), &file.path)
            .to(emitted.as_str());
        cast.rows.push(if kept {
            row
        } else {
            row.became(RowOutcome::Mapped, "its fields move to the host's manifest")
        });
        let declared = Declarations::new(&file.path, cast);
        let faults = faults(scene);
        for (pointer, span, leaf) in manifest.node.leaves() {
            let name = pointer.trim_start_matches('/').to_owned();
            let row = LedgerRow::kept(&plugin.name, ComponentKind::Field, name, &file.path)
                .at(rows::span(file, span))
                .pointer(&pointer);
            if !kept && facts.passthrough && leaf.as_str().is_some_and(|path| read_anyway(scene, path)) {
                cast.rows.push(row.became(RowOutcome::Mapped, "the host reads that file without being told"));
                continue;
            }
            let fault = declared_rows::around(&pointer).find_map(|around| faults.get(around).copied());
            let became = (declared.became(&pointer), fault);
            cast.rows.push(field_row(scene, row, &pointer, &used, kept, emitted.as_str(), became));
        }
    }
    let content = match (file, kept) {
        (Some(file), true) => NodeContent::CopyOf(file.origin.clone()),
        (Some(_), false) if facts.passthrough => {
            NodeContent::document(&emitted, with(passed(scene, &filled), listed))
        }
        _ => {
            let merged = merged(scene, without_absent(scene, filled), cast);
            NodeContent::document(&emitted, with(own_manifest::merged(scene, merged, cast), listed))
        }
    };
    let from = file.filter(|_| kept).map(|file| file.path.clone());
    cast.nodes.push(BundleNode { path: emitted, executable: false, content, from });
}

fn field_row(
    scene: &LoweringContext<'_>,
    row: LedgerRow,
    pointer: &str,
    used: &[String],
    kept: bool,
    emitted: &str,
    (became, fault): (Option<Result<String, String>>, Option<&str>),
) -> LedgerRow {
    let covered = used.iter().any(|used| pointer == used || pointer.starts_with(&format!("{used}/")));
    let top = pointer.trim_start_matches('/').split('/').next().unwrap_or_default();
    let path_field = matches!(top, "skills" | "agents" | "commands");
    let refused = scene.plugin.manifest.iter().flat_map(|manifest| &manifest.refused).any(|key| key == top);
    if refused && top != "name" {
        row.became(RowOutcome::Dropped, "its type is refused by the source host")
    } else if scene
        .plugin
        .manifest
        .iter()
        .flat_map(|manifest| &manifest.escaping)
        .any(|at| pointer == at || pointer.starts_with(&format!("{at}/")))
    {
        row.became(RowOutcome::Dropped, "the source host refuses a path that does not stay in the plugin")
    } else if kept {
        row.to(emitted)
    } else if let Some(fault) = fault {
        row.became(RowOutcome::Dropped, fault)
    } else if pointer == "/name" || covered {
        row.to(emitted).became(RowOutcome::Mapped, "it moves to the host's manifest")
    } else if path_field {
        row.became(RowOutcome::Mapped, "its target is where the host looks for it")
    } else if let Some(became) = became.filter(|_| names_files(scene, top)) {
        match became {
            Ok(to) => {
                row.to(to).became(RowOutcome::Mapped, "what it declares is written in the host's format")
            }
            Err(reason) => row.became(RowOutcome::Dropped, reason),
        }
    } else if names_files(scene, top) {
        row.became(RowOutcome::Mapped, "what it names is written in the host's format")
    } else if let Some(kind) = scene.source.manifest_components.get(top) {
        let key = pointer.split('/').nth(2).unwrap_or_default();
        let variable = hooks_and_servers::option_variable(scene.source, key);
        let facts = scene.target.components.get(kind);
        let reason = facts.and_then(|facts| Some(facts.reason.as_ref()?.replace("{variable}", &variable)));
        match reason {
            Some(reason) => row.became(RowOutcome::Dropped, reason),
            None => row.to(emitted),
        }
    } else if scene.target.manifest.passthrough {
        row.to(emitted).became(RowOutcome::Mapped, "it is in the manifest, which is rewritten")
    } else {
        let owner = (ComponentKind::Plugin, scene.plugin.name.as_str());
        let axis = Axis::Metadata;
        let facts = &scene.target.manifest;
        let is_off = scene.plugin.metadata(pointer).is_some_and(|node| node.value == Value::Bool(false));
        let always_on = facts.always_on.as_deref().filter(|_| pointer == "/defaultEnabled" && is_off);
        let (reason, class) = match always_on {
            Some(reason) => (reason, LossClass::Behavior),
            None => {
                let dropped = facts.dropped.as_deref();
                (dropped.unwrap_or("the host's manifest has no such field"), axis.floor())
            }
        };
        row.became(RowOutcome::Dropped, reason).loss(axis.id(), class, owner, top)
    }
}

/// Whether a field names files whose hooks or servers are written in the host's own form.
fn names_files(scene: &LoweringContext<'_>, field: &str) -> bool {
    scene.source.manifest_components.get(field).is_some_and(|kind| hooks_and_servers::section(scene, kind))
}

/// Whether the source host reads hooks from a file without being told, and refuses it when told.
fn read_anyway(scene: &LoweringContext<'_>, path: &str) -> bool {
    let kind = path.strip_prefix("./").and_then(|path| scene.source.components.get(path));
    kind.is_some_and(|kind| kind == "hook")
}

/// Why the source host refuses what stands in the manifest, by pointer; of several reasons the first.
fn faults<'a>(scene: &'a LoweringContext<'_>) -> BTreeMap<&'a str, &'a str> {
    let path = scene.plugin.manifest.as_ref().map(|manifest| &manifest.path);
    let here = scene.plugin.others.iter().filter(|other| Some(&other.path) == path);
    let faulty = here.filter_map(|other| Some((other.pointer.as_str(), other.fault.as_deref()?)));
    faulty.rev().collect()
}

/// The source's manifest without parts that the source host would refuse, files that it would read
/// twice and credentials in clear; `None` when it can stay as it is.
fn cleaned(scene: &LoweringContext<'_>, file: &SourceFile) -> Option<Json> {
    let (node, _) = crate::model::manifest::read_object(file);
    let mut document = hooks_and_servers::cleaned(scene, file).or_else(|| node.map(|node| node.to_json()));
    let before = document.clone().filter(|_| hooks_and_servers::cleaned(scene, file).is_none());
    if let Some(Json::Object(map)) = &mut document {
        let twice = |value: &Json| value.as_str().is_some_and(|path| read_anyway(scene, path));
        for field in scene.source.manifest_components.keys() {
            match map.get_mut(field) {
                Some(value) if twice(value) => drop(map.shift_remove(field)),
                Some(Json::Array(items)) => items.retain(|item| !twice(item)),
                _ => {}
            }
        }
    }
    document.filter(|document| before.as_ref() != Some(document))
}

/// The source's manifest without the paths of components that lie in their default folders here.
fn passed(scene: &LoweringContext<'_>, filled: &Json) -> Json {
    let own = scene.plugin.manifest.as_ref();
    let file = own.and_then(|manifest| scene.project.tree.get(&manifest.path));
    let mut document = file
        .and_then(|file| cleaned(scene, file))
        .unwrap_or_else(|| own.map_or(Json::Null, |manifest| manifest.node.to_json()));
    if let Json::Object(map) = &mut document {
        map.shift_remove("skills");
        for key in scene.plugin.manifest.iter().flat_map(|manifest| &manifest.refused) {
            map.shift_remove(key);
        }
        if let Some(name) = filled.get("name") {
            map.insert("name".into(), name.clone());
        }
    }
    document
}

/// What only the marketplace's entry declares, in the form it has there.
fn listed(scene: &LoweringContext<'_>) -> Map<String, Json> {
    let Some(entry) = &scene.plugin.entry else { return Map::new() };
    let own = scene.plugin.manifest.as_ref().map(|manifest| &manifest.node);
    let marketplace = scene.project.tree.get(&scene.source.marketplace);
    let whole = marketplace.and_then(|file| cleaned(scene, file)?.pointer(&entry.pointer).cloned());
    let said = whole.unwrap_or_else(|| entry.node.to_json());
    let declared = |field: &str| said.get(field).filter(|_| own.is_none_or(|own| own.get(field).is_none()));
    let fields = scene.source.manifest_components.keys();
    let mut out = Map::new();
    for field in fields {
        let value =
            declared(field).filter(|value| !value.as_str().is_some_and(|path| read_anyway(scene, path)));
        out.extend(value.map(|value| (field.clone(), value.clone())));
    }
    for key in ["agents", "commands"] {
        let both = own.and_then(|own| own.get(key)).zip(scene.plugin.added(key));
        out.extend(both.map(|(own, added)| (key.to_owned(), joined(own.to_json(), added.to_json()))));
    }
    out
}

/// What the manifest and the marketplace's entry declare together: lists of files, or objects by name.
fn joined(own: Json, added: Json) -> Json {
    match (own, added) {
        (Json::Object(mut own), Json::Object(added)) => {
            for (name, command) in added {
                if command.get("source").is_some() {
                    own.entry(name).or_insert(command);
                }
            }
            Json::Object(own)
        }
        (Json::Object(mut own), added) => {
            for path in list(added) {
                let stem = path.as_str().and_then(|path| Utf8Path::new(path).file_stem()).map(str::to_owned);
                if let Some(stem) = stem {
                    own.entry(stem).or_insert_with(|| serde_json::json!({ "source": path }));
                }
            }
            Json::Object(own)
        }
        (own, Json::Object(added)) => {
            let sources = added.into_iter().filter_map(|(_, command)| command.get("source").cloned());
            list(own).into_iter().chain(sources).collect()
        }
        (own, added) => list(own).into_iter().chain(list(added)).collect(),
    }
}

fn list(value: Json) -> Vec<Json> {
    match value {
        Json::Array(items) => items,
        Json::Null => Vec::new(),
        one => vec![one],
    }
}

fn with(mut document: Json, more: Map<String, Json>) -> Json {
    if let Json::Object(map) = &mut document {
        map.extend(more);
    }
    document
}

/// The document without folders that the plugin does not have: a manifest names only what is there.
fn without_absent(scene: &LoweringContext<'_>, mut filled: Json) -> Json {
    if let Json::Object(map) = &mut filled {
        map.retain(|_, value| {
            let folder = value.as_str().and_then(|text| text.strip_prefix("./")?.strip_suffix('/'));
            folder.is_none_or(|folder| scene.places.files.values().any(|path| path.starts_with(folder)))
        });
    }
    filled
}

/// A file of the source that has the manifest's own name keeps its fields; the host's are set.
fn merged(scene: &LoweringContext<'_>, filled: Json, cast: &mut LoweredBundle) -> Json {
    let path = scene.plugin.root.join(&scene.target.manifest.path);
    let own = scene.target.manifest.path != scene.source.manifest && scene.plugin.files.kept.contains(&path);
    let Some(file) = scene.project.tree.get(&path).filter(|_| own) else {
        return filled;
    };
    let row = LedgerRow::kept(&scene.plugin.name, ComponentKind::File, path.as_str(), &path)
        .to(root(scene).join(&scene.target.manifest.path).as_str());
    let (node, findings) = crate::model::manifest::read_object(file);
    let Some(Json::Object(mut own)) = node.map(|node| node.to_json()) else {
        cast.diagnostics.extend(findings.into_iter().map(|finding| finding.host(&scene.target.name)));
        cast.rows.push(
            row.became(RowOutcome::Dropped, "it cannot be read, and the host needs a file of that name"),
        );
        return filled;
    };
    for key in &scene.target.manifest.remove {
        own.shift_remove(key);
    }
    for key in &scene.target.manifest.replace {
        if let Some(value) = filled.get(key) {
            own.insert(key.clone(), value.clone());
        }
    }
    let reason = "its entry point is the host's, and what would name another one is removed; all else stays";
    cast.rows.push(row.became(RowOutcome::Mapped, reason));
    Json::Object(own)
}

/// What a name in a manifest's document stands for.
pub(super) fn lookup(plugin: &Plugin, name: &str) -> Option<Json> {
    match name {
        "plugin" => Some(plugin.name.as_str().into()),
        pointer if pointer.starts_with('/') => plugin.metadata(pointer).map(Tree::to_json),
        _ => None,
    }
}
