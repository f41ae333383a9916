//! MCP and LSP servers: one component an entry. An entry that no host could start is a finding, and a
//! credential that stands in it in clear becomes the name of a variable before anything reads it.

use super::plugin::{Body, Declared, OtherComponent, escaped};
use super::secret;
use crate::diagnostic::{Diagnostic, Severity};
use crate::read::tree::{Entry, Node, Value};
use crate::source::Span;

/// A credential that stood in clear.
#[derive(Debug, Clone)]
pub struct Secret {
    /// The JSON pointer of the value.
    pub pointer: String,
    /// The bytes of the value.
    pub span: Span,
    /// The variable that takes its place.
    pub variable: String,
}

/// One server.
#[derive(Debug, Clone)]
pub struct Server {
    /// The entry, with variables in place of credentials.
    pub node: Node,
    /// How it is reached: the `type` of the entry, else `stdio` or `http`.
    pub transport: String,
    /// Credentials that stood in clear.
    pub secrets: Vec<Secret>,
}

/// Adds every server of the object `node` to `out`; an entry of the same name that was declared
/// before gives way, as on the source host.
pub fn find(
    kind: &str,
    node: &Node,
    place: &Declared<'_>,
    out: &mut Vec<OtherComponent>,
    found: &mut Vec<Diagnostic>,
) {
    let wrapped = node.entry("mcpServers").or_else(|| node.entry("lspServers"));
    let (servers, pointer) = match wrapped {
        Some(entry) => (&entry.node, format!("{}/{}", place.pointer, entry.key)),
        None => (node, place.pointer.clone()),
    };
    if !matches!(servers.value, Value::Map(_)) {
        let fault = place.refuse(
            shape(kind),
            servers,
            "servers must be a mapping of names",
            "write `{ \"mcpServers\": { \"<name>\": { … } } }`",
            found,
        );
        out.push(place.component(
            Some(kind),
            &place.file_name(),
            &pointer,
            servers.span,
            Body::Whole,
            Some(fault),
        ));
        return;
    }
    for entry in servers.entries() {
        let last = servers.entry(&entry.key).is_some_and(|last| last.key_span == entry.key_span);
        let pointer = format!("{pointer}/{}", escaped(&entry.key));
        let mut node = entry.node.clone();
        let secrets = if kind == "mcp-server" {
            take_secrets(&entry.key, &mut node, &pointer, place, found)
        } else {
            Vec::new()
        };
        let fault = if last {
            check(kind, entry, place, found)
        } else {
            Some("the name is given again below, and the last one counts".to_owned())
        };
        let said = if kind == "lsp-server" { "transport" } else { "type" };
        let given = node.get(said).and_then(Node::as_str).map(str::to_owned);
        let transport =
            given.unwrap_or_else(|| if node.get("url").is_some() { "http" } else { "stdio" }.to_owned());
        let server = Server { node, transport, secrets };
        out.push(place.component(
            Some(kind),
            &entry.key,
            &pointer,
            entry.span(),
            Body::Server(Box::new(server)),
            fault,
        ));
    }
}

impl Server {
    /// Whether it has an address, and says neither a type nor a command.
    pub fn untyped(&self) -> bool {
        let has = |key: &str| self.node.get(key).is_some();
        has("url") && !has("type") && !has("command")
    }
}

/// The rule about the shape of such a server.
fn shape(kind: &str) -> &'static str {
    if kind == "lsp-server" { "lsp-shape" } else { "mcp-shape" }
}

fn check(kind: &str, entry: &Entry, place: &Declared<'_>, found: &mut Vec<Diagnostic>) -> Option<String> {
    let node = &entry.node;
    if !matches!(node.value, Value::Map(_)) {
        return Some(place.refuse(
            shape(kind),
            node,
            "a server must be a mapping",
            "write `{ \"command\": \"…\" }`",
            found,
        ));
    }
    let text = |key: &str| node.get(key).and_then(Node::as_str).is_some_and(|text| !text.trim().is_empty());
    let remote = kind == "mcp-server"
        && (node.get("url").is_some()
            || matches!(node.get("type").and_then(Node::as_str), Some("http" | "sse" | "ws")));
    let needed = if remote { "url" } else { "command" };
    if !text(needed) {
        let at = node.get(needed).unwrap_or(node);
        return Some(place.refuse(
            shape(kind),
            at,
            &format!("the server `{}` needs `{needed}` as text", entry.key),
            &format!("add `\"{needed}\": \"…\"`"),
            found,
        ));
    }
    if kind == "lsp-server" && node.get("extensionToLanguage").is_none_or(|map| map.entries().is_empty()) {
        let help = "add `\"extensionToLanguage\": { \".go\": \"go\" }`";
        return Some(place.refuse(
            shape(kind),
            node,
            &format!("the server `{}` needs `extensionToLanguage`", entry.key),
            help,
            found,
        ));
    }
    for key in ["env", "headers"] {
        let bad = |value: &&Node| {
            !matches!(value.value, Value::Map(_))
                || value.entries().iter().any(|entry| entry.node.scalar().is_none())
        };
        if let Some(value) = node.get(key).filter(bad) {
            return Some(place.refuse(
                shape(kind),
                value,
                &format!("`{key}` must be a mapping of texts"),
                &format!("write `\"{key}\": {{ \"NAME\": \"value\" }}`"),
                found,
            ));
        }
    }
    let list =
        |value: &&Node| value.items().is_none_or(|items| items.iter().any(|item| item.scalar().is_none()));
    if let Some(value) = node.get("args").filter(list) {
        return Some(place.refuse(
            shape(kind),
            value,
            "`args` must be a list of texts",
            "write `[\"…\"]`",
            found,
        ));
    }
    None
}

/// Puts variables in place of credentials; each is a warning at its place.
fn take_secrets(
    server: &str,
    node: &mut Node,
    pointer: &str,
    place: &Declared<'_>,
    found: &mut Vec<Diagnostic>,
) -> Vec<Secret> {
    let mut secrets = Vec::new();
    let Value::Map(fields) = &mut node.value else { return secrets };
    for field in fields.iter_mut().filter(|field| matches!(field.key.as_str(), "env" | "headers")) {
        let header = field.key == "headers";
        let pointer = format!("{pointer}/{}", field.key);
        let Value::Map(entries) = &mut field.node.value else { continue };
        for entry in entries {
            let Value::String(value) = &entry.node.value else { continue };
            let Some(part) = secret::in_clear(&entry.key, value, header) else { continue };
            let variable = secret::variable(server, &entry.key, header);
            let message = format!("`{}` of the server `{server}` holds a credential in clear", entry.key);
            let help =
                format!("write `${{{variable}}}` and set it in the environment; bundles carry that instead");
            found.push(
                Diagnostic::at(place.file, entry.node.span, Severity::Warning, "secret-in-config", message)
                    .help(help),
            );
            let text = value.replace(part, &format!("${{{variable}}}"));
            secrets.push(Secret {
                pointer: format!("{pointer}/{}", escaped(&entry.key)),
                span: entry.node.span,
                variable,
            });
            entry.node.value = Value::String(text);
        }
    }
    secrets
}
