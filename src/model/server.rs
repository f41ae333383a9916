//! MCP and LSP servers: one component per entry. An entry that no host could start is reported, and a plain-text
//! credential in it becomes the name of a variable before anything reads it.

mod fields;
mod language;

use std::collections::BTreeMap;

use super::credentials::{self, CredentialOwner, Secret};
use super::plugin::{Declaration, OtherBody, OtherComponent};
use crate::diagnostic::{Diagnostic, RuleId};
use crate::read::tree::{MappingEntry, Node, Value};
use crate::source::{ComponentKind, Span};
use crate::source_format::SourceFacts;

pub use fields::is_absolute_url;

/// One server.
#[derive(Debug, Clone)]
pub struct ServerDefinition {
    /// The entry, with variables in place of credentials.
    pub node: Node,
    /// How it is reached: the `type` of the entry, else `stdio` or `http`.
    pub transport: String,
    /// Credentials that were in plain text.
    pub secrets: Vec<Secret>,
}

/// Adds every server of the object `node` to `out`; a later entry replaces an earlier one of the same name, as on the
/// source host.
pub fn find(
    kind: ComponentKind,
    node: &Node,
    place: &Declaration<'_>,
    source: &SourceFacts,
    out: &mut Vec<OtherComponent>,
    found: &mut Vec<Diagnostic>,
) {
    // MCP servers are inside `mcpServers` only in a separate file (2.1.330).
    let wrapped = node.entry("mcpServers").filter(|_| kind == ComponentKind::McpServer && place.own_file);
    let (servers, pointer) = match wrapped {
        Some(entry) => (&entry.node, place.pointer.key(&entry.key)),
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
        // The source host refuses an empty list, too, but nothing is lost with it.
        if servers.items().is_some_and(<[Node]>::is_empty) {
            return;
        }
        out.push(place.component(
            Some(kind),
            &place.file_name(),
            &pointer,
            servers.span,
            OtherBody::Whole,
            Some(fault),
        ));
        return;
    }
    // The last entry of a name applies; there may be thousands.
    let last: BTreeMap<&str, Span> =
        servers.entries().iter().map(|entry| (entry.key.as_str(), entry.key_span)).collect();
    let first = out.len();
    for entry in servers.entries() {
        let last = last.get(entry.key.as_str()) == Some(&entry.key_span);
        let pointer = pointer.key(&entry.key);
        let mut node = entry.node.clone();
        let title = format!("the server `{}`", entry.key);
        let owner = CredentialOwner { title: &title, prefix: &entry.key, shell: false };
        let secrets = credentials::replace(owner, &mut node, &pointer, place, found);
        let fault = if last { check(kind, entry, place, source, found) } else { Some(REPEATED.to_owned()) };
        let type_key = if kind == ComponentKind::LspServer { "transport" } else { "type" };
        let given = node.get(type_key).and_then(Node::as_str).map(str::to_owned);
        let transport = given.unwrap_or_else(|| if is_remote(&node) { "http" } else { "stdio" }.to_owned());
        let server = ServerDefinition { node, transport, secrets };
        out.push(place.component(
            Some(kind),
            &entry.key,
            &pointer,
            entry.span(),
            OtherBody::Server(Box::new(server)),
            fault,
        ));
    }
    if kind == ComponentKind::LspServer {
        skip_all_if_invalid(&mut out[first..]);
    }
}

/// Why the first of two servers with the same name is not used.
const REPEATED: &str = "the name is repeated below, and the last one is used";

/// Because of one invalid entry, the source host skips all LSP servers of a declaration.
fn skip_all_if_invalid(servers: &mut [OtherComponent]) {
    let Some(name) = servers
        .iter()
        .find(|one| one.fault.as_deref().is_some_and(|fault| fault != REPEATED))
        .map(|one| one.name.clone())
    else {
        return;
    };
    for other in servers.iter_mut().filter(|one| one.fault.is_none()) {
        other.fault = Some(format!("the source host skips all servers of the file because of `{name}`"));
    }
}

impl ServerDefinition {
    /// Whether it has an address, but neither a type nor a command.
    pub fn untyped(&self) -> bool {
        let has = |key: &str| self.node.get(key).is_some();
        has("url") && !has("type") && !has("command")
    }
}

/// The prefix of the source host's names for the tools of a server of any plugin.
pub const ANY_PLUGIN: &str = "mcp__plugin_";

/// The prefix of the source host's names for the tools of all servers of `plugin`.
pub fn tools_of_all(plugin: &str) -> String {
    format!("{ANY_PLUGIN}{}_", in_tool(plugin, '-'))
}

/// The prefix of the source host's names for the tools of a server.
pub fn tools_of(plugin: &str, server: &str) -> String {
    format!("{}{}__", tools_of_all(plugin), in_tool(server, '-'))
}

/// A name as it appears in the name of a tool, with `dash` in place of each `-`.
pub fn in_tool(name: &str, dash: char) -> String {
    let plain = |c: char| match c {
        '-' => dash,
        c if c.is_ascii_alphanumeric() => c,
        _ => '_',
    };
    name.chars().map(plain).collect()
}

/// Whether the source host connects to it; without a type, it starts the command, if there is one (2.1.330).
fn is_remote(node: &Node) -> bool {
    match node.get("type").and_then(Node::as_str) {
        Some(kind) => kind != "stdio",
        None => node.get("url").is_some() && node.get("command").is_none(),
    }
}

/// The rule about the structure of such a server.
fn shape(kind: ComponentKind) -> RuleId {
    if kind == ComponentKind::LspServer { RuleId::LSP_SHAPE } else { RuleId::MCP_SHAPE }
}

fn check(
    kind: ComponentKind,
    entry: &MappingEntry,
    place: &Declaration<'_>,
    source: &SourceFacts,
    found: &mut Vec<Diagnostic>,
) -> Option<String> {
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
    if kind == ComponentKind::McpServer
        && let Some(fault) = fields::name_and_type(entry, source, place, found)
    {
        return Some(fault);
    }
    let text = |key: &str| node.get(key).and_then(Node::as_str).is_some_and(|text| !text.trim().is_empty());
    let remote = kind == ComponentKind::McpServer && is_remote(node);
    let needed = if remote { "url" } else { "command" };
    if !text(needed) {
        let at = node.get(needed).unwrap_or(node);
        if remote && at.as_str().is_some() {
            // The source host lists it as not configured (2.1.330).
            let message = "no host connects to this server until its `url` is set";
            return Some(place.note(shape(kind), at, message, found));
        }
        return Some(place.refuse(
            shape(kind),
            at,
            &format!("the server `{}` needs `{needed}` as text", entry.key),
            &format!("add `\"{needed}\": \"…\"`"),
            found,
        ));
    }
    if kind == ComponentKind::LspServer
        && node.get("extensionToLanguage").is_none_or(|map| map.entries().is_empty())
    {
        let help = "add `\"extensionToLanguage\": { \".go\": \"go\" }`";
        return Some(place.refuse(
            shape(kind),
            node,
            &format!("the server `{}` needs `extensionToLanguage`", entry.key),
            help,
            found,
        ));
    }
    if kind == ComponentKind::McpServer {
        return fields::check(node, place, found);
    }
    language::check(entry, place, found)
}
