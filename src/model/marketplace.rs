//! The marketplace file of a source: which plugins it lists, and where each of them is, in the source or elsewhere.

mod remote;

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::manifest;
use super::manifest::fields::{self, ENTRY, MANIFEST, MARKETPLACE};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::read::pointer::JsonPointer;
use crate::read::tree::{MappingEntry, Node};
use crate::source::SourceFile;

/// A marketplace file that was read.
#[derive(Debug, Clone)]
pub struct Marketplace {
    /// The file, relative to SRC.
    pub path: Utf8PathBuf,
    /// The document.
    pub node: Node,
    /// Fields whose value the source host refuses; they are not carried.
    pub refused: Vec<String>,
    /// Its plugins, in the order of the file.
    pub entries: Vec<MarketplaceEntry>,
}

/// One plugin of a marketplace.
#[derive(Debug, Clone)]
pub struct MarketplaceEntry {
    /// The name in the list.
    pub name: String,
    /// The entry.
    pub node: Node,
    /// Its place in the file, as a JSON pointer.
    pub pointer: JsonPointer,
    /// Where the plugin is.
    pub source: EntrySource,
    /// Fields whose value the source host refuses; they are not carried.
    pub refused: Vec<String>,
}

/// The location of a listed plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntrySource {
    /// A folder, relative to SRC.
    Folder(Utf8PathBuf),
    /// A remote source, by its kind.
    Remote(String),
    /// Not usable; a finding tells why.
    Unusable,
}

/// Reads the entries of `node`, the document in `file`, which is the source host's `own` or was written for another
/// host. `kinds` are the kinds of remote source that the source host knows.
pub fn read(
    file: &SourceFile,
    node: Node,
    (own, kinds): (bool, &[String]),
    found: &mut Vec<Diagnostic>,
) -> Marketplace {
    let refused = refused_in(file, &node, own, &[MARKETPLACE], found);
    let mut entries: Vec<MarketplaceEntry> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let list = node.get("plugins");
    if list.and_then(Node::items).is_none() {
        let span = list.map_or(node.span, |list| list.span);
        found.push(
            Diagnostic::in_file(
                file,
                span,
                Severity::Error,
                RuleId::MANIFEST_FIELD,
                "`plugins` must be a list",
            )
            .help("write `\"plugins\": [ … ]`"),
        );
    }
    let base = node.get("metadata").and_then(|metadata| metadata.get("pluginRoot"));
    let inside = |base: &Node| bare_folder(base.as_str()?);
    if let Some(base) = base.filter(|base| inside(base).is_none()) {
        let message = "`pluginRoot` is not a folder of the marketplace";
        found.push(
            Diagnostic::in_file(file, base.span, Severity::Error, RuleId::MANIFEST_PATH, message)
                .help("write a folder such as `\"./plugins\"`"),
        );
    }
    let base = base.and_then(inside);
    let base = base.as_deref();
    for (at, item) in list.and_then(Node::items).unwrap_or_default().iter().enumerate() {
        let Some(name) = item.get("name").and_then(Node::as_str) else {
            let message = "a plugin of the marketplace has no `name`";
            found.push(
                Diagnostic::in_file(file, item.span, Severity::Error, RuleId::MANIFEST_FIELD, message)
                    .help("add `\"name\": \"…\"`"),
            );
            continue;
        };
        if let Some(first) = known.get(name).map(|at| &entries[*at]) {
            let message = format!("the marketplace lists `{name}` twice; only the first entry is used");
            let span = item.get("name").map_or(item.span, |node| node.span);
            found.push(
                Diagnostic::in_file(file, span, Severity::Error, RuleId::MARKETPLACE_DUPLICATE, message)
                    .help("rename or remove one of them")
                    .with_related(file, first.node.span, "first listed here"),
            );
            continue;
        }
        let refused = refused_in(file, item, own, &[MANIFEST, ENTRY], found);
        let source = source(file, item, base, kinds, found);
        if let (EntrySource::Remote(_), true) = (&source, own) {
            found.extend(remote::faults(file, item, name));
        }
        let from = item.get("source").filter(|_| own);
        if let Some((from, (kind, path))) = from.and_then(|from| Some((from, local(from, kinds)?))) {
            let message = format!("unknown source kind `{kind}`, which the host does not install");
            let found_here =
                Diagnostic::in_file(file, from.span, Severity::Error, RuleId::MANIFEST_FIELD, message);
            found.push(found_here.help(format!("write `\"source\": \"{path}\"`")));
        }
        known.insert(name.to_owned(), entries.len());
        entries.push(MarketplaceEntry {
            name: name.to_owned(),
            node: item.clone(),
            pointer: JsonPointer::from_keys(["plugins"]).item(at),
            source,
            refused,
        });
    }
    Marketplace { path: file.path.clone(), node, refused, entries }
}

/// The fields of `node` among `known` that the source host refuses. In a file for another host they are not reported,
/// but not carried either.
fn refused_in(
    file: &SourceFile,
    node: &Node,
    own: bool,
    known: &[&[(&str, fields::FieldShape)]],
    found: &mut Vec<Diagnostic>,
) -> Vec<String> {
    let of = known.iter().flat_map(|known| fields::refused_fields(file, node, known));
    let (keys, findings): (Vec<_>, Vec<_>) = of.unzip();
    found.extend(findings.into_iter().filter(|_| own));
    keys
}

/// A folder below the marketplace, with or without a leading `./`.
fn bare_folder(path: &str) -> Option<Utf8PathBuf> {
    manifest::path_inside(path).or_else(|_| manifest::path_inside(&format!("./{path}"))).ok()
}

fn source(
    file: &SourceFile,
    item: &Node,
    base: Option<&Utf8Path>,
    kinds: &[String],
    found: &mut Vec<Diagnostic>,
) -> EntrySource {
    let refuse_as = |rule, span, why: &str| {
        Diagnostic::in_file(file, span, Severity::Error, rule, format!("`source` {why}"))
            .help("write a folder such as `\"./plugins/name\"`, or an object with a `source` kind")
    };
    let refuse = |span, why: &str| refuse_as(RuleId::MANIFEST_FIELD, span, why);
    let escape = |span, why: &str| refuse_as(RuleId::MANIFEST_PATH, span, why);
    match item.entry("source") {
        None => found.push(refuse(item.span, "is missing")),
        Some(MappingEntry { node, .. }) => {
            if let Some(path) = node.as_str() {
                // A plain name is a folder in `pluginRoot`, if that is set (Claude Code since 2.1.239).
                let named = base.filter(|_| !path.starts_with(['.', '/']) && !path.contains(['/', '\\']));
                match (named, manifest::folder_inside(path)) {
                    (Some(base), _) => return EntrySource::Folder(manifest::join(base, Utf8Path::new(path))),
                    (None, Ok(folder)) => return EntrySource::Folder(folder),
                    (None, Err(why)) => found.push(escape(node.span, why)),
                }
            } else if let Some((_, path)) = local(node, kinds) {
                match manifest::folder_inside(path) {
                    Ok(folder) => return EntrySource::Folder(folder),
                    Err(why) => found.push(escape(node.span, why)),
                }
            } else if let Some(kind) = node.get("source").and_then(Node::as_str) {
                if !kinds.iter().any(|known| known == kind) {
                    let message = format!("unknown source kind `{kind}`, which the host does not install");
                    let help = format!("one of: {}", kinds.join(", "));
                    found.push(
                        Diagnostic::in_file(
                            file,
                            node.span,
                            Severity::Warning,
                            RuleId::MANIFEST_FIELD,
                            message,
                        )
                        .help(help),
                    );
                }
                return EntrySource::Remote(kind.to_owned());
            } else {
                found.push(refuse(node.span, "is neither a path nor an object with a `source` kind"));
            }
        }
    }
    EntrySource::Unusable
}

/// Kinds for a folder of the marketplace: one that other hosts have, and one that the source host has for marketplaces,
/// not for their plugins (Claude Code 2.1.330).
const FOLDER_KINDS: [&str; 2] = ["local", "directory"];

/// The kind and the folder of an entry such as `{ "source": "local", "path": "./x" }`.
fn local<'a>(node: &'a Node, kinds: &[String]) -> Option<(&'a str, &'a str)> {
    let kind = node.get("source").and_then(Node::as_str).filter(|kind| FOLDER_KINDS.contains(kind))?;
    let path =
        node.get("path").and_then(Node::as_str).filter(|_| !kinds.iter().any(|known| known == kind))?;
    Some((kind, path))
}
