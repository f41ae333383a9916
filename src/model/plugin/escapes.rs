//! Path fields of a manifest that lead out of the plugin: the source host refuses a plugin with such a path, so each is
//! reported, and none is read or written.

use super::find::commands::command_name;
use super::{LostComponent, Plugin};
use crate::diagnostic::Diagnostic;
use crate::model::manifest;
use crate::read::pointer::{JsonPointer, contains};
use crate::read::tree::{MappingEntry, Node, Value};
use crate::source::{SourceFile, SourceTree};
use crate::source_format::SourceFacts;

/// Why such a path is not carried.
const REASON: &str = "the source host refuses a path that does not stay in the plugin";

/// Finds them in the manifest and in the marketplace entry of `plugin`.
pub(super) fn refuse(
    tree: &SourceTree,
    plugin: &mut Plugin,
    source: &SourceFacts,
    found: &mut Vec<Diagnostic>,
) {
    if let Some(entry) = &plugin.entry
        && let Some(file) = tree.get(&source.marketplace)
    {
        let escaping = escaping(&entry.node, file, plugin, source, found);
        // A manifest that is generated from the entry must not contain these paths.
        if let Some(own) = &mut plugin.entry
            && let Value::Map(fields) = &mut own.node.value
        {
            *fields = fields.iter().filter_map(|field| without_values(field, &escaping)).collect();
        }
        record_lost(plugin, file, escaping);
    }
    let own = plugin.manifest.as_ref().and_then(|own| Some((own, tree.get(&own.path)?)));
    let Some((own, file)) = own else { return };
    let escaping = escaping(&own.node, file, plugin, source, found);
    if let Some(own) = &mut plugin.manifest {
        own.escaping = escaping.iter().map(|(pointer, _)| pointer.clone()).collect();
    }
    record_lost(plugin, file, escaping);
}

/// JSON pointers of the bad paths, with the field that each is in.
fn escaping(
    node: &Node,
    file: &SourceFile,
    plugin: &Plugin,
    source: &SourceFacts,
    found: &mut Vec<Diagnostic>,
) -> Vec<(JsonPointer, String)> {
    let is_path_field = |key: &str| {
        matches!(key, "skills" | "agents" | "commands") || source.manifest_components.contains_key(key)
    };
    let listed = file.path == source.marketplace;
    let mut out = Vec::new();
    for entry in node.entries().iter().filter(|entry| is_path_field(&entry.key)) {
        let pointer = JsonPointer::from_keys([entry.key.as_str()]);
        let inner: Vec<(JsonPointer, &Node)> = match &entry.node.value {
            // Commands that are declared by name are reported when they are read.
            Value::Map(commands) if entry.key == "commands" => {
                out.extend(
                    commands
                        .iter()
                        .filter(|command| !is_usable(command, listed))
                        .map(|command| (pointer.key(&command.key), entry.key.clone())),
                );
                Vec::new()
            }
            // `experimental` contains path fields itself.
            Value::Map(fields) if entry.key == "experimental" => fields
                .iter()
                .flat_map(|field: &MappingEntry| items(&pointer.key(&field.key), &field.node))
                .collect(),
            _ => items(&pointer, &entry.node),
        };
        for (pointer, item) in inner {
            let mut findings = Vec::new();
            let paths = if entry.key == "skills" { manifest::skill_folders } else { manifest::paths };
            paths(file, &plugin.root, item, &mut findings);
            if findings.is_empty() {
                continue;
            }
            out.push((pointer, entry.key.clone()));
            let known = |new: &Diagnostic| {
                found.iter().any(|old| {
                    (&old.rule, &old.path, old.line, old.column)
                        == (&new.rule, &new.path, new.line, new.column)
                })
            };
            findings.retain(|new| !known(new));
            found.append(&mut findings);
        }
    }
    out
}

/// Whether a command that is declared by name has a name and a file that can be used.
fn is_usable(command: &MappingEntry, listed: bool) -> bool {
    let source = command.node.get("source").and_then(Node::as_str);
    command_name(&command.key, listed).is_ok()
        && source.is_none_or(|path| manifest::path_inside(path).is_ok())
}

/// Removes the values at the pointers from a field.
fn without_values(entry: &MappingEntry, escaping: &[(JsonPointer, String)]) -> Option<MappingEntry> {
    let pointer = JsonPointer::from_keys([entry.key.as_str()]);
    let bad = |at: &JsonPointer| escaping.iter().any(|(pointer, _)| pointer == at);
    let mut entry = entry.clone();
    if let Value::List(items) = &mut entry.node.value {
        let mut at = 0;
        items.retain(|_| {
            at += 1;
            !bad(&pointer.item(at - 1))
        });
    }
    let in_map = matches!(entry.node.value, Value::Map(_))
        && escaping.iter().any(|(inner, _)| contains(&pointer, inner));
    (!bad(&pointer) && !in_map).then_some(entry)
}

/// The texts in a field: its value, or the items of its list.
fn items<'a>(pointer: &JsonPointer, node: &'a Node) -> Vec<(JsonPointer, &'a Node)> {
    match &node.value {
        Value::String(_) => vec![(pointer.clone(), node)],
        Value::List(items) => items
            .iter()
            .enumerate()
            .filter(|(_, item)| item.as_str().is_some())
            .map(|(at, item)| (pointer.item(at), item))
            .collect(),
        _ => Vec::new(),
    }
}

/// Marks components that only such a path declares as lost.
fn record_lost(plugin: &mut Plugin, file: &SourceFile, escaping: Vec<(JsonPointer, String)>) {
    for (pointer, field) in escaping {
        let whole = JsonPointer::from_keys([field.as_str()]);
        let at = plugin.others.iter().position(|other| {
            other.path == file.path && other.pointer.ends_with(whole.as_str()) && contains(&whole, &pointer)
        });
        let Some(other) = at.map(|at| plugin.others.remove(at)) else { continue };
        plugin.lost.push(LostComponent {
            kind: other.kind,
            name: other.name,
            path: other.path,
            pointer: Some(other.pointer),
            reason: REASON.to_owned(),
            misnamed: false,
        });
    }
}
