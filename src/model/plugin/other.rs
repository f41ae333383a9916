//! Components that are no skills, agents or commands: found by file and by manifest field, one by one
//! (a hook is one handler), so that none of them is passed over.

use camino::{Utf8Path, Utf8PathBuf};

use super::Plugin;
use crate::read::format::SourceFacts;
use crate::read::json;
use crate::read::tree::{Entry, Node, Value};
use crate::source::{SourceTree, Span};

/// A component of another kind.
#[derive(Debug, Clone)]
pub struct OtherComponent {
    /// The kind, as target files call it.
    pub kind: String,
    /// Its name: of a hook `<event>/<matcher or *>/<n>`, of a server its key, else its file's.
    pub name: String,
    /// The file that declares it, relative to SRC.
    pub path: Utf8PathBuf,
    /// Where in a JSON file it is declared; empty for the whole file.
    pub pointer: String,
    /// The bytes that declare it.
    pub span: Option<Span>,
    /// Whether the file holds nothing but components of this kind.
    pub own_file: bool,
}

/// Fills `plugin.others`.
pub(super) fn find(tree: &SourceTree, plugin: &mut Plugin, source: &SourceFacts) {
    let mut out = Vec::new();
    for (place, kind) in &source.components {
        for path in &plugin.files.kept {
            let inner = plugin.inner(path);
            let folder = place.strip_suffix('/');
            let hit = folder.map_or(inner == place, |folder| inner.starts_with(folder));
            if !hit {
                continue;
            }
            let text = tree.get(path).and_then(|file| file.text()).filter(|_| folder.is_none());
            let node = text.and_then(|text| json::parse(text).0);
            let found = node.map(|node| declared(kind, &node, path, "", true)).unwrap_or_default();
            if found.is_empty() {
                out.push(whole(kind, path));
            }
            out.extend(found);
        }
    }
    let own =
        plugin.manifest.as_ref().map(|manifest| (&manifest.node, manifest.path.as_path(), String::new()));
    let listed = plugin
        .entry
        .as_ref()
        .map(|entry| (&entry.node, source.marketplace.as_str().into(), entry.pointer.clone()));
    for (field, kind) in &source.manifest_components {
        // The manifest counts where both declare a field.
        let place =
            own.iter().chain(&listed).find_map(|(node, path, base)| Some((node.entry(field)?, *path, base)));
        let Some((entry, path, base)) = place else { continue };
        let pointer = format!("{base}/{}", escaped(field));
        let found = declared(kind, &entry.node, path, &pointer, false);
        // An empty mapping declares nothing, and a file that is read anyway declares itself.
        let nothing = matches!(entry.node.value, Value::Map(_)) && entry.node.entries().is_empty();
        let read_anyway = |path: &str| source.components.contains_key(path.trim_start_matches("./"));
        if found.is_empty() && !nothing && !entry.node.as_str().is_some_and(read_anyway) {
            out.push(one(kind, field, path, pointer, entry.node.span, false));
        }
        out.extend(found);
    }
    plugin.others = out;
}

fn whole(kind: &str, path: &Utf8Path) -> OtherComponent {
    let name = path.file_name().unwrap_or(path.as_str()).to_owned();
    let (kind, path) = (kind.to_owned(), path.to_owned());
    OtherComponent { kind, name, path, pointer: String::new(), span: None, own_file: true }
}

fn one(
    kind: &str,
    name: &str,
    path: &Utf8Path,
    pointer: String,
    span: Span,
    own_file: bool,
) -> OtherComponent {
    let (kind, name, path) = (kind.to_owned(), name.to_owned(), path.to_owned());
    OtherComponent { kind, name, path, pointer, span: Some(span), own_file }
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The single components that the object `node` declares; none when it has another shape.
fn declared(kind: &str, node: &Node, path: &Utf8Path, pointer: &str, own_file: bool) -> Vec<OtherComponent> {
    match kind {
        "hook" => hooks(kind, node, path, pointer, own_file),
        "mcp-server" | "lsp-server" | "user-config" => {
            let wrapped = node.entry("mcpServers").or_else(|| node.entry("lspServers"));
            let (servers, pointer) = match wrapped {
                Some(entry) => (&entry.node, format!("{pointer}/{}", entry.key)),
                None => (node, pointer.to_owned()),
            };
            let server = |entry: &Entry| {
                let pointer = format!("{pointer}/{}", escaped(&entry.key));
                one(kind, &entry.key, path, pointer, entry.span(), own_file)
            };
            servers.entries().iter().map(server).collect()
        }
        _ => Vec::new(),
    }
}

/// One component a handler, numbered from 1 within its event and matcher.
fn hooks(kind: &str, node: &Node, path: &Utf8Path, pointer: &str, own_file: bool) -> Vec<OtherComponent> {
    let (events, pointer) = match node.entry("hooks") {
        Some(entry) => (&entry.node, format!("{pointer}/hooks")),
        None => (node, pointer.to_owned()),
    };
    let mut out: Vec<OtherComponent> = Vec::new();
    for event in events.entries() {
        for (group_at, group) in event.node.items().unwrap_or_default().iter().enumerate() {
            let matcher = group
                .get("matcher")
                .and_then(Node::as_str)
                .filter(|matcher| !matcher.is_empty())
                .unwrap_or("*");
            let handlers = group.get("hooks").and_then(Node::items).unwrap_or_default();
            for (at, handler) in handlers.iter().enumerate() {
                let prefix = format!("{}/{matcher}/", event.key);
                let number = out.iter().filter(|other| other.name.starts_with(&prefix)).count() + 1;
                let pointer = format!("{pointer}/{}/{group_at}/hooks/{at}", escaped(&event.key));
                out.push(one(kind, &format!("{prefix}{number}"), path, pointer, handler.span, own_file));
            }
        }
    }
    out
}
