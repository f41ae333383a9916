//! The fields of a manifest and of a marketplace file with the values that the pinned source host accepts (Claude Code
//! 2.1.330: each form below was given to `plugin validate` and to `plugin install`, and a wrong one keeps the whole
//! plugin or marketplace from loading).

use super::options::{channel, command, dependency, monitors, options};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::read::tree::{Node, NodeKind, Value};
use crate::source::{SourceFile, Span};

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldShape {
    /// Text.
    Text,
    /// Text that is not empty.
    FilledText,
    /// A number.
    Number,
    /// What a user can set as an option: a value, or a list of texts.
    OptionValue,
    /// A whole address, such as `https://example.org`.
    Address,
    /// `true` or `false`.
    Flag,
    /// A list of texts.
    Texts,
    /// A mapping with any content.
    Mapping,
    /// A mapping with a `name` that is not empty.
    Person,
    /// A list of plugin names, or of mappings with a `name`.
    Dependencies,
    /// A mapping of options that the user is asked for.
    Options,
    /// A list of mappings with a `server`.
    Channels,
    /// What a marketplace says about itself: a mapping of texts.
    Descriptions,
    /// A path or a list of paths.
    Paths,
    /// Paths, or the declaration itself as a mapping, or a list of both.
    Declared,
    /// Paths, or a mapping of commands by name.
    Commands,
    /// A path, or a list of mappings.
    Monitors,
    /// A mapping whose monitors, themes and evaluations have the forms of those fields.
    Experimental,
    /// Anything: another check validates it.
    Anything,
}

/// The fields of `plugin.json`.
pub const MANIFEST: &[(&str, FieldShape)] = &[
    ("$schema", FieldShape::Text),
    ("name", FieldShape::Text),
    ("version", FieldShape::Text),
    ("description", FieldShape::Text),
    ("displayName", FieldShape::Text),
    ("homepage", FieldShape::Address),
    ("repository", FieldShape::Text),
    ("license", FieldShape::Text),
    ("author", FieldShape::Person),
    ("keywords", FieldShape::Texts),
    ("defaultEnabled", FieldShape::Flag),
    ("dependencies", FieldShape::Dependencies),
    ("settings", FieldShape::Mapping),
    ("userConfig", FieldShape::Options),
    ("channels", FieldShape::Channels),
    ("skills", FieldShape::Paths),
    ("agents", FieldShape::Paths),
    ("commands", FieldShape::Commands),
    ("hooks", FieldShape::Declared),
    ("mcpServers", FieldShape::Declared),
    ("lspServers", FieldShape::Declared),
    ("outputStyles", FieldShape::Paths),
    ("workflows", FieldShape::Paths),
    ("monitors", FieldShape::Monitors),
    ("themes", FieldShape::Paths),
    ("experimental", FieldShape::Experimental),
    ("metadata", FieldShape::Anything),
    ("types", FieldShape::Anything),
];

/// The fields of a marketplace file.
pub const MARKETPLACE: &[(&str, FieldShape)] = &[
    ("$schema", FieldShape::Text),
    ("name", FieldShape::Text),
    ("owner", FieldShape::Person),
    ("description", FieldShape::Text),
    ("version", FieldShape::Text),
    ("metadata", FieldShape::Descriptions),
    ("renames", FieldShape::Mapping),
    ("allowCrossMarketplaceDependenciesOn", FieldShape::Texts),
    ("plugins", FieldShape::Anything),
];

/// The fields of a marketplace entry besides those of a manifest.
pub const ENTRY: &[(&str, FieldShape)] = &[
    ("source", FieldShape::Anything),
    ("category", FieldShape::Text),
    ("tags", FieldShape::Texts),
    ("strict", FieldShape::Flag),
    ("relevance", FieldShape::Anything),
];

/// The fault of a value.
pub(super) struct FieldFault {
    pub(super) span: Span,
    pub(super) message: String,
    pub(super) help: String,
}

/// The fields of `node` among `known` that the source host refuses, with the finding for each.
pub fn refused_fields(
    file: &SourceFile,
    node: &Node,
    known: &[(&str, FieldShape)],
) -> Vec<(String, Diagnostic)> {
    let mut out = Vec::new();
    for (key, shape) in known {
        let Some(entry) = node.entry(key) else { continue };
        if let Some(fault) = field_fault(key, &entry.node, *shape) {
            let found =
                Diagnostic::in_file(file, fault.span, Severity::Error, RuleId::MANIFEST_FIELD, fault.message);
            out.push(((*key).to_owned(), found.help(fault.help)));
        }
    }
    out
}

/// Whether `node` has a value of `key` that the source host refuses; `false` for a field that is not in `known`.
pub fn refuses(node: &Node, key: &str, known: &[(&str, FieldShape)]) -> bool {
    let shape = known.iter().find(|(name, _)| *name == key).map(|(_, shape)| *shape);
    shape.zip(node.get(key)).is_some_and(|(shape, value)| field_fault(key, value, shape).is_some())
}

/// Why `node` cannot be the value of `key`.
pub(super) fn field_fault(key: &str, node: &Node, shape: FieldShape) -> Option<FieldFault> {
    match shape {
        FieldShape::Anything => None,
        FieldShape::Text => kind(key, node, NodeKind::Text),
        FieldShape::FilledText => kind(key, node, NodeKind::Text).or_else(|| {
            let empty = node.as_str() == Some("");
            empty.then(|| fault(node, format!("`{key}` is empty"), "write some text"))
        }),
        FieldShape::Number => kind(key, node, NodeKind::Number),
        FieldShape::OptionValue => match node.kind() {
            NodeKind::List => field_fault(key, node, FieldShape::Texts),
            NodeKind::Null | NodeKind::Mapping => {
                let message = format!("`{key}` cannot be {}", node.kind());
                Some(fault(node, message, "write text, a number, `true`, `false` or a list of texts"))
            }
            NodeKind::Boolean | NodeKind::Number | NodeKind::Text => None,
        },
        FieldShape::Flag => kind(key, node, NodeKind::Boolean),
        FieldShape::Mapping => kind(key, node, NodeKind::Mapping),
        FieldShape::Address => kind(key, node, NodeKind::Text).or_else(|| address(key, node)),
        FieldShape::Texts => kind(key, node, NodeKind::List)
            .or_else(|| node.items()?.iter().find_map(|item| item_kind(key, item, NodeKind::Text))),
        FieldShape::Person => kind(key, node, NodeKind::Mapping).or_else(|| person_fault(key, node)),
        FieldShape::Dependencies => kind(key, node, NodeKind::List)
            .or_else(|| node.items()?.iter().find_map(|item| dependency(key, item))),
        FieldShape::Options => options(key, node),
        FieldShape::Channels => kind(key, node, NodeKind::List)
            .or_else(|| node.items()?.iter().find_map(|item| channel(key, item))),
        FieldShape::Descriptions => kind(key, node, NodeKind::Mapping).or_else(|| {
            ["description", "version"].into_iter().find_map(|key| kind(key, node.get(key)?, NodeKind::Text))
        }),
        FieldShape::Paths => paths(key, node, false),
        FieldShape::Declared => paths(key, node, true),
        FieldShape::Monitors => monitors(key, node),
        FieldShape::Commands if node.kind() == NodeKind::Mapping => node.entries().iter().find_map(command),
        FieldShape::Commands => paths(key, node, false),
        FieldShape::Experimental => {
            let part = |key, shape| field_fault(key, node.get(key)?, shape);
            part("monitors", FieldShape::Monitors)
                .or_else(|| part("themes", FieldShape::Paths))
                .or_else(|| part("evals", FieldShape::Paths))
        }
    }
}

pub(super) fn fault(node: &Node, message: String, help: &str) -> FieldFault {
    FieldFault { span: node.span, message, help: help.to_owned() }
}

/// The fault of the field `key` if its value is not of the kind `wanted`.
pub(super) fn kind(key: &str, node: &Node, wanted: NodeKind) -> Option<FieldFault> {
    let found = node.kind();
    (found != wanted).then(|| {
        let help = match (key, wanted, &node.value) {
            ("author" | "owner", _, Value::String(name)) => {
                format!("write `\"{key}\": {{ \"name\": \"{name}\" }}`")
            }
            ("repository", _, Value::Map(_)) => "write only the URL, as text".to_owned(),
            (_, NodeKind::List, Value::String(_)) => format!("write `\"{key}\": [\"…\", \"…\"]`"),
            (_, NodeKind::Boolean, _) => format!("write `\"{key}\": true`, or leave it out"),
            _ => format!("write `{key}` as {wanted}"),
        };
        fault(node, format!("`{key}` must be {wanted}, found {found}"), &help)
    })
}

/// The fault of an item of the list `key` that is not of the kind `wanted`.
pub(super) fn item_kind(key: &str, item: &Node, wanted: NodeKind) -> Option<FieldFault> {
    let found = item.kind();
    (found != wanted).then(|| {
        let message = format!("an item of `{key}` must be {wanted}, found {found}");
        fault(item, message, &format!("write it as {wanted}"))
    })
}

/// Hosts accept an address with a scheme and, after `//`, a host name without spaces.
fn address(key: &str, node: &Node) -> Option<FieldFault> {
    let text = node.as_str()?.trim();
    let scheme = text.split_once(':').filter(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    let sound = scheme.is_some_and(|(scheme, rest)| {
        let web = matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https");
        let host = rest.trim_start_matches('/').split(['/', '?', '#']).next().unwrap_or_default();
        !web || !host.is_empty() && !host.contains([' ', '<', '>', '^', '|', '%'])
    });
    (!sound).then(|| {
        let message = format!("`{key}` is not a URL");
        fault(node, message, "write the full URL, such as `https://example.org`, or leave it out")
    })
}

fn person_fault(key: &str, node: &Node) -> Option<FieldFault> {
    let help = "add `\"name\": \"…\"`";
    let name = match node.get("name") {
        None => return Some(fault(node, format!("`{key}` has no `name`"), help)),
        Some(name) => name,
    };
    if let Some(found) = kind("name", name, NodeKind::Text) {
        return Some(found);
    }
    if name.as_str() == Some("") {
        return Some(fault(name, format!("the `name` of `{key}` is empty"), help));
    }
    ["email", "url"].into_iter().find_map(|key| kind(key, node.get(key)?, NodeKind::Text))
}

fn paths(key: &str, node: &Node, mapping: bool) -> Option<FieldFault> {
    let sound = |item: &Node| match item.value {
        Value::String(_) => true,
        Value::Map(_) => mapping,
        _ => false,
    };
    if let Some(items) = node.items() {
        // In the other fields, an item that is not a path is reported when their paths are read.
        let looked_at = !matches!(key, "skills" | "agents" | "commands" | "workflows");
        let item = items.iter().find(|item| looked_at && !sound(item))?;
        let form = if mapping { "a path or a mapping" } else { "a path" };
        let message = format!("an item of `{key}` must be {form}, found {}", item.kind());
        return Some(fault(item, message, "remove it, or write a path that starts with `./`"));
    }
    if sound(node) {
        let sources = node.entries().iter().filter(|_| key == "commands");
        return sources.filter_map(|entry| kind("source", entry.node.get("source")?, NodeKind::Text)).next();
    }
    let forms = if mapping { "a path, a list or a mapping" } else { "a path or a list of paths" };
    let message = format!("`{key}` must be {forms}, found {}", node.kind());
    Some(fault(node, message, "start a path with `./` and stay inside the plugin"))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::read::json;
    use crate::source::FileContent;

    fn messages(text: &str) -> Vec<String> {
        let content = FileContent::Text(text.into());
        let file = SourceFile::new("p.json".into(), PathBuf::new(), false, text.len() as u64, content);
        let node = json::parse(text).0.expect("JSON");
        refused_fields(&file, &node, MANIFEST).into_iter().map(|(_, found)| found.message).collect()
    }

    /// The values that `plugin validate` of Claude Code 2.1.330 accepts, and those that it refuses.
    #[test]
    fn fields_are_refused_as_the_source_host_refuses_them() {
        for sound in [
            r#""homepage": "mailto:x@y""#,
            r#""homepage": "https://example.org/a b""#,
            r#""repository": """#,
            r#""author": { "name": "B", "url": "nope", "x": 1 }"#,
            r#""dependencies": ["a", { "name": "b", "version": "1" }]"#,
            r#""userConfig": { "_k1": { "type": "file", "title": "t", "description": "d", "min": 1, "sensitive": true } }"#,
            r#""channels": [{ "server": "a", "displayName": "x", "userConfig": {} }]"#,
            r#""dependencies": ["A_B", "a.b@mk", { "name": "a", "x": 1 }]"#,
            r#""hooks": ["./h.json", { "hooks": {} }]"#,
            r#""experimental": "x", "zzz": 1"#,
            r#""experimental": { "evals": ["./e"] }"#,
            r#""monitors": [{ "name": "x", "command": "y", "description": "d", "when": "on-skill-invoke:a" }]"#,
            r#""commands": { "x": { "source": "./c.md", "content": "" }, "y": { "content": "x" } }"#,
            r#""dependencies": [{ "name": "b", "version": 1, "marketplace": "m" }]"#,
        ] {
            assert_eq!(messages(&format!("{{ {sound} }}")), [""; 0], "{sound}");
        }
        for wrong in [
            r#""homepage": "example.org/a""#,
            r#""homepage": "https://exa mple.org""#,
            r#""homepage": """#,
            r#""repository": { "url": "x" }"#,
            r#""author": { "email": "x" }"#,
            r#""author": { "name": "" }"#,
            r#""author": { "name": "B", "email": 3 }"#,
            r#""keywords": [1]"#,
            r#""version": null"#,
            r#""dependencies": { "a": "1" }"#,
            r#""dependencies": ["A B"]"#,
            r#""defaultEnabled": "true""#,
            r#""settings": []"#,
            r#""userConfig": { "k": { "type": "text", "title": "t", "description": "d" } }"#,
            r#""userConfig": { "k": { "type": "string", "description": "d" } }"#,
            r#""channels": [{ "displayName": "x" }]"#,
            r#""channels": [{ "server": "" }]"#,
            r#""channels": [{ "server": "a", "name": "x" }]"#,
            r#""channels": [{ "server": "a", "userConfig": { "k": { "type": "string" } } }]"#,
            r#""userConfig": { "k": { "type": "string", "title": "t", "description": "d", "placeholder": "x" } }"#,
            r#""userConfig": { "api-key": { "type": "string", "title": "t", "description": "d" } }"#,
            r#""userConfig": { "1k": { "type": "string", "title": "t", "description": "d" } }"#,
            r#""dependencies": ["@scope/x"]"#,
            r#""dependencies": ["a@"]"#,
            r#""dependencies": ["./skills"]"#,
            r#""dependencies": [{ "name": "@s/a" }]"#,
            r#""skills": 1"#,
            r#""agents": {}"#,
            r#""hooks": 1"#,
            r#""hooks": ["./h.json", 5]"#,
            r#""hooks": ["./h.json", null]"#,
            r#""hooks": [["./h.json"]]"#,
            r#""mcpServers": ["./m.json", 5]"#,
            r#""lspServers": ["./l.json", 5]"#,
            r#""outputStyles": ["./o.md", 5]"#,
            r#""outputStyles": [{}]"#,
            r#""monitors": ["./m.json"]"#,
            r#""themes": {}"#,
            r#""experimental": { "monitors": 5 }"#,
            r#""experimental": { "monitors": {} }"#,
            r#""experimental": { "themes": [5] }"#,
            r#""commands": { "c": { "source": 5 } }"#,
            r#""commands": { "c": { "content": "" } }"#,
            r#""commands": { "c": { "source": "./c.md", "content": "x" } }"#,
            r#""commands": { "c": { "source": "", "content": "x" } }"#,
            r#""dependencies": [{ "name": "b", "marketplace": 1 }]"#,
            r#""dependencies": [{ "name": "b", "marketplace": "a b" }]"#,
            r#""experimental": { "evals": 1 }"#,
            r#""monitors": [{ "name": "x" }]"#,
            r#""monitors": [{ "name": "x", "command": "", "description": "d" }]"#,
            r#""monitors": [{ "name": "x", "command": "y", "description": "d", "zz": 1 }]"#,
            r#""monitors": [{ "name": "x", "command": "y", "description": "d", "when": "never" }]"#,
        ] {
            assert_eq!(messages(&format!("{{ {wrong} }}")).len(), 1, "{wrong}");
        }
        for (option, faults) in [
            (r#""default": ["a"]"#, 0),
            (r#""options": ["a"], "default": "a""#, 0),
            (r#""options": ["a"], "required": true"#, 0),
            (r#""default": null"#, 1),
            (r#""default": {}"#, 1),
            (r#""default": [1]"#, 1),
            (r#""min": null"#, 1),
            (r#""max": "1""#, 1),
            (r#""required": "true""#, 1),
            (r#""sensitive": "yes""#, 1),
            (r#""multiple": 1"#, 1),
            (r#""options": []"#, 1),
            (r#""options": [1]"#, 1),
            (r#""options": ["a"]"#, 1),
            (r#""options": ["a"], "default": "a", "sensitive": true"#, 1),
        ] {
            let text = format!(
                r#"{{ "userConfig": {{ "k": {{ "type": "string", "title": "t", "description": "d", {option} }} }} }}"#
            );
            assert_eq!(messages(&text).len(), faults, "{option}");
        }
    }
}
