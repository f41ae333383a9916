//! The components that a bundle offers to the users of its host: the ledger lists them, the emitted files contain their
//! values.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use serde_json::Value as Json;

use super::documents::{Documents, handlers, leaves};
use super::shipped_files;
use crate::bundle::{BundleManifest, ManifestFile};
use crate::disk;
use crate::ledger::{Ledger, LedgerRow, LossClass, LossId, RowOutcome};
use crate::model::qualified_name::last_of;
use crate::read::frontmatter;
use crate::source::{ComponentKind, is_markdown};
use crate::target::Target;

/// What users of one host get.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct HostInventory {
    /// Plugins and their components, in the order of the ledger.
    pub items: Vec<InventoryItem>,
    /// Losses on this host, by id.
    pub losses: BTreeMap<LossId, LocatedLoss>,
}

/// One component, a plugin as such, or a file of it that belongs to no component.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InventoryItem {
    /// Its kind.
    pub kind: ComponentKind,
    /// The plugin that contains it.
    pub plugin: String,
    /// The name by which users call it, qualified if it has a qualified name.
    pub name: String,
    /// Its source file, relative to SRC.
    pub path: String,
    /// Its values, by field.
    pub fields: BTreeMap<String, String>,
    /// Its text, without frontmatter and generated parts.
    pub text: String,
    /// A digest of everything that it consists of, except its fields.
    pub content: String,
    /// Files of the plugin that it runs or names, by path, each with its mode and digest.
    pub files: BTreeMap<String, String>,
}

impl Default for InventoryItem {
    fn default() -> Self {
        Self {
            kind: ComponentKind::File,
            plugin: String::new(),
            name: String::new(),
            path: String::new(),
            fields: BTreeMap::new(),
            text: String::new(),
            content: String::new(),
            files: BTreeMap::new(),
        }
    }
}

/// A loss, with the first place that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LocatedLoss {
    /// Its class.
    pub class: LossClass,
    /// Why.
    pub reason: String,
    /// The source file.
    pub path: String,
    /// The 1-based line in it.
    pub line: Option<usize>,
    /// Whether the author accepts it.
    pub accepted: bool,
}

/// A bundle, in memory or on disk.
pub(super) struct InventorySource<'a> {
    pub(super) target: &'a Target,
    pub(super) ledger: &'a Ledger,
    pub(super) manifest: &'a BundleManifest,
    /// The text of the file at a path of the bundle.
    pub(super) text: &'a dyn Fn(&str) -> Option<String>,
}

/// Fields that only repeat the name or kind of an item.
const REPEATED_FIELDS: [&str; 5] = ["name", "file", "kind", "developer_instructions", "content"];

/// Takes the inventory of a bundle.
pub(super) fn from_bundle(bundle: &InventorySource<'_>) -> HostInventory {
    let dropped = bundle.ledger.rows.iter();
    let dropped =
        dropped.filter(|row| row.kind == ComponentKind::Field && row.outcome == RowOutcome::Dropped);
    let reader = InventoryReader {
        bundle,
        documents: Documents::new(bundle.text),
        agents: installable(bundle),
        dropped: dropped.filter_map(|row| Some((row.path.as_str(), row.pointer.as_deref()?))).collect(),
        files: bundle.manifest.files.iter().map(|file| (file.path.as_str(), file)).collect(),
    };
    let mut inventory = HostInventory::default();
    let mut hooks: BTreeMap<(&str, &str), &LedgerRow> = BTreeMap::new();
    for row in &bundle.ledger.rows {
        if let Some(loss) = &row.loss {
            inventory.losses.entry(loss.id.clone()).or_insert_with(|| LocatedLoss {
                class: loss.class,
                reason: row.reason.clone().unwrap_or_default(),
                path: row.path.clone(),
                line: row.span.map(|span| span.line),
                accepted: loss.accepted,
            });
        }
        let component = row.kind == ComponentKind::Plugin
            || (ComponentKind::Skill..=ComponentKind::Executable).contains(&row.kind);
        if !component || row.outcome == RowOutcome::Dropped || row.plugin.is_empty() {
            continue;
        }
        match (&row.to, row.kind) {
            (Some(to), ComponentKind::Hook) => drop(hooks.entry((&row.plugin, to)).or_insert(row)),
            _ => inventory.items.push(reader.item(row)),
        }
    }
    for ((_, to), row) in hooks {
        inventory.items.extend(reader.hooks(row, to));
    }
    number(&mut inventory.items);
    shipped_files::add(bundle, &mut inventory.items);
    inventory
}

/// Documents of installable agents, by the name of the agent.
fn installable(bundle: &InventorySource<'_>) -> BTreeMap<String, String> {
    let outside = bundle.manifest.files.iter().filter(|file| file.path.ends_with(".toml"));
    let named = outside.filter_map(|file| {
        let value: toml::Table = toml::from_str(&(bundle.text)(&file.path)?).ok()?;
        Some((value.get("name")?.as_str()?.to_owned(), file.path.clone()))
    });
    match bundle.target.agent.installable {
        Some(_) => named.collect(),
        None => BTreeMap::new(),
    }
}

struct InventoryReader<'a> {
    bundle: &'a InventorySource<'a>,
    documents: Documents<'a>,
    agents: BTreeMap<String, String>,
    /// Path and pointer of every field that has no effect on this host.
    dropped: BTreeSet<(&'a str, &'a str)>,
    /// The files of the bundle by path.
    files: BTreeMap<&'a str, &'a ManifestFile>,
}

impl InventoryReader<'_> {
    fn item(&self, row: &LedgerRow) -> InventoryItem {
        let to = row.to.as_deref().unwrap_or_default();
        let mut item = InventoryItem {
            kind: row.kind,
            plugin: row.plugin.clone(),
            name: row.name.clone(),
            path: row.path.clone(),
            ..InventoryItem::default()
        };
        match row.kind {
            ComponentKind::Plugin => {
                let manifest = format!("{to}/{}", self.bundle.target.manifest.path);
                let mut fields = leaves(&self.documents.value(&manifest));
                fields.retain(|key, _| matches!(key.as_str(), "version" | "description"));
                item.fields = fields;
            }
            ComponentKind::Skill | ComponentKind::Agent | ComponentKind::Command if is_markdown(to) => {
                self.markdown(row, to, &mut item)
            }
            _ if row.pointer.is_some() || to.ends_with(".json") => {
                let document = self.documents.value(to);
                let local = last_of(&row.name);
                let at = row.pointer.as_deref().and_then(|pointer| document.pointer(pointer));
                let named = || document.pointer(&self.documents.named_pointer(to, local)?);
                let found = at.filter(|found| found.is_object()).or_else(named);
                item.fields = found.map(leaves).unwrap_or_default();
                item.text = found.and_then(|found| found["content"].as_str()).unwrap_or_default().to_owned();
                item.content = disk::sha256(item.text.as_bytes());
            }
            _ => item.content = self.digest(to),
        }
        let dropped = self.dropped_fields(row);
        item.fields.retain(|field, _| {
            !REPEATED_FIELDS.contains(&field.as_str()) && !dropped.contains(field.as_str())
        });
        item
    }

    /// Adds frontmatter, the documents next to it or in place of it, and the text.
    fn markdown(&self, row: &LedgerRow, to: &str, item: &mut InventoryItem) {
        let target = self.bundle.target;
        let text = self.documents.text(to);
        let body = frontmatter::parse(&text).body.slice(&text);
        item.text = authored(body);
        item.fields = leaves(&self.documents.value(to));
        let folder = Utf8Path::new(to).parent().unwrap_or(Utf8Path::new(""));
        let mut beside: Vec<String> = Vec::new();
        if let Some(sidecar) = &target.invocation.sidecar_path {
            beside.push(folder.join(sidecar).into_string());
        }
        beside.extend(self.agents.get(&row.name).filter(|_| row.kind == ComponentKind::Agent).cloned());
        for document in &beside {
            item.fields.extend(leaves(&self.documents.value(document)));
        }
        if let Some(registration) = &target.registration {
            let data = self.documents.value(&format!("plugins/{}/{}", row.plugin, registration.data));
            let entry = data.as_object().and_then(|data| {
                data.values().find_map(|part| part.get(&row.name).filter(|entry| entry.is_object()))
            });
            item.fields.extend(entry.map(leaves).unwrap_or_default());
        }
        item.content = disk::sha256(body.as_bytes());
        if row.kind == ComponentKind::Skill {
            let within = format!("{folder}/");
            let files = self.files.range(within.as_str()..).map(|(_, file)| *file);
            let files = files.take_while(|file| file.path.starts_with(&within));
            for file in files.filter(|file| file.path != to && !beside.contains(&file.path)) {
                let inner = file.path.strip_prefix(folder.as_str()).unwrap_or(&file.path);
                item.content.push_str(&format!("\n{inner} {} {}", file.mode.octal(), file.sha256));
            }
        }
    }

    fn hooks(&self, row: &LedgerRow, to: &str) -> Vec<InventoryItem> {
        let document: std::rc::Rc<Json> = self.documents.value(to);
        let item = |(event, matcher, handler): (&str, &str, &Json)| InventoryItem {
            kind: ComponentKind::Hook,
            plugin: row.plugin.clone(),
            name: format!("{event}/{matcher}"),
            path: row.path.clone(),
            fields: leaves(handler),
            ..InventoryItem::default()
        };
        handlers(&document).into_iter().map(item).collect()
    }

    /// The fields of a component that have no effect on this host.
    fn dropped_fields(&self, row: &LedgerRow) -> BTreeSet<String> {
        let base = format!("{}/", row.pointer.as_deref().unwrap_or_default());
        let path = row.path.as_str();
        // The set is sorted, so those of one path with this prefix are adjacent.
        let fields = self.dropped.range((path, base.as_str())..).take_while(|(own, _)| *own == path);
        fields.map_while(|(_, pointer)| Some(pointer.strip_prefix(base.as_str())?.to_owned())).collect()
    }

    fn digest(&self, to: &str) -> String {
        self.files.get(to).map(|file| file.sha256.clone()).unwrap_or_default()
    }
}

/// Numbers the handlers of one event and matcher from 1, as the ledger does.
fn number(items: &mut [InventoryItem]) {
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for item in items.iter_mut().filter(|item| item.kind == ComponentKind::Hook) {
        let count = counts.entry((item.plugin.clone(), item.name.clone())).or_default();
        *count += 1;
        item.name = format!("{}/{count}", item.name);
    }
}

/// A text without the blocks that a build adds.
fn authored(text: &str) -> String {
    const OPEN: &str = "<!-- plugcast:on-this-host -->";
    const CLOSE: &str = "<!-- /plugcast:on-this-host -->";
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, block)) = rest.split_once(OPEN) {
        out.push_str(before);
        rest = block.split_once(CLOSE).map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}
