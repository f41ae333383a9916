//! The author's own manifest for this host, beside that of the source host: what it says of how the plugin is shown is
//! taken over, since the source has no words for it. What the plugin holds, the source says.

use camino::Utf8Path;
use serde_json::{Map, Value as Json};

use super::component::root;
use super::{LoweredBundle, LoweringContext, foreign_plugin, rows};
use crate::bundle::{BundleNode, NodeContent};
use crate::ledger::{ComponentKind, LedgerRow, RowOutcome};
use crate::model::manifest;
use crate::read::tree::{Node as Tree, unescaped};
use crate::source::SourceFile;
use crate::target::{Axis, OwnField};

/// The author's own manifest, where the target takes fields of one.
fn own<'a>(scene: &'a LoweringContext<'_>) -> Option<&'a SourceFile> {
    let facts = &scene.target.manifest;
    let path = scene.plugin.root.join(&facts.path);
    scene.project.tree.get(&path).filter(|_| !facts.own.fields.is_empty())
}

/// Files that the author has for this host alone.
fn beside<'a>(scene: &'a LoweringContext<'_>) -> impl Iterator<Item = &'a SourceFile> {
    let paths = scene.target.manifest.own.files.iter().map(|path| scene.plugin.root.join(path));
    paths.filter_map(|path| scene.project.tree.get(&path))
}

/// Whether what was left out at `path` for being another host's is this host's.
pub(super) fn handles(scene: &LoweringContext<'_>, path: &Utf8Path) -> bool {
    own(scene).into_iter().chain(beside(scene)).any(|file| file.path.starts_with(path))
}

/// `filled`, the host's manifest by the source, with what the author's own says; rows for all of that.
pub(super) fn merged(scene: &LoweringContext<'_>, filled: Json, cast: &mut LoweredBundle) -> Json {
    carry(scene, cast);
    let Some(file) = own(scene) else { return filled };
    for other in others(scene, file) {
        let row = LedgerRow::kept(&scene.plugin.name, ComponentKind::File, other.path.as_str(), &other.path);
        let reason = "of this folder, the host reads the manifest alone";
        cast.rows.push(row.became(RowOutcome::Dropped, reason));
    }
    let row = LedgerRow::kept(&scene.plugin.name, ComponentKind::File, file.path.as_str(), &file.path);
    let (node, findings) = manifest::read_object(file);
    cast.diagnostics.extend(findings.into_iter().map(|finding| finding.host(&scene.target.name)));
    let Some(node) = node else {
        cast.rows.push(
            row.became(RowOutcome::Dropped, "it cannot be read; the source says what the manifest holds"),
        );
        return filled;
    };
    let emitted = root(scene).join(&scene.target.manifest.path);
    let reason = "how it shows the plugin is in the host's manifest; what the plugin holds, the source says";
    cast.rows.push(row.to(emitted.as_str()).became(RowOutcome::Mapped, reason));
    let mut out = filled;
    for (pointer, span, leaf) in node.leaves() {
        let row = LedgerRow::kept(
            &scene.plugin.name,
            ComponentKind::Field,
            pointer.trim_start_matches('/'),
            &file.path,
        )
        .at(rows::span(file, span))
        .pointer(&pointer);
        if pointer == "/name" && scene.plugin.manifest.is_none() {
            cast.rows.push(row.to(emitted.as_str()).became(RowOutcome::Mapped, "it names the plugin"));
            continue;
        }
        let Some(kind) = scene.target.manifest.own.fields.get(&pointer) else {
            cast.rows.push(said_by_source(scene, row, leaf));
            continue;
        };
        let is_top = pointer.matches('/').count() == 1;
        cast.rows.push(match value(scene, *kind, leaf) {
            Err(reason) => row.became(RowOutcome::Dropped, reason),
            Ok(_) if is_top && out.pointer(&pointer).is_some() => {
                row.became(RowOutcome::Dropped, "the source's manifest says it")
            }
            Ok(value) => {
                set(&mut out, &pointer, value);
                row.to(emitted.as_str())
            }
        });
    }
    out
}

/// `row` of a field that says what the plugin holds: a loss where it names skills that the source host does not list.
fn said_by_source(scene: &LoweringContext<'_>, row: LedgerRow, field: &Tree) -> LedgerRow {
    let skill = Utf8Path::new(&scene.target.skill.path).file_name();
    let is_unread =
        |file: &SourceFile| file.path.file_name() == skill && scene.places.mains.get(&file.path).is_none();
    let mut named = foreign_plugin::paths(field).into_iter().map(|path| scene.plugin.root.join(path));
    if !named.any(|folder| scene.project.tree.below(&folder).any(is_unread)) {
        return row.became(RowOutcome::Dropped, "the source says it");
    }
    let (axis, key) = (Axis::Components, row.name.clone());
    row.became(
        RowOutcome::Dropped,
        "it names skills that the source host does not list; they are files in the bundle",
    )
    .loss(axis.id(), axis.floor(), (ComponentKind::Plugin, &scene.plugin.name), &key)
}

/// Other files in the folder of the author's own manifest.
fn others<'a>(
    scene: &'a LoweringContext<'_>,
    manifest: &'a SourceFile,
) -> impl Iterator<Item = &'a SourceFile> {
    let folder = manifest.path.parent().unwrap_or(Utf8Path::new(""));
    let alone = folder != scene.plugin.root;
    scene.project.tree.below(folder).filter(move |file| alone && file.path != manifest.path)
}

/// Carries the files for this host alone that it can read.
fn carry(scene: &LoweringContext<'_>, cast: &mut LoweredBundle) {
    for file in beside(scene) {
        let emitted = root(scene).join(scene.plugin.inner(&file.path));
        let row = LedgerRow::kept(&scene.plugin.name, ComponentKind::File, file.path.as_str(), &file.path);
        let (node, findings) = manifest::read_object(file);
        cast.diagnostics.extend(findings.into_iter().map(|finding| finding.host(&scene.target.name)));
        if node.is_none() {
            cast.rows.push(row.became(RowOutcome::Dropped, "it cannot be read"));
            continue;
        }
        cast.rows.push(row.to(emitted.as_str()));
        let content = NodeContent::CopyOf(file.origin.clone());
        cast.nodes.push(BundleNode {
            path: emitted,
            executable: false,
            content,
            from: Some(file.path.clone()),
        });
    }
}

/// The value of a field as the host takes it.
fn value(scene: &LoweringContext<'_>, kind: OwnField, leaf: &Tree) -> Result<Json, &'static str> {
    let texts = || leaf.items().map(|items| items.iter().filter_map(Tree::as_str).collect::<Vec<_>>());
    let whole = |texts: &Vec<&str>| leaf.items().is_some_and(|items| items.len() == texts.len());
    let wrong = "the host refuses a value of this type";
    match kind {
        OwnField::Text => leaf.as_str().map(Json::from).ok_or(wrong),
        OwnField::Texts => match leaf.as_str() {
            Some(text) => Ok(text.into()),
            None => texts().filter(whole).map(Json::from).ok_or(wrong),
        },
        OwnField::File => file(scene, leaf.as_str().ok_or(wrong)?),
        OwnField::Files => {
            texts().filter(whole).ok_or(wrong)?.into_iter().map(|path| file(scene, path)).collect()
        }
    }
}

/// The path of a file of the plugin as it is in the bundle.
fn file(scene: &LoweringContext<'_>, path: &str) -> Result<Json, &'static str> {
    let inner =
        manifest::inside(path).map_err(|_| "the host takes paths that begin with `./` and stay inside")?;
    let source = manifest::join(&scene.plugin.root, &inner);
    let is_own = scene.target.manifest.own.files.iter().any(|own| inner.as_str() == own);
    let place = scene.places.files.get(&source).map(|place| place.as_path());
    let place = place
        .or_else(|| Some(inner.as_path()).filter(|_| is_own && scene.project.tree.get(&source).is_some()));
    place.map(|place| format!("./{place}").into()).ok_or("the file is not in the bundle")
}

fn set(document: &mut Json, pointer: &str, value: Json) {
    let mut at = document;
    for key in pointer.split('/').skip(1) {
        if !at.is_object() {
            *at = Json::Object(Map::new());
        }
        let Json::Object(map) = at else { return };
        at = map.entry(unescaped(key)).or_insert(Json::Null);
    }
    *at = value;
}
