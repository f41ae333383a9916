//! The marketplace file in the host's own form, with a row for every entry and field of the source's file.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use serde_json::Value as Json;

use super::decision::Decision;
use super::declarations::Declarations;
use super::part::LoweredPart;
use super::{manifest, reserved_names, shape};
use crate::bundle::{BundleNode, NodeContent};
use crate::ledger::{ComponentKind, LossClass, RowOutcome};
use crate::model::marketplace::{EntrySource, Marketplace, MarketplaceEntry};
use crate::model::plugin::{self, Plugin};
use crate::model::project::Project;
use crate::read::tree::Node as Tree;
use crate::source::{Exclusion, SourceFile, Span};
use crate::source_format::SourceFacts;
use crate::target::{Axis, MarketplaceFacts, Target};

/// The pointers in the source's file whose values the host's own file contains.
#[derive(Default)]
struct UsedPointers {
    document: Vec<String>,
    entry: Vec<String>,
}

/// The marketplace file, and decisions about every entry and field of the source's file; `declared` are the components
/// that it declares.
pub(super) fn lower(
    project: &Project,
    target: &Target,
    source: &SourceFacts,
    declared: &Declarations,
) -> LoweredPart {
    let mut part = LoweredPart::default();
    let mut used = UsedPointers::default();
    if let Some(facts) = &target.marketplace {
        let path = Utf8PathBuf::from(&facts.path);
        let content = NodeContent::document(&path, document(project, target, facts, &mut used));
        part.nodes.push(BundleNode { path, executable: false, content, from: None });
    }
    let shown = target.marketplace.as_ref().map(|facts| shown_name(project, facts));
    part.diagnostics.extend(shown.as_deref().and_then(|name| reserved_names::report(project, target, name)));
    let Some(marketplace) = &project.marketplace else { return part };
    let Some(file) = project.tree.get(&marketplace.path) else { return part };
    let renamed = shown.filter(|name| *name != project.marketplace_name);
    part.decisions.push(file_decision(target, file));
    part.decisions.extend(top_fields(marketplace, target, file, &used, renamed.as_deref()));
    used.entry.sort();
    used.entry.dedup();
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
        let is_left_out =
            |out: &&Exclusion| matches!(&entry.source, EntrySource::Folder(root) if *root == out.path);
        let left_out = project.outside.iter().find(is_left_out).map(|out| out.reason.to_string());
        let entry = LoweredEntry {
            target,
            source,
            file,
            used: &used,
            entry,
            plugin,
            same_folder,
            left_out,
            declared,
        };
        part.decisions.extend(entry.decisions());
    }
    part
}

fn document(project: &Project, target: &Target, facts: &MarketplaceFacts, used: &mut UsedPointers) -> Json {
    let marketplace = project.marketplace.as_ref();
    let find = |name: &str| match name {
        "marketplace" => Some(shown_name(project, facts).into()),
        "owner" => owner(project),
        pointer if !pointer.starts_with('/') || refuses(&marketplace?.refused, pointer) => None,
        pointer => plugin::node_at(&marketplace?.node, pointer).map(Tree::to_json),
    };
    let mut filled = shape::fill_table(&facts.document, &find, &mut used.document);
    let mut list: Vec<Json> = Vec::new();
    for plugin in &project.plugins {
        let find = |name: &str| match name {
            "category" => Some("Productivity".into()),
            name => {
                let entry = plugin.entry.as_ref().filter(|_| name.starts_with('/'));
                let entry = entry.filter(|entry| !refuses(&entry.refused, name));
                let own = entry.and_then(|entry| plugin::node_at(&entry.node, name)).map(Tree::to_json);
                own.or_else(|| manifest::lookup(plugin, name))
            }
        };
        list.push(shape::fill_table(&facts.entry, &find, &mut used.entry));
    }
    list.extend(remote(project, target).map(|entry| {
        let mut document = entry.node.to_json();
        if let Json::Object(document) = &mut document {
            entry.refused.iter().for_each(|key| drop(document.shift_remove(key)));
        }
        document
    }));
    filled[&facts.list] = list.into();
    filled
}

/// The name on the host, which refuses reserved names and may refuse dots.
fn shown_name(project: &Project, facts: &MarketplaceFacts) -> String {
    let name = &project.marketplace_name;
    let name = if facts.refuses_dots { name.replace('.', "-") } else { name.clone() };
    let reserved = facts.reserved_prefix.as_ref().is_some_and(|prefix| name.starts_with(prefix.as_str()));
    if reserved { format!("cast-{name}") } else { name }
}

/// The owner that the source host requires, from the first plugin that names an author.
fn owner(project: &Project) -> Option<Json> {
    let named = project.plugins.iter().find_map(|plugin| plugin.metadata("/author/name").map(Tree::to_json));
    Some(serde_json::json!({ "name": named.unwrap_or_else(|| project.marketplace_name.as_str().into()) }))
}

/// Entries with a remote source of a kind that the host can fetch itself.
fn remote<'a>(project: &'a Project, target: &'a Target) -> impl Iterator<Item = &'a MarketplaceEntry> {
    let entries = project.marketplace.iter().flat_map(|marketplace| &marketplace.entries);
    entries.filter(|entry| matches!(&entry.source, EntrySource::Remote(kind) if accepts(target, kind)))
}

/// Whether the field in which `pointer` lies is among `refused`.
fn refuses(refused: &[String], pointer: &str) -> bool {
    let top = pointer.split('/').nth(1).unwrap_or_default();
    refused.iter().any(|key| key == top)
}

/// Fields of an entry that name components, which are added to the plugin's own.
const COMPONENT_LISTS: [&str; 3] = ["skills", "agents", "commands"];

/// Why a field moves.
const MOVES: &str = "it moves to the host's marketplace file";

/// Why a field whose value the source host refuses is not carried.
const REFUSED_TYPE: &str = "its type is refused by the source host";

fn accepts(target: &Target, kind: &String) -> bool {
    target.marketplace.as_ref().is_some_and(|facts| facts.remote_sources.contains(kind))
}

fn is_used(used: &[String], pointer: &str) -> bool {
    used.iter().any(|used| pointer == used || pointer.starts_with(&format!("{used}/")))
}

/// Why the source's marketplace file is not carried.
const NO_FILE: &str = "the host has no marketplace file";

/// The decision about the source's file.
fn file_decision(target: &Target, file: &SourceFile) -> Decision {
    let decision = Decision::for_file("", &file.path);
    match &target.marketplace {
        Some(facts) => decision
            .placed_at(&facts.path)
            .with_outcome(RowOutcome::Mapped, "the host's marketplace file is written from it"),
        None => decision.with_outcome(RowOutcome::Dropped, NO_FILE),
    }
}

/// The decisions about the fields beside the entries; the marketplace is `renamed` if the host reserves its name.
fn top_fields(
    marketplace: &Marketplace,
    target: &Target,
    file: &SourceFile,
    used: &UsedPointers,
    renamed: Option<&str>,
) -> Vec<Decision> {
    let decide = |(pointer, span, _): (String, Span, &Tree)| {
        let name = pointer.trim_start_matches('/');
        let field = Decision::new_kept("", ComponentKind::Field, name, &file.path).in_file(file, span);
        let field = field.pointer(&pointer);
        let Some(facts) = &target.marketplace else {
            return field.with_outcome(RowOutcome::Dropped, NO_FILE);
        };
        if pointer != "/plugins" && refuses(&marketplace.refused, &pointer) {
            return field.with_outcome(RowOutcome::Dropped, REFUSED_TYPE);
        }
        if let Some(renamed) = renamed.filter(|_| pointer == "/name") {
            let reason = format!("the host refuses this name, so it is `{renamed}` there");
            return field.placed_at(&facts.path).with_outcome(RowOutcome::Mapped, reason);
        }
        if pointer == "/plugins" || pointer == "/name" || is_used(&used.document, &pointer) {
            return field.placed_at(&facts.path).with_outcome(RowOutcome::Mapped, MOVES);
        }
        field.with_outcome(RowOutcome::Dropped, "the host's marketplace file has no such field")
    };
    marketplace.node.leaves().into_iter().map(decide).collect()
}

/// One entry of the source's marketplace that is being lowered.
struct LoweredEntry<'a> {
    target: &'a Target,
    source: &'a SourceFacts,
    file: &'a SourceFile,
    used: &'a UsedPointers,
    entry: &'a MarketplaceEntry,
    plugin: Option<&'a Plugin>,
    /// The plugin in the bundle that comes from the entry's folder.
    same_folder: Option<&'a Plugin>,
    /// Why no bundle has the entry's folder, if it was left out for a plugin of the same name.
    left_out: Option<String>,
    declared: &'a Declarations,
}

/// The outcome of an entry.
enum EntryOutcome {
    /// Its plugin is in the bundle.
    Built,
    /// It stays in the host's file, which fetches it.
    Remote(String),
    /// It is not carried, for this reason.
    Dropped(String),
}

impl LoweredEntry<'_> {
    /// The decisions about the entry and each of its fields.
    fn decisions(&self) -> Vec<Decision> {
        let fate = self.outcome();
        let name = &self.entry.name;
        let entry = Decision::new_kept(name, ComponentKind::MarketplaceEntry, name, &self.file.path)
            .in_file(self.file, self.entry.node.span)
            .pointer(&self.entry.pointer);
        let entry = match &fate {
            EntryOutcome::Built => entry.with_outcome(RowOutcome::Mapped, "its plugin is in the bundle"),
            EntryOutcome::Remote(to) => entry.placed_at(to),
            EntryOutcome::Dropped(reason) => {
                let entry = entry.with_outcome(RowOutcome::Dropped, reason);
                entry.loss(Axis::Sources, self.owner(), "")
            }
        };
        let fields = self.entry.node.leaves().into_iter();
        let fields = fields.filter_map(|(inner, span, _)| {
            let pointer = format!("{}{inner}", self.entry.pointer);
            if self.is_decided_with_command(&pointer) {
                return None;
            }
            let key = inner.trim_start_matches('/');
            let field = Decision::new_kept(name, ComponentKind::Field, key, &self.file.path)
                .in_file(self.file, span)
                .pointer(&pointer);
            Some(match &fate {
                EntryOutcome::Dropped(reason) => field.with_outcome(RowOutcome::Dropped, reason),
                _ => self.field(field, &inner, &pointer),
            })
        });
        std::iter::once(entry).chain(fields).collect()
    }

    /// Whether a field is decided together with the command that it belongs to.
    fn is_decided_with_command(&self, pointer: &str) -> bool {
        let components = self.plugin.iter().flat_map(|plugin| &plugin.components);
        let mut told = components.flat_map(|component| component.declared.values());
        told.any(|told| told.at.path == self.file.path && told.at.pointer == pointer)
    }

    /// The outcome of the entry.
    fn outcome(&self) -> EntryOutcome {
        match &self.entry.source {
            EntrySource::Folder(_) if self.plugin.is_some() => EntryOutcome::Built,
            EntrySource::Remote(_) if self.is_carried() => {
                EntryOutcome::Remote(self.emitted().unwrap_or_default().to_owned())
            }
            EntrySource::Remote(kind) if !self.source.remote_sources.contains(kind) => {
                EntryOutcome::Dropped(format!("the source host installs no `{kind}` sources either"))
            }
            EntrySource::Remote(kind) => EntryOutcome::Dropped(format!(
                "a build fetches nothing, and the host accepts no `{kind}` sources from a bundle"
            )),
            _ => EntryOutcome::Dropped(match self.same_folder {
                Some(plugin) => format!("a bundle has one entry per folder: `{}`", plugin.name),
                None => self.left_out.clone().unwrap_or_else(|| "its plugin could not be read".to_owned()),
            }),
        }
    }

    fn is_carried(&self) -> bool {
        matches!(&self.entry.source, EntrySource::Remote(kind) if accepts(self.target, kind))
    }

    fn emitted(&self) -> Option<&str> {
        self.target.marketplace.as_ref().map(|facts| facts.path.as_str())
    }

    /// The decision about a path to components, or about a part of a command that the entry declares.
    fn list(&self, field: Decision, inner: &str) -> Decision {
        let top = inner.split('/').nth(1).unwrap_or_default();
        if self.plugin.is_none_or(|plugin| plugin.added_by_entry(top).is_none()) {
            let reason = "the source host refuses components in an entry that is not strict if the manifest declares some too";
            return field.with_outcome(RowOutcome::Dropped, reason);
        }
        // `/commands/NAME/content`: a command by its name.
        let command = inner.match_indices('/').nth(2).map(|(at, _)| (&inner[..at], &inner[at + 1..]));
        let declares = |(command, _): &(&str, &str)| {
            plugin::node_at(&self.entry.node, command).is_some_and(|command| command.get("source").is_some())
        };
        match command.filter(|_| top == "commands") {
            Some(command) if !declares(&command) => field.with_outcome(
                RowOutcome::Dropped,
                "the source host ignores an entry's command without `source`",
            ),
            Some((_, part)) if !part.starts_with("source") => {
                let field = field.with_outcome(RowOutcome::Dropped, "the fields of the command's file apply");
                let part = inner.trim_start_matches('/');
                field.loss_as(Axis::Metadata, LossClass::Behavior, self.owner(), part)
            }
            _ => field.with_outcome(RowOutcome::Mapped, "what it names is in the bundle's plugin"),
        }
    }

    /// The decision about the field at `pointer` of the file, which is `inner` in the entry.
    fn field(&self, field: Decision, inner: &str, pointer: &str) -> Decision {
        let own_manifest = self.plugin.and_then(|plugin| plugin.manifest.as_ref());
        let top = inner.split('/').nth(1).unwrap_or_default();
        // For components, the manifest replaces the whole field; for everything else, single values.
        let declared_at =
            if self.source.manifest_components.contains_key(top) { &inner[..=top.len()] } else { inner };
        let shadowed =
            own_manifest.is_some_and(|manifest| plugin::node_at(&manifest.node, declared_at).is_some());
        match self.emitted() {
            _ if top != "name" && refuses(&self.entry.refused, inner) => {
                field.with_outcome(RowOutcome::Dropped, REFUSED_TYPE)
            }
            Some(path) if self.is_carried() => field.placed_at(path),
            Some(path)
                if inner == "/name" || inner.starts_with("/source") || is_used(&self.used.entry, inner) =>
            {
                field.placed_at(path).with_outcome(RowOutcome::Mapped, MOVES)
            }
            _ if inner.starts_with("/source") => {
                field.with_outcome(RowOutcome::Mapped, "its plugin is in the bundle")
            }
            _ if top == "strict" => {
                field.with_outcome(RowOutcome::Mapped, "the build reads the entry accordingly")
            }
            _ if COMPONENT_LISTS.contains(&top) => self.list(field, inner),
            _ if shadowed => {
                field.with_outcome(RowOutcome::Dropped, "the plugin's manifest takes precedence")
            }
            _ if inner == "/name" || is_used(&manifest_fields(self.target), inner) => {
                let plugin = self.plugin.map_or(self.entry.name.as_str(), |plugin| plugin.name.as_str());
                let to = format!("plugins/{plugin}/{}", self.target.manifest.path);
                field.placed_at(to).with_outcome(RowOutcome::Mapped, "it moves to the host's manifest")
            }
            _ => self.declaration(field, inner, pointer),
        }
    }

    /// The decision about a field that may declare hooks or servers.
    fn declaration(&self, field: Decision, inner: &str, pointer: &str) -> Decision {
        let top = inner.split('/').nth(1).unwrap_or_default();
        match self.declared.destination(pointer) {
            Some(Ok(to)) => field
                .placed_at(to)
                .with_outcome(RowOutcome::Mapped, "what it declares is written in the host's format"),
            Some(Err(reason)) => field.with_outcome(RowOutcome::Dropped, reason),
            None if self.source.manifest_components.contains_key(top) => {
                field.with_outcome(RowOutcome::Mapped, "what it names has its own rows")
            }
            None => {
                let reason = "neither the host's marketplace file nor its manifest has such a field";
                let field = field.with_outcome(RowOutcome::Dropped, reason);
                field.loss(Axis::Metadata, self.owner(), inner.trim_start_matches('/'))
            }
        }
    }

    /// The component that a loss is attributed to.
    fn owner(&self) -> (ComponentKind, &str) {
        (ComponentKind::MarketplaceEntry, &self.entry.name)
    }
}

/// The pointers that the manifest's document copies.
fn manifest_fields(target: &Target) -> Vec<String> {
    let mut used = Vec::new();
    shape::fill_table(&target.manifest.document, &|_| Some("".into()), &mut used);
    used
}
