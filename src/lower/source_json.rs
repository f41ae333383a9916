//! Hooks and servers in JSON files of the source that are carried: parts that must not be passed on are removed.

use camino::Utf8Path;
use serde_json::Value as Json;

use super::context::LoweringContext;
use crate::model::manifest;
use crate::model::marketplace::MarketplaceEntry;
use crate::model::plugin::{OtherBody, OtherComponent};
use crate::read::pointer::{self, JsonPointer};
use crate::read::tree::{Node as Tree, unescaped};
use crate::source::{ComponentKind, SourceFile};

/// A JSON file of the source without the parts that the source host would refuse, and with variables for credentials;
/// `None` if nothing needs to change.
pub(super) fn cleaned(context: &LoweringContext<'_>, file: &SourceFile) -> Option<Json> {
    let own = context.plugin.manifest.as_ref().filter(|manifest| manifest.path == file.path);
    let is_whole = own.is_none_or(|manifest| absent(context, &manifest.node).is_empty());
    if is_whole && is_clean(context, &file.path) {
        return None;
    }
    let (node, _) = manifest::read_object(file);
    cleaned_node(context, &file.path, &node?, "")
}

/// The same for the plugin's entry in the marketplace `file`; other entries are ignored.
pub(super) fn cleaned_entry(
    context: &LoweringContext<'_>,
    file: &Utf8Path,
    entry: &MarketplaceEntry,
) -> Option<Json> {
    if is_clean(context, file) && absent(context, &entry.node).is_empty() {
        return None;
    }
    cleaned_node(context, file, &entry.node, &entry.pointer)
}

/// Whether the file at `path` needs no change. Paths are compared as strings, since every file is compared with every
/// hook and server.
fn is_clean(context: &LoweringContext<'_>, path: &Utf8Path) -> bool {
    let mut escaping = escaping(context, path);
    !context.plugin.others.iter().any(|other| other.path.as_str() == path.as_str())
        && escaping.next().is_none()
}

/// The pointers of paths in the plugin's manifest that lead out of it, if the manifest is at `path`.
fn escaping<'a>(context: &'a LoweringContext<'_>, path: &Utf8Path) -> impl Iterator<Item = &'a JsonPointer> {
    let own = context.plugin.manifest.iter().filter(move |manifest| manifest.path == path);
    own.flat_map(|manifest| &manifest.escaping)
}

/// Fields whose paths replace a default folder, so that the host reads nothing there even if all of them are missing.
const REPLACING: [&str; 2] = ["/commands", "/agents"];

/// The pointers of paths in a manifest, or in an entry of a marketplace, that the source does not have: the source host
/// reports each of them as an error and loads the rest.
pub(super) fn absent(context: &LoweringContext<'_>, node: &Tree) -> Vec<String> {
    let fields = context.source.manifest_components.keys().map(String::as_str).chain(["commands", "agents"]);
    let listed = fields.filter_map(|field| Some((JsonPointer::default().key(field), node.get(field)?)));
    let paths = listed.flat_map(|(pointer, node)| match node.items() {
        Some(items) => items.iter().enumerate().map(|(at, item)| (pointer.item(at), item)).collect(),
        None => vec![(pointer, node)],
    });
    let is_absent = |node: &Tree| {
        let Some(Ok(inner)) = node.as_str().map(manifest::path_inside) else { return false };
        let path = context.plugin.root.join(inner);
        let tree = &context.project.tree;
        tree.get(&path).is_none()
            && !tree.empty_folders.contains(&path)
            && context.plugin.files.kept_below(&path).next().is_none()
    };
    paths.filter(|(_, node)| is_absent(node)).map(|(pointer, _)| pointer.as_str().to_owned()).collect()
}

/// `node`, which is at `base` in the file at `path`, without such parts.
fn cleaned_node(context: &LoweringContext<'_>, path: &Utf8Path, node: &Tree, base: &str) -> Option<Json> {
    let mut document = node.to_json();
    // If a key is repeated, the document contains the last one.
    let is_last = |other: &OtherComponent, inner: &str| {
        let found = node_at(node, inner).map(|found| found.span.start);
        other.span.zip(found).is_none_or(|(span, start)| span.contains(start) || span.end == start)
    };
    let mut changed = false;
    for pointer in escaping(context, path).filter_map(|pointer| pointer::relative_to(base, pointer)) {
        changed |= document.pointer_mut(pointer).map(|place| *place = REMOVED_MARK.into()).is_some();
    }
    let is_manifest = context.plugin.manifest.as_ref().is_some_and(|manifest| manifest.path == path);
    for pointer in absent(context, node).iter().filter(|_| is_manifest || !base.is_empty()) {
        let left =
            if REPLACING.contains(&pointer.as_str()) { Json::Array(Vec::new()) } else { REMOVED_MARK.into() };
        changed |= document.pointer_mut(pointer).map(|place| *place = left).is_some();
    }
    for other in context.plugin.others.iter().filter(|other| other.path.as_str() == path.as_str()) {
        let Some(inner) = pointer::relative_to(base, &other.pointer).filter(|inner| is_last(other, inner))
        else {
            continue;
        };
        if other.fault.is_some() && !inner.is_empty() {
            changed |= document.pointer_mut(inner).map(|place| *place = REMOVED_MARK.into()).is_some();
        }
        let given = remote_type(context, other).zip(document.pointer_mut(inner));
        if let Some((kind, Json::Object(fields))) = given {
            fields.insert("type".to_owned(), kind.into());
            changed = true;
        }
        for secret in other.secrets() {
            let of_other = secret.pointer.strip_prefix(other.pointer.as_str()).unwrap_or_default();
            let safe = other.node().and_then(|node| node_at(node, of_other)).map(Tree::to_json);
            let place =
                pointer::relative_to(base, &secret.pointer).and_then(|pointer| document.pointer_mut(pointer));
            if let (Some(place), Some(safe)) = (place, safe) {
                *place = safe;
                changed = true;
            }
        }
    }
    prune(&mut document);
    changed.then_some(document)
}

/// The `type` that the host requires for a server and that the source does not state.
pub(super) fn remote_type<'a>(context: &'a LoweringContext<'_>, other: &OtherComponent) -> Option<&'a str> {
    let OtherBody::Server(server) = &other.body else { return None };
    let facts = context.target.components.get(&other.kind)?;
    facts.remote_type.as_deref().filter(|_| other.kind == ComponentKind::McpServer && server.untyped())
}

fn node_at<'a>(node: &'a Tree, pointer: &str) -> Option<&'a Tree> {
    let steps = pointer.split('/').skip(1).map(unescaped);
    steps.into_iter().try_fold(node, |node, key| match node.items() {
        Some(items) => items.get(key.parse::<usize>().ok()?),
        None => node.get(&key),
    })
}

/// Marks a part that is removed.
const REMOVED_MARK: &str = "\0gone";

fn prune(value: &mut Json) {
    let gone = |value: &Json| value.as_str() == Some(REMOVED_MARK);
    match value {
        Json::Array(items) => {
            items.retain(|item| !gone(item));
            items.iter_mut().for_each(prune);
            // A group without hooks has no effect.
            items.retain(|item| {
                item.get("hooks").and_then(Json::as_array).is_none_or(|left| !left.is_empty())
            });
        }
        Json::Object(map) => {
            map.retain(|_, value| !gone(value));
            map.values_mut().for_each(prune);
        }
        _ => {}
    }
}
