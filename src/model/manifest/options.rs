//! Mappings within a manifest in which the source host refuses the whole plugin for one wrong value (Claude Code 2.1.330):
//! commands, channels, and the options that the user is asked for when a plugin is installed.

use super::fields::{FieldFault, fault, item_kind, kind};
use crate::read::tree::{MappingEntry, Node, NodeKind};

/// The types of options that the source host asks the user for.
const KINDS: [&str; 5] = ["string", "number", "boolean", "directory", "file"];
/// The keys of an option. The source host refuses a plugin with any other (Claude Code 2.1.330).
const OPTION_KEYS: [&str; 10] =
    ["type", "title", "description", "default", "required", "sensitive", "multiple", "min", "max", "options"];
/// The same for a channel.
const CHANNEL_KEYS: [&str; 3] = ["server", "displayName", "userConfig"];

/// A key that the source host does not know in a mapping where it refuses any such key.
fn unknown_key(of: &str, node: &Node, known: &[&str]) -> Option<FieldFault> {
    let entry = node.entries().iter().find(|entry| !known.contains(&entry.key.as_str()))?;
    let message = format!("{of} has an unknown key `{}`, with which the host refuses the plugin", entry.key);
    let help = format!("remove it; the keys are `{}`", known.join("`, `"));
    Some(FieldFault { span: entry.key_span, message, help })
}

/// The options that the user is asked for.
pub(super) fn options(key: &str, node: &Node) -> Option<FieldFault> {
    kind(key, node, NodeKind::Mapping).or_else(|| node.entries().iter().find_map(option))
}

/// A server through which messages come in.
pub(super) fn channel(key: &str, node: &Node) -> Option<FieldFault> {
    let of = format!("an item of `{key}`");
    if node.get("server").and_then(Node::as_str).is_none_or(str::is_empty) {
        return Some(fault(node, format!("{of} has no `server`"), "add `\"server\": \"…\"`"));
    }
    unknown_key(&of, node, &CHANNEL_KEYS).or_else(|| options("userConfig", node.get("userConfig")?))
}

/// One option that the user is asked for.
fn option(entry: &MappingEntry) -> Option<FieldFault> {
    let (key, node) = (entry.key.as_str(), &entry.node);
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if key.is_empty() || key.starts_with(|c: char| c.is_ascii_digit()) || !key.chars().all(is_part) {
        let message = format!("`{key}` cannot be the name of an option: the host refuses the plugin");
        let help = "use letters, digits and `_`, and begin with a letter or `_`".to_owned();
        return Some(FieldFault { span: entry.key_span, message, help });
    }
    if let Some(found) = kind(key, node, NodeKind::Mapping) {
        return Some(found);
    }
    for needed in ["type", "title", "description"] {
        match node.get(needed) {
            None => {
                let help = format!("add `\"{needed}\": \"…\"`");
                return Some(fault(node, format!("the option `{key}` has no `{needed}`"), &help));
            }
            Some(value) => {
                if let Some(found) = kind(needed, value, NodeKind::Text) {
                    return Some(found);
                }
            }
        }
    }
    let stated_type = node.get("type")?;
    let known = stated_type.as_str().is_some_and(|stated_type| KINDS.contains(&stated_type));
    if !known {
        let message = format!("the option `{key}` has an unknown `type`");
        return Some(fault(stated_type, message, &format!("one of: {}", KINDS.join(", "))));
    }
    unknown_key(&format!("the option `{key}`"), node, &OPTION_KEYS)
}

/// One command of the mapping `commands`. The host ignores keys that it does not know.
pub(super) fn command(entry: &MappingEntry) -> Option<FieldFault> {
    let (name, node) = (entry.key.as_str(), &entry.node);
    let of_command = |found: FieldFault| {
        let message = format!("the command `{name}`: {}", found.message);
        FieldFault { message, ..found }
    };
    let text = |key: &str| kind(key, node.get(key)?, NodeKind::Text);
    let tools = || {
        let list = node.get("allowedTools")?;
        let item = |item| item_kind("allowedTools", item, NodeKind::Text);
        kind("allowedTools", list, NodeKind::List).or_else(|| list.items()?.iter().find_map(item))
    };
    let fields = ["source", "content", "description", "argumentHint", "model"];
    let found =
        kind(name, node, NodeKind::Mapping).or_else(|| fields.into_iter().find_map(text)).or_else(tools)?;
    Some(of_command(found))
}
