//! The configurations of `.claude/launch.json` and their fields, each checked for its type.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::read::LaunchConfig;
use crate::disk;
use crate::printable::line;
use crate::read::json;
use crate::read::tree::{Node, Value};
use crate::runtime::answer::{CallFailure, MALFORMED};
use crate::runtime::document;
use crate::runtime::error_code::ErrorCode;

/// The placeholder of editors for the repository's top.
const TOP: &str = "${workspaceFolder}";

/// The keys of a configuration that are used.
pub(super) const KEYS: [&str; 6] = ["name", "runtimeExecutable", "runtimeArgs", "port", "cwd", "env"];

/// A text with its name for messages.
#[derive(Clone, Copy)]
pub(super) struct NamedText<'a> {
    pub(super) text: &'a str,
    pub(super) name: &'a str,
}

impl NamedText<'_> {
    /// The failure of a place in it.
    pub(super) fn malformed(self, code: ErrorCode, message: String, hint: &str, at: usize) -> CallFailure {
        let (line, col) = document::place(self.text, at);
        CallFailure::new(MALFORMED, code, message, hint).in_file(self.name, Some(line), Some(col))
    }
}

/// The file.
pub(super) struct LaunchFile {
    pub(super) root: Node,
    /// Its configurations, whose names differ.
    pub(super) configurations: Vec<RawConfiguration>,
    /// Whether it is not strict JSON.
    pub(super) jsonc: bool,
}

/// One configuration before its fields are read.
pub(super) struct RawConfiguration {
    pub(super) name: String,
    pub(super) node: Node,
}

impl LaunchFile {
    /// # Errors
    /// `malformed_json`, `malformed_config` or `duplicate_name`, with the place.
    pub(super) fn parse(source: NamedText<'_>) -> Result<Self, CallFailure> {
        let strict = json::parse(source.text).1.iter().all(|fault| fault.rescued);
        let root = document::jsonc_text(source.text, source.name)?;
        if !matches!(root.value, Value::Map(_)) {
            let message = format!("this is {}, not an object", root.kind());
            return Err(source.malformed(
                ErrorCode::MalformedJson,
                message,
                "write a JSON object",
                root.span.start,
            ));
        }
        let mut configurations: Vec<RawConfiguration> = Vec::new();
        let mut names = BTreeSet::new();
        for node in configuration_items(&root, source)? {
            let one = RawConfiguration::from_node(node, source)?;
            if !names.insert(one.name.clone()) {
                let message = format!("two configurations are called `{}`", one.name);
                let at = one.node.span.start;
                return Err(source.malformed(
                    ErrorCode::DuplicateName,
                    message,
                    "give each a different name",
                    at,
                ));
            }
            configurations.push(one);
        }
        Ok(Self { root, configurations, jsonc: !strict })
    }
}

/// The items of `configurations`; empty if it is missing.
fn configuration_items(root: &Node, source: NamedText<'_>) -> Result<Vec<Node>, CallFailure> {
    match root.get("configurations").map(|node| (node, &node.value)) {
        None | Some((_, Value::Null)) => Ok(Vec::new()),
        Some((_, Value::List(items))) => Ok(items.clone()),
        Some((node, _)) => {
            let message = format!("`configurations` is {}, not a list", node.kind());
            Err(source.malformed(
                ErrorCode::MalformedConfig,
                message,
                "write a list of objects",
                node.span.start,
            ))
        }
    }
}

impl RawConfiguration {
    pub(super) fn from_node(node: Node, source: NamedText<'_>) -> Result<Self, CallFailure> {
        let at = node.span.start;
        if !matches!(node.value, Value::Map(_)) {
            let message = format!("this configuration is {}, not an object", node.kind());
            return Err(source.malformed(ErrorCode::MalformedConfig, message, "write an object", at));
        }
        match node.get("name").and_then(Node::as_str).filter(|name| !name.trim().is_empty()) {
            Some(name) => Ok(Self { name: name.to_owned(), node }),
            None => {
                let message = "this configuration has no `name`".to_owned();
                Err(source.malformed(
                    ErrorCode::MalformedConfig,
                    message,
                    "give it one, such as `\"name\": \"web\"`",
                    at,
                ))
            }
        }
    }

    /// Its fields.
    ///
    /// # Errors
    /// `malformed_config` with the place of the first invalid field.
    pub(super) fn read(
        &self,
        source: NamedText<'_>,
        top: &Path,
        warnings: &mut Vec<String>,
    ) -> Result<LaunchConfig, CallFailure> {
        let field = |key: &str| self.node.get(key).filter(|node| node.value != Value::Null);
        let wrong = |key: &str, node: &Node, wanted: &str| {
            let message = format!("`{key}` of `{}` is {}, not {wanted}", self.name, shown_value(node));
            source.malformed(ErrorCode::MalformedConfig, message, &format!("write {wanted}"), node.span.start)
        };
        let word = |key: &str, node: &Node, wanted: &str| match node.as_str() {
            Some(word) if !word.trim().is_empty() && !word.contains('\0') => Ok(word.to_owned()),
            _ => Err(wrong(key, node, wanted)),
        };
        let executable = field("runtimeExecutable");
        let executable = executable.map(|node| word("runtimeExecutable", node, "the name of a program"));
        let mut arguments = Vec::new();
        if let Some(node) = field("runtimeArgs") {
            for item in node.items().ok_or_else(|| wrong("runtimeArgs", node, "a list of texts"))? {
                let text = item.as_str().filter(|text| !text.contains('\0'));
                arguments.push(text.ok_or_else(|| wrong("runtimeArgs", item, "a list of texts"))?.to_owned());
            }
        }
        let port = field("port").map(|node| {
            let number = node.scalar().and_then(|text| text.parse::<u16>().ok()).filter(|port| *port > 0);
            if number.is_some() && node.as_str().is_some() {
                let name = line(&self.name);
                warnings.push(format!("`port` of `{name}` is text; it is taken as a number"));
            }
            number.ok_or_else(|| wrong("port", node, "a whole number from 1 to 65535"))
        });
        let cwd = field("cwd").map(|node| {
            let given = word("cwd", node, "a folder inside the repository")?;
            folder(&given, top).ok_or_else(|| wrong("cwd", node, "a folder inside the repository"))
        });
        let mut env = BTreeMap::new();
        if let Some(node) = field("env") {
            if !matches!(node.value, Value::Map(_)) {
                return Err(wrong("env", node, "an object with texts"));
            }
            for entry in node.entries() {
                let value = entry.node.as_str().filter(|value| !value.contains('\0'));
                let value = value.ok_or_else(|| wrong("env", &entry.node, "an object with texts"))?;
                if entry.key.is_empty() || entry.key.contains(['\0', '=']) {
                    let message = format!("`{}` in `env` of `{}` names no variable", entry.key, self.name);
                    let at = entry.key_span.start;
                    return Err(source.malformed(
                        ErrorCode::MalformedConfig,
                        message,
                        "write the name of a variable",
                        at,
                    ));
                }
                env.insert(entry.key.clone(), value.to_owned());
            }
        }
        // Without `port`, the server listens where its variable says.
        let variable = || env.get("PORT").and_then(|text| text.parse().ok()).filter(|port| *port > 0);
        let port = port.transpose()?.or_else(variable);
        if let (Some(port), Some(own)) = (port, env.get_mut("PORT"))
            && own.parse() != Ok(port)
        {
            let (name, shown) = (line(&self.name), line(own));
            warnings.push(format!(
                "`PORT` in `env` of `{name}` is `{shown}`, but its `port` is {port}: the variable is not used"
            ));
            *own = port.to_string();
        }
        Ok(LaunchConfig {
            name: self.name.clone(),
            runtime_executable: executable.transpose()?,
            runtime_args: arguments,
            port,
            cwd: cwd.transpose()?.unwrap_or_else(|| ".".to_owned()),
            env,
        })
    }
}

/// A value as a message shows it.
fn shown_value(node: &Node) -> String {
    node.scalar().map_or_else(|| node.kind().to_string(), |text| format!("`{text}`"))
}

/// A folder named in the file, relative to the repository's top; `None` if it is outside.
fn folder(given: &str, top: &Path) -> Option<String> {
    let given = given.strip_prefix(TOP).map_or(given, |rest| rest.trim_start_matches('/'));
    let path = top.join(given);
    let relative = path.strip_prefix(top).ok()?.display().to_string();
    (!given.contains("${") && disk::is_inside(top, &path)).then(|| match relative.as_str() {
        "" => ".".to_owned(),
        _ => relative,
    })
}
