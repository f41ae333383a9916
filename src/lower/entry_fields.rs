//! The fields of a plugin that only the entry of its marketplace declares.

use camino::Utf8Path;
use serde_json::{Map, Value as Json};

use super::context::LoweringContext;
use super::source_json;
use crate::ledger::ComponentKind;
use crate::model::names;

/// The fields that only the marketplace's entry declares, unchanged.
pub(super) fn entry_fields(context: &LoweringContext<'_>) -> Map<String, Json> {
    let Some(entry) = &context.plugin.entry else { return Map::new() };
    let own = context.plugin.manifest.as_ref().map(|manifest| &manifest.node);
    let clean = source_json::cleaned_entry(context, Utf8Path::new(&context.source.marketplace), entry);
    let entry_document = clean.unwrap_or_else(|| entry.node.to_json());
    let declared =
        |field: &str| entry_document.get(field).filter(|_| own.is_none_or(|own| own.get(field).is_none()));
    let fields = context.source.manifest_components.keys();
    let mut out = Map::new();
    for field in fields {
        let value =
            declared(field).filter(|value| !value.as_str().is_some_and(|path| read_anyway(context, path)));
        out.extend(value.map(|value| (field.clone(), value.clone())));
    }
    for key in ["agents", "commands"] {
        let both = own.and_then(|own| own.get(key)).zip(context.plugin.added_by_entry(key));
        out.extend(both.map(|(own, added)| (key.to_owned(), merge_fields(own.to_json(), added.to_json()))));
    }
    out
}

/// The union of a field in the manifest and in the marketplace's entry: lists of files, or objects by name.
fn merge_fields(own: Json, added: Json) -> Json {
    match (own, added) {
        // If only its path were listed, a file would be named after itself.
        (own, Json::Object(added)) => {
            let mut named = match own {
                Json::Object(own) => own,
                paths => with_paths(Map::new(), paths),
            };
            for (name, command) in added.into_iter().filter(|(_, command)| command.get("source").is_some()) {
                named.entry(name).or_insert(command);
            }
            named.into()
        }
        (Json::Object(own), paths) => with_paths(own, paths).into(),
        (own, added) => list(own).into_iter().chain(list(added)).collect(),
    }
}

/// Commands by name, including those at `paths`, which have no name yet: files are named after themselves, and for
/// folders the name of the entry does not matter.
fn with_paths(mut named: Map<String, Json>, paths: Json) -> Map<String, Json> {
    for path in list(paths) {
        let Some(text) = path.as_str() else { continue };
        let file = Utf8Path::new(text).file_name().and_then(|name| name.strip_suffix(".md"));
        let name = file.map_or_else(|| names::segment(text), str::to_owned);
        named.entry(name).or_insert_with(|| serde_json::json!({ "source": path }));
    }
    named
}

fn list(value: Json) -> Vec<Json> {
    match value {
        Json::Array(items) => items,
        Json::Null => Vec::new(),
        one => vec![one],
    }
}

/// Whether the source host reads hooks from a file by default, and refuses the file if it is also listed.
pub(super) fn read_anyway(context: &LoweringContext<'_>, path: &str) -> bool {
    let kind = path.strip_prefix("./").and_then(|path| context.source.components.get(path));
    kind == Some(&ComponentKind::Hook)
}
