//! Mappings within a manifest in which the source host refuses the whole plugin for one wrong value (Claude Code 2.1.330):
//! commands, channels, monitors, dependencies, and the options that the user is asked for when a plugin is installed.

use super::fields::{FieldFault, FieldShape, fault, field_fault, item_kind, kind};
use crate::read::tree::{MappingEntry, Node, NodeKind, Value};

/// The types of options that the source host asks the user for.
const KINDS: [&str; 5] = ["string", "number", "boolean", "directory", "file"];
/// The keys of an option with their values. The source host refuses a plugin with any other (Claude Code 2.1.330).
const OPTION: &[(&str, FieldShape)] = &[
    ("type", FieldShape::Text),
    ("title", FieldShape::Text),
    ("description", FieldShape::Text),
    ("default", FieldShape::OptionValue),
    ("required", FieldShape::Flag),
    ("sensitive", FieldShape::Flag),
    ("multiple", FieldShape::Flag),
    ("min", FieldShape::Number),
    ("max", FieldShape::Number),
    ("options", FieldShape::Texts),
];
/// The same for a monitor.
const MONITOR: &[(&str, FieldShape)] = &[
    ("name", FieldShape::FilledText),
    ("command", FieldShape::FilledText),
    ("description", FieldShape::FilledText),
    ("when", FieldShape::Text),
];
/// The same for a channel.
const CHANNEL_KEYS: [&str; 3] = ["server", "displayName", "userConfig"];

/// A key that the source host does not know in a mapping where it refuses any such key.
fn unknown_key<'a>(of: &str, node: &Node, known: impl IntoIterator<Item = &'a str>) -> Option<FieldFault> {
    let known: Vec<&str> = known.into_iter().collect();
    let entry = node.entries().iter().find(|entry| !known.contains(&entry.key.as_str()))?;
    let message = format!("{of} has an unknown key `{}`, with which the host refuses the plugin", entry.key);
    let help = format!("remove it; the keys are `{}`", known.join("`, `"));
    Some(FieldFault { span: entry.key_span, message, help })
}

/// What is wrong with the mapping `node`: it lacks a key of `needed`, or has a value that is not of its shape in
/// `known`, or a key that is not in `known`.
fn mapping_fault(of: &str, node: &Node, needed: &[&str], known: &[(&str, FieldShape)]) -> Option<FieldFault> {
    if let Some(key) = needed.iter().find(|key| node.get(key).is_none()) {
        return Some(fault(node, format!("{of} has no `{key}`"), &format!("add `\"{key}\": \"…\"`")));
    }
    let wrong = |(key, shape): &(&str, FieldShape)| field_fault(key, node.get(key)?, *shape);
    known.iter().find_map(wrong).or_else(|| unknown_key(of, node, known.iter().map(|(key, _)| *key)))
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
    unknown_key(&of, node, CHANNEL_KEYS).or_else(|| options("userConfig", node.get("userConfig")?))
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
    let of = format!("the option `{key}`");
    if let Some(found) = mapping_fault(&of, node, &["type", "title", "description"], OPTION) {
        return Some(found);
    }
    let stated_type = node.get("type")?;
    let known = stated_type.as_str().is_some_and(|stated_type| KINDS.contains(&stated_type));
    if !known {
        let message = format!("the option `{key}` has an unknown `type`");
        return Some(fault(stated_type, message, &format!("one of: {}", KINDS.join(", "))));
    }
    choice_fault(&of, node)
}

/// What is wrong with the list of values of which the user can choose one.
fn choice_fault(of: &str, node: &Node) -> Option<FieldFault> {
    let list = node.get("options")?;
    let is = |key: &str| node.get(key).is_some_and(|value| value.value == Value::Bool(true));
    let is_text = node.get("type").and_then(Node::as_str) == Some("string");
    if !is_text || is("multiple") || is("sensitive") {
        let message = format!("{of} cannot have `options`");
        return Some(fault(
            list,
            message,
            "only an option of the type `string` that is neither `multiple` nor `sensitive` can",
        ));
    }
    let values = list.items().unwrap_or_default();
    let default = node.get("default").and_then(Node::as_str);
    let is_one = default.is_some_and(|default| values.iter().any(|value| value.as_str() == Some(default)));
    (values.is_empty() || !is_one && !is("required")).then(|| {
        let message = format!("{of} has `options`, but none of them is its `default`");
        fault(list, message, "write one of its values as `default`, or set `\"required\": true`")
    })
}

/// A path, or monitors in a list.
pub(super) fn monitors(key: &str, node: &Node) -> Option<FieldFault> {
    match node.items() {
        Some(items) => items.iter().find_map(|item| monitor(key, item)),
        None if node.as_str().is_some() => None,
        None => {
            let message = format!("`{key}` must be a path or a list, found {}", node.kind());
            Some(fault(node, message, "write the path of a file, which starts with `./`, or the list itself"))
        }
    }
}

/// One monitor.
fn monitor(key: &str, node: &Node) -> Option<FieldFault> {
    const EVENT: &str = "on-skill-invoke:";
    let of = format!("an item of `{key}`");
    item_kind(key, node, NodeKind::Mapping)
        .or_else(|| mapping_fault(&of, node, &["name", "command", "description"], MONITOR))
        .or_else(|| {
            let when = node.get("when")?;
            let text = when.as_str()?;
            let sound = text == "always" || text.strip_prefix(EVENT).is_some_and(|skill| !skill.is_empty());
            (!sound).then(|| {
                let help = format!("write `always` or `{EVENT}NAME`");
                fault(when, "the host does not know this value of `when`".to_owned(), &help)
            })
        })
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
    let found = kind(name, node, NodeKind::Mapping)
        .or_else(|| fields.into_iter().find_map(text))
        .or_else(tools)
        .or_else(|| {
            let has = |key: &str| node.get(key).and_then(Node::as_str).is_some_and(|text| !text.is_empty());
            let given = |key: &str| node.get(key).is_some();
            // One that has neither is a finding of `component-format`.
            let is_refused = (given("source") || given("content")) && has("source") == has("content")
                || given("source") && !has("source");
            is_refused.then(|| {
                let message = "the host wants either a `source` or a `content` with text".to_owned();
                fault(node, message, "write the path of a file as `source`, or the prompt as `content`")
            })
        })?;
    Some(of_command(found))
}

/// One plugin that must be installed, too.
pub(super) fn dependency(key: &str, item: &Node) -> Option<FieldFault> {
    let name = item.get("name").unwrap_or(item).as_str();
    let is_marketplace =
        |place: &Node| place.as_str().is_some_and(|text| is_plugin_id(text) && !text.contains('@'));
    let sound = name.is_some_and(is_plugin_id) && item.get("marketplace").is_none_or(is_marketplace);
    (!sound).then(|| {
        fault(
            item,
            format!("an item of `{key}` does not name a plugin and its marketplace as the host expects"),
            "write `name` or `name@marketplace`, of letters, digits, `.`, `_` and `-`",
        )
    })
}

/// Whether `text` names a plugin, alone or with its marketplace.
fn is_plugin_id(text: &str) -> bool {
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    };
    text.split('@').count() < 3 && text.split('@').all(is_part)
}
