//! The fields of an object in `commands`, apart from the location of the text. They take precedence over the
//! frontmatter of the text (Claude Code 2.1.330).

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::model::overrides::{ConfigPlace, OverrideValue};
use crate::read::pointer::JsonPointer;
use crate::read::tree::MappingEntry;
use crate::source::SourceFile;

/// The keys of such an object, with the frontmatter fields that they set.
const FIELDS: [(&str, &str); 4] = [
    ("description", "description"),
    ("argumentHint", "argument-hint"),
    ("model", "model"),
    ("allowedTools", "allowed-tools"),
];

/// The fields of the object at `pointer`, by frontmatter field; empty values are skipped.
pub(super) fn fields(
    command: &MappingEntry,
    file: &SourceFile,
    pointer: &JsonPointer,
) -> BTreeMap<String, OverrideValue> {
    let stated = FIELDS.iter().filter_map(|(key, field)| {
        let entry = command.node.entries().iter().rfind(|entry| entry.key == *key)?;
        let value = match entry.node.as_str() {
            Some(text) => Json::from(text.split_whitespace().collect::<Vec<_>>().join(" ")),
            None => entry.node.to_json(),
        };
        if value.is_null() || value == "" {
            return None;
        }
        let position = file.position(entry.key_span.start);
        let at = ConfigPlace {
            path: file.path.clone(),
            span: entry.span(),
            line: position.line,
            column: position.column,
            pointer: pointer.key(key),
        };
        Some(((*field).to_owned(), OverrideValue { value, at }))
    });
    stated.collect()
}
