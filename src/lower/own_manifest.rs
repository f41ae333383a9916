//! The author's own manifest for this host, beside that of the source host: fields about how the plugin is displayed
//! are copied, since the source has no equivalent. The content of the plugin is determined by the source.

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value as Json};

use super::context::LoweringContext;
use super::decision::Decision;
use super::part::LoweredPart;
use crate::bundle::{BundleNode, NodeContent};
use crate::ledger::{ComponentKind, RowOutcome};
use crate::model::manifest;
use crate::read::tree::{Node as Tree, unescaped};
use crate::source::SourceFile;
use crate::target::{Axis, OwnField};

/// The author's own manifest, if the target copies fields from one.
fn own_file<'a>(context: &'a LoweringContext<'_>) -> Option<&'a SourceFile> {
    let facts = &context.target.manifest;
    let path = context.plugin.root.join(&facts.path);
    context.project.tree.get(&path).filter(|_| !facts.own.fields.is_empty())
}

/// Files that the author wrote for this host only.
fn files_in_folder<'a>(context: &'a LoweringContext<'_>) -> impl Iterator<Item = &'a SourceFile> {
    let paths = context.target.manifest.own.files.iter().map(|path| context.plugin.root.join(path));
    paths.filter_map(|path| context.project.tree.get(&path))
}

/// Whether the files at `path`, which were left out as another host's, belong to this host.
pub(super) fn handles(context: &LoweringContext<'_>, path: &Utf8Path) -> bool {
    own_file(context).into_iter().chain(files_in_folder(context)).any(|file| file.path.starts_with(path))
}

/// `filled`, the host's manifest derived from the source, merged with the author's own, and decisions about its fields.
pub(super) fn merged(context: &LoweringContext<'_>, filled: Json) -> (LoweredPart, Json) {
    let mut part = carry_files(context);
    let Some(file) = own_file(context) else { return (part, filled) };
    let of_file = |file: &SourceFile| Decision::for_file(&context.plugin.name, &file.path);
    part.decisions.extend(other_files(context, file).map(|other| {
        of_file(other).with_outcome(RowOutcome::Dropped, "the host reads only the manifest in this folder")
    }));
    let (node, findings) = manifest::read_object(file);
    part.diagnostics.extend(findings.into_iter().map(|finding| finding.host(&context.target.name)));
    let Some(node) = node else {
        let reason = "it cannot be read; the manifest is written from the source";
        part.decisions.push(of_file(file).with_outcome(RowOutcome::Dropped, reason));
        return (part, filled);
    };
    let emitted = context.root().join(&context.target.manifest.path);
    let reason = "fields about how the plugin is displayed are in the host's manifest; its content is determined by the source";
    part.decisions.push(of_file(file).placed_at(emitted.as_str()).with_outcome(RowOutcome::Mapped, reason));
    let mut out = filled;
    for (pointer, span, leaf) in node.leaves() {
        let name = pointer.trim_start_matches('/');
        let field = Decision::new_kept(&context.plugin.name, ComponentKind::Field, name, &file.path)
            .in_file(file, span)
            .pointer(&pointer);
        part.decisions.push(match decide(context, &pointer, leaf, &out) {
            ManifestFieldOutcome::NamesPlugin => {
                field.placed_at(emitted.as_str()).with_outcome(RowOutcome::Mapped, "it names the plugin")
            }
            ManifestFieldOutcome::Dropped(reason) => field.with_outcome(RowOutcome::Dropped, reason),
            ManifestFieldOutcome::Lost(reason) => field.with_outcome(RowOutcome::Dropped, reason).loss(
                Axis::Components,
                (ComponentKind::Plugin, &context.plugin.name),
                name,
            ),
            ManifestFieldOutcome::Copied(value) => {
                set(&mut out, &pointer, value);
                field.placed_at(emitted.as_str())
            }
        });
    }
    (part, out)
}

/// The outcome of a field of the author's own manifest.
enum ManifestFieldOutcome {
    /// It gives the plugin its name.
    NamesPlugin,
    /// It is not copied, for this reason.
    Dropped(&'static str),
    /// It is not copied, which is a loss.
    Lost(&'static str),
    /// It is copied to the host's manifest with this value.
    Copied(Json),
}

/// The outcome of the field at `pointer`; `out` is the host's manifest so far.
fn decide(context: &LoweringContext<'_>, pointer: &str, leaf: &Tree, out: &Json) -> ManifestFieldOutcome {
    if pointer == "/name" && context.plugin.manifest.is_none() {
        return ManifestFieldOutcome::NamesPlugin;
    }
    let Some(kind) = context.target.manifest.own.fields.get(pointer) else {
        return source_determined_outcome(context, leaf);
    };
    let is_top = pointer.matches('/').count() == 1;
    match value(context, *kind, leaf) {
        Err(reason) => ManifestFieldOutcome::Dropped(reason),
        Ok(_) if is_top && out.pointer(pointer).is_some() => {
            ManifestFieldOutcome::Dropped("the source's manifest takes precedence")
        }
        Ok(value) => ManifestFieldOutcome::Copied(value),
    }
}

/// The outcome of a field about the plugin's content: a loss if it names skills that the source host does not list.
fn source_determined_outcome(context: &LoweringContext<'_>, field: &Tree) -> ManifestFieldOutcome {
    let skill = Utf8Path::new(&context.target.skill.path).file_name();
    let is_unread =
        |file: &SourceFile| file.path.file_name() == skill && context.places.mains.get(&file.path).is_none();
    let mut named = paths(field).into_iter().map(|path| context.plugin.root.join(path));
    match named.any(|folder| context.project.tree.files_below(&folder).any(is_unread)) {
        true => ManifestFieldOutcome::Lost(
            "it names skills that the source host does not list; they are files in the bundle",
        ),
        false => ManifestFieldOutcome::Dropped("the source determines it"),
    }
}

/// Other files in the folder of the author's own manifest.
fn other_files<'a>(
    context: &'a LoweringContext<'_>,
    manifest: &'a SourceFile,
) -> impl Iterator<Item = &'a SourceFile> {
    let folder = manifest.path.parent().unwrap_or(Utf8Path::new(""));
    let alone = folder != context.plugin.root;
    context.project.tree.files_below(folder).filter(move |file| alone && file.path != manifest.path)
}

/// Carries the files for this host only, if they can be read.
fn carry_files(context: &LoweringContext<'_>) -> LoweredPart {
    let mut part = LoweredPart::default();
    for file in files_in_folder(context) {
        let path = context.root().join(context.plugin.relative_path(&file.path));
        let decision = Decision::for_file(&context.plugin.name, &file.path);
        let (node, findings) = manifest::read_object(file);
        part.diagnostics.extend(findings.into_iter().map(|finding| finding.host(&context.target.name)));
        if node.is_none() {
            part.decisions.push(decision.with_outcome(RowOutcome::Dropped, "it cannot be read"));
            continue;
        }
        part.decisions.push(decision.placed_at(path.as_str()));
        let content = NodeContent::CopyOf(file.origin.clone());
        let from = Some(file.path.clone());
        part.nodes.push(BundleNode { path, executable: false, content, from });
    }
    part
}

/// The value of a field in the form that the host accepts.
fn value(context: &LoweringContext<'_>, kind: OwnField, leaf: &Tree) -> Result<Json, &'static str> {
    let texts = || leaf.items().map(|items| items.iter().filter_map(Tree::as_str).collect::<Vec<_>>());
    let whole = |texts: &Vec<&str>| leaf.items().is_some_and(|items| items.len() == texts.len());
    let wrong = "the host refuses a value of this type";
    match kind {
        OwnField::Text => leaf.as_str().map(Json::from).ok_or(wrong),
        OwnField::Texts => match leaf.as_str() {
            Some(text) => Ok(text.into()),
            None => texts().filter(whole).map(Json::from).ok_or(wrong),
        },
        OwnField::File => file(context, leaf.as_str().ok_or(wrong)?),
        OwnField::Files => {
            texts().filter(whole).ok_or(wrong)?.into_iter().map(|path| file(context, path)).collect()
        }
    }
}

/// The path of a file of the plugin in the bundle.
fn file(context: &LoweringContext<'_>, path: &str) -> Result<Json, &'static str> {
    let inner = manifest::path_inside(path)
        .map_err(|_| "the host accepts only paths that begin with `./` and stay inside the plugin")?;
    let source = manifest::join(&context.plugin.root, &inner);
    let is_own = context.target.manifest.own.files.iter().any(|own| inner.as_str() == own);
    let place = context.places.files.get(&source).map(|place| place.as_path());
    let place = place
        .or_else(|| Some(inner.as_path()).filter(|_| is_own && context.project.tree.get(&source).is_some()));
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

/// The paths within the plugin in a field, which is a path or a list of paths.
pub(super) fn paths(field: &Tree) -> Vec<Utf8PathBuf> {
    let texts = field.items().unwrap_or(std::slice::from_ref(field)).iter().filter_map(Tree::as_str);
    let paths = texts.map(|text| text.trim_start_matches("./").trim_end_matches('/'));
    paths.filter(|path| !path.is_empty() && *path != ".").map(Utf8PathBuf::from).collect()
}
