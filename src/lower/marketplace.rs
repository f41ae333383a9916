//! The marketplace file in the host's own shape, with a row for every entry and field of the source's.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value as Json;

use super::declared_rows::Declarations;
use super::{LoweredBundle, manifest, rows, shape};
use crate::bundle::{BundleNode, NodeContent};
use crate::ledger::{ComponentKind, LedgerRow, LossClass, RowOutcome};
use crate::model::marketplace::{EntrySource, Marketplace, MarketplaceEntry};
use crate::model::plugin::{self, Plugin};
use crate::model::project::Project;
use crate::read::format::SourceFacts;
use crate::read::tree::Node as Tree;
use crate::source::SourceFile;
use crate::target::{Axis, MarketplaceFacts, Target};

/// Which pointers of the source's file the host's own file says.
#[derive(Default)]
struct UsedPointers {
    document: Vec<String>,
    entry: Vec<String>,
}

/// Emits the marketplace file, and the rows of the source's.
pub(super) fn lower(project: &Project, target: &Target, source: &SourceFacts, cast: &mut LoweredBundle) {
    let mut used = UsedPointers::default();
    if let Some(facts) = &target.marketplace {
        let path = Utf8PathBuf::from(&facts.path);
        let content = NodeContent::document(&path, document(project, target, facts, &mut used));
        cast.nodes.push(BundleNode { path, executable: false, content, from: None });
    }
    let Some(marketplace) = &project.marketplace else { return };
    let Some(file) = project.tree.get(&marketplace.path) else { return };
    let renamed = target.marketplace.as_ref().map(|facts| shown_name(project, facts));
    let renamed = renamed.filter(|name| *name != project.marketplace_name);
    top_rows(marketplace, target, file, (&used, renamed), cast);
    used.entry.sort();
    used.entry.dedup();
    let declared = Declarations::new(&file.path, cast);
    let listed = project
        .plugins
        .iter()
        .rev()
        .filter_map(|plugin| Some((plugin.entry.as_ref()?.name.as_str(), plugin)));
    let plugins: BTreeMap<&str, &Plugin> = listed.collect();
    for entry in &marketplace.entries {
        let plugin = plugins.get(entry.name.as_str()).copied();
        let is_there =
            |plugin: &&Plugin| matches!(&entry.source, EntrySource::Folder(root) if *root == plugin.root);
        let same_folder = project.plugins.iter().find(is_there);
        LoweredEntry { target, source, file, used: &used, entry, plugin, same_folder, declared: &declared }
            .rows(cast);
    }
}

fn document(project: &Project, target: &Target, facts: &MarketplaceFacts, used: &mut UsedPointers) -> Json {
    let marketplace = project.marketplace.as_ref();
    let find = |name: &str| match name {
        "marketplace" => Some(shown_name(project, facts).into()),
        "owner" => owner(project),
        pointer if !pointer.starts_with('/') || refuses(&marketplace?.refused, pointer) => None,
        pointer => plugin::at(&marketplace?.node, pointer).map(Tree::to_json),
    };
    let mut filled = shape::fill(&facts.document, &find, &mut used.document);
    let mut list: Vec<Json> = Vec::new();
    for plugin in &project.plugins {
        let find = |name: &str| match name {
            "category" => Some("Productivity".into()),
            name => {
                let entry = plugin.entry.as_ref().filter(|_| name.starts_with('/'));
                let entry = entry.filter(|entry| !refuses(&entry.refused, name));
                let own = entry.and_then(|entry| plugin::at(&entry.node, name)).map(Tree::to_json);
                own.or_else(|| manifest::lookup(plugin, name))
            }
        };
        list.push(shape::fill(&facts.entry, &find, &mut used.entry));
    }
    list.extend(remote(project, target).map(|entry| {
        let mut said = entry.node.to_json();
        if let Json::Object(said) = &mut said {
            entry.refused.iter().for_each(|key| drop(said.shift_remove(key)));
        }
        said
    }));
    filled[&facts.list] = list.into();
    filled
}

/// The name on the host, which refuses a marketplace under a name that it keeps for itself.
fn shown_name(project: &Project, facts: &MarketplaceFacts) -> String {
    let name = &project.marketplace_name;
    let reserved = facts.reserved_prefix.as_ref().is_some_and(|prefix| name.starts_with(prefix.as_str()));
    if reserved { format!("cast-{name}") } else { name.clone() }
}

/// The owner that the source host demands, from the first plugin that names an author.
fn owner(project: &Project) -> Option<Json> {
    let named = project.plugins.iter().find_map(|plugin| plugin.metadata("/author/name").map(Tree::to_json));
    Some(serde_json::json!({ "name": named.unwrap_or_else(|| project.marketplace_name.as_str().into()) }))
}

/// Entries that lie elsewhere and whose kind of source the host can fetch itself.
fn remote<'a>(project: &'a Project, target: &'a Target) -> impl Iterator<Item = &'a MarketplaceEntry> {
    let entries = project.marketplace.iter().flat_map(|marketplace| &marketplace.entries);
    entries.filter(|entry| matches!(&entry.source, EntrySource::Remote(kind) if takes(target, kind)))
}

/// Whether the field in which `pointer` lies is among `refused`.
fn refuses(refused: &[String], pointer: &str) -> bool {
    let top = pointer.split('/').nth(1).unwrap_or_default();
    refused.iter().any(|key| key == top)
}

/// Fields of an entry that name components; what they name is added to the plugin's own.
const COMPONENT_LISTS: [&str; 3] = ["skills", "agents", "commands"];

/// Why a field is in no bundle whose value the source host refuses.
const REFUSED: &str = "its type is refused by the source host";

fn takes(target: &Target, kind: &String) -> bool {
    target.marketplace.as_ref().is_some_and(|facts| facts.remote_sources.contains(kind))
}

fn says(used: &[String], pointer: &str) -> bool {
    used.iter().any(|used| pointer == used || pointer.starts_with(&format!("{used}/")))
}

fn top_rows(
    marketplace: &Marketplace,
    target: &Target,
    file: &SourceFile,
    (used, renamed): (&UsedPointers, Option<String>),
    cast: &mut LoweredBundle,
) {
    let emitted = target.marketplace.as_ref().map(|facts| facts.path.clone());
    let gone = "the host has no marketplace file";
    let row = LedgerRow::kept("", ComponentKind::File, file.path.as_str(), Utf8Path::new(file.path.as_str()));
    cast.rows.push(match &emitted {
        Some(path) => {
            row.to(path).became(RowOutcome::Mapped, "the host's marketplace file is written from it")
        }
        None => row.became(RowOutcome::Dropped, gone),
    });
    for (pointer, span, _) in marketplace.node.leaves() {
        let field = LedgerRow::kept("", ComponentKind::Field, pointer.trim_start_matches('/'), &file.path);
        let row = field.at(rows::span(file, span)).pointer(&pointer);
        let covered = pointer == "/plugins" || pointer == "/name" || says(&used.document, &pointer);
        cast.rows.push(match &emitted {
            Some(_) if pointer != "/plugins" && refuses(&marketplace.refused, &pointer) => {
                row.became(RowOutcome::Dropped, REFUSED)
            }
            Some(path) if pointer == "/name" && renamed.is_some() => {
                let reason = format!(
                    "the host keeps such names for itself, so it is `{}` here",
                    renamed.as_deref().unwrap_or_default()
                );
                row.to(path).became(RowOutcome::Mapped, reason)
            }
            Some(path) if covered => {
                row.to(path).became(RowOutcome::Mapped, "it moves to the host's marketplace file")
            }
            Some(_) => row.became(RowOutcome::Dropped, "the host's marketplace file has no such field"),
            None => row.became(RowOutcome::Dropped, gone),
        });
    }
}

/// One entry of the source's marketplace on its way to a host.
struct LoweredEntry<'a> {
    target: &'a Target,
    source: &'a SourceFacts,
    file: &'a SourceFile,
    used: &'a UsedPointers,
    entry: &'a MarketplaceEntry,
    plugin: Option<&'a Plugin>,
    /// The plugin that the bundle has of the entry's folder.
    same_folder: Option<&'a Plugin>,
    declared: &'a Declarations,
}

impl LoweredEntry<'_> {
    /// The row of the entry, and one for each of its fields.
    fn rows(&self, cast: &mut LoweredBundle) {
        let row = self.entry_row();
        let reason = row.reason.clone().filter(|_| row.outcome == RowOutcome::Dropped);
        cast.rows.push(row);
        let components = || self.plugin.iter().flat_map(|plugin| &plugin.components);
        // What counts before the text of a command has its row there.
        let is_told = |pointer: &str| {
            let mut said = components().flat_map(|component| component.declared.values());
            said.any(|said| said.at.path == self.file.path && said.at.pointer == pointer)
        };
        for (inner, span, _) in self.entry.node.leaves() {
            if is_told(&format!("{}{inner}", self.entry.pointer)) {
                continue;
            }
            let field = LedgerRow::kept(
                &self.entry.name,
                ComponentKind::Field,
                inner.trim_start_matches('/'),
                &self.file.path,
            );
            let row = field.at(rows::span(self.file, span)).pointer(format!("{}{inner}", self.entry.pointer));
            cast.rows.push(match &reason {
                Some(reason) => row.became(RowOutcome::Dropped, reason),
                None => {
                    let pointer = format!("{}{inner}", self.entry.pointer);
                    self.field_row(row, &inner, self.declared.became(&pointer))
                }
            });
        }
    }

    fn carried(&self) -> bool {
        matches!(&self.entry.source, EntrySource::Remote(kind) if takes(self.target, kind))
    }

    fn emitted(&self) -> Option<&str> {
        self.target.marketplace.as_ref().map(|facts| facts.path.as_str())
    }

    fn entry_row(&self) -> LedgerRow {
        let name = self.entry.name.as_str();
        let span = rows::span(self.file, self.entry.node.span);
        let row = LedgerRow::kept(name, ComponentKind::MarketplaceEntry, name, &self.file.path)
            .at(span)
            .pointer(&self.entry.pointer);
        let lost = |row: LedgerRow, reason: &str| {
            let axis = Axis::Sources;
            row.became(RowOutcome::Dropped, reason).loss(
                axis.id(),
                axis.floor(),
                (ComponentKind::MarketplaceEntry, name),
                "",
            )
        };
        match &self.entry.source {
            EntrySource::Folder(_) if self.plugin.is_some() => {
                row.became(RowOutcome::Mapped, "its plugin is in the bundle")
            }
            EntrySource::Remote(_) if self.carried() => row.to(self.emitted().unwrap_or_default()),
            EntrySource::Remote(kind) => lost(
                row,
                &format!("a build fetches nothing, and the host accepts no `{kind}` sources from a bundle"),
            ),
            _ => match self.same_folder {
                Some(plugin) => lost(row, &format!("a bundle has one entry for a folder: `{}`", plugin.name)),
                None => lost(row, "its plugin could not be read"),
            },
        }
    }

    /// The row of a path to components, or of a part of a command that the entry declares.
    fn list_row(&self, row: LedgerRow, inner: &str) -> LedgerRow {
        let top = inner.split('/').nth(1).unwrap_or_default();
        if self.plugin.is_none_or(|plugin| plugin.added(top).is_none()) {
            let reason = "the source host refuses components of an entry that is not strict beside a manifest that has some";
            return row.became(RowOutcome::Dropped, reason);
        }
        // `/commands/NAME/content`: a command by its name.
        let command = inner.match_indices('/').nth(2).map(|(at, _)| (&inner[..at], &inner[at + 1..]));
        let declares = |(command, _): &(&str, &str)| {
            plugin::at(&self.entry.node, command).is_some_and(|command| command.get("source").is_some())
        };
        match command.filter(|_| top == "commands") {
            Some(command) if !declares(&command) => row
                .became(RowOutcome::Dropped, "the source host reads no command without `source` in an entry"),
            Some((_, field)) if !field.starts_with("source") => {
                let (axis, name) = (Axis::Metadata, self.entry.name.as_str());
                row.became(RowOutcome::Dropped, "the command has what its file says").loss(
                    axis.id(),
                    LossClass::Behavior,
                    (ComponentKind::MarketplaceEntry, name),
                    inner.trim_start_matches('/'),
                )
            }
            _ => row.became(RowOutcome::Mapped, "what it names is in the bundle's plugin"),
        }
    }

    fn field_row(&self, row: LedgerRow, inner: &str, became: Option<Result<String, String>>) -> LedgerRow {
        let own_manifest = self.plugin.and_then(|plugin| plugin.manifest.as_ref());
        let top = inner.split('/').nth(1).unwrap_or_default();
        // Of components, the manifest's whole field counts; of all else, value by value.
        let said =
            if self.source.manifest_components.contains_key(top) { &inner[..=top.len()] } else { inner };
        let shadowed = own_manifest.is_some_and(|manifest| plugin::at(&manifest.node, said).is_some());
        match self.emitted() {
            _ if top != "name" && refuses(&self.entry.refused, inner) => {
                row.became(RowOutcome::Dropped, REFUSED)
            }
            Some(path) if self.carried() => row.to(path),
            Some(path)
                if inner == "/name" || inner.starts_with("/source") || says(&self.used.entry, inner) =>
            {
                row.to(path).became(RowOutcome::Mapped, "it moves to the host's marketplace file")
            }
            _ if inner.starts_with("/source") => {
                row.became(RowOutcome::Mapped, "its plugin is in the bundle")
            }
            _ if top == "strict" => row.became(RowOutcome::Mapped, "the build reads the entry as it says"),
            _ if COMPONENT_LISTS.contains(&top) => self.list_row(row, inner),
            _ if shadowed => row.became(RowOutcome::Dropped, "the plugin's manifest takes precedence"),
            _ if inner == "/name" || says(&manifest_fields(self.target), inner) => {
                let plugin = self.plugin.map_or(self.entry.name.as_str(), |plugin| plugin.name.as_str());
                let to = format!("plugins/{plugin}/{}", self.target.manifest.path);
                row.to(to).became(RowOutcome::Mapped, "it moves to the host's manifest")
            }
            _ => match became {
                Some(Ok(to)) => {
                    row.to(to).became(RowOutcome::Mapped, "what it declares is written in the host's format")
                }
                Some(Err(reason)) => row.became(RowOutcome::Dropped, reason),
                None if self.source.manifest_components.contains_key(top) => {
                    row.became(RowOutcome::Mapped, "what it names has its own rows")
                }
                None => {
                    let (axis, name) = (Axis::Metadata, self.entry.name.as_str());
                    let field = inner.trim_start_matches('/');
                    row.became(
                        RowOutcome::Dropped,
                        "neither the host's marketplace file nor its manifest has such a field",
                    )
                    .loss(
                        axis.id(),
                        axis.floor(),
                        (ComponentKind::MarketplaceEntry, name),
                        field,
                    )
                }
            },
        }
    }
}

/// The pointers that the manifest's document copies.
fn manifest_fields(target: &Target) -> Vec<String> {
    let mut used = Vec::new();
    shape::fill(&target.manifest.document, &|_| Some("".into()), &mut used);
    used
}
