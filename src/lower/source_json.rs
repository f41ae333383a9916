//! Hooks and servers in JSON files of the source's own that are carried: what must not be passed on is taken out.

use serde_json::Value as Json;

use super::context::LoweringContext;
use crate::model::manifest;
use crate::model::plugin::{OtherBody, OtherComponent};
use crate::read::tree::{Node as Tree, unescaped};
use crate::source::SourceFile;

/// A JSON file of the source without the parts that the source host would refuse, and with variables
/// for credentials; `None` when it can stay as it is.
pub(super) fn cleaned(context: &LoweringContext<'_>, file: &SourceFile) -> Option<Json> {
    // Compared as text, since every file is held against every hook and server.
    let is_here = |other: &&OtherComponent| other.path.as_str() == file.path.as_str();
    let mut here = context.plugin.others.iter().filter(is_here).peekable();
    let own = context.plugin.manifest.iter().filter(|manifest| manifest.path == file.path);
    let mut escaping = own.flat_map(|manifest| &manifest.escaping).peekable();
    if here.peek().is_none() && escaping.peek().is_none() {
        return None;
    }
    let (node, _) = manifest::read_object(file);
    let node = node?;
    let mut document = node.to_json();
    // Of keys that are repeated, the document has the last one.
    let is_last = |other: &OtherComponent| {
        let found = node_at(&node, &other.pointer).map(|found| found.span.start);
        other.span.zip(found).is_none_or(|(span, start)| span.contains(start) || span.end == start)
    };
    let mut changed = false;
    for pointer in escaping {
        changed |= document.pointer_mut(pointer).map(|place| *place = GONE.into()).is_some();
    }
    for other in here.filter(|other| is_last(other)) {
        if other.fault.is_some() && !other.pointer.is_empty() {
            changed |= document.pointer_mut(&other.pointer).map(|place| *place = GONE.into()).is_some();
        }
        let given = remote_type(context, other).zip(document.pointer_mut(&other.pointer));
        if let Some((kind, Json::Object(fields))) = given {
            fields.insert("type".to_owned(), kind.into());
            changed = true;
        }
        for secret in other.secrets() {
            let inner = secret.pointer.strip_prefix(other.pointer.as_str()).unwrap_or_default();
            let safe = other.node().and_then(|node| node_at(node, inner)).map(Tree::to_json);
            if let (Some(place), Some(safe)) = (document.pointer_mut(&secret.pointer), safe) {
                *place = safe;
                changed = true;
            }
        }
    }
    prune(&mut document);
    changed.then_some(document)
}

/// The `type` that the host needs of a server, and that the source does not say.
pub(super) fn remote_type<'a>(context: &'a LoweringContext<'_>, other: &OtherComponent) -> Option<&'a str> {
    let OtherBody::Server(server) = &other.body else { return None };
    let facts = context.target.components.get(&other.kind)?;
    facts.remote_type.as_deref().filter(|_| other.kind == "mcp-server" && server.untyped())
}

fn node_at<'a>(node: &'a Tree, pointer: &str) -> Option<&'a Tree> {
    let steps = pointer.split('/').skip(1).map(unescaped);
    steps.into_iter().try_fold(node, |node, key| match node.items() {
        Some(items) => items.get(key.parse::<usize>().ok()?),
        None => node.get(&key),
    })
}

/// Stands for a part that is taken out.
const GONE: &str = "\0gone";

fn prune(value: &mut Json) {
    let gone = |value: &Json| value.as_str() == Some(GONE);
    match value {
        Json::Array(items) => {
            items.retain(|item| !gone(item));
            items.iter_mut().for_each(prune);
            // A group of hooks that has lost all of them says nothing.
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
