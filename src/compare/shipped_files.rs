//! The other files of a plugin: each belongs to the hook, server, skill, agent or command whose values or text name it,
//! or to one whose files do; a file that nothing names is a separate item.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::AhoCorasick;
use camino::Utf8Path;

use super::inventory::{InventoryItem, InventorySource};
use super::python_imports::PythonImports;
use crate::bundle::ManifestFile;
use crate::source::{ComponentKind, is_markdown};

/// How many intermediate files may connect a file to the component that runs it.
const STEPS: usize = 4;
/// Larger files are not searched as scripts that name others.
const SCRIPT: u64 = 256 * 1024;
/// The folder of a bundle with its plugins.
const PLUGINS: &str = "plugins/";

/// Adds the other files of a bundle to its `items`.
pub(super) fn add(bundle: &InventorySource<'_>, items: &mut Vec<InventoryItem>) {
    let mut by_plugin: BTreeMap<&str, Vec<&ManifestFile>> = BTreeMap::new();
    let parts = parts(bundle);
    for file in bundle.manifest.files.iter().filter(|file| file.from.is_some()) {
        let plugin = file.path.strip_prefix(PLUGINS).and_then(|rest| rest.split('/').next());
        let Some(plugin) = plugin.filter(|_| !parts.holds(&file.path)) else { continue };
        // The values of the manifest are those of the plugin item.
        if file.path.ends_with(&format!("{PLUGINS}{plugin}/{}", bundle.target.manifest.path)) {
            continue;
        }
        by_plugin.entry(plugin).or_default().push(file);
    }
    for (plugin, files) in by_plugin {
        let root = format!("{PLUGINS}{plugin}/");
        let inner = |file: &ManifestFile| file.path.strip_prefix(&root).unwrap_or(&file.path).to_owned();
        let names: Vec<String> = files.iter().map(|file| inner(file)).collect();
        let mut owners = named_by_items(items, plugin, &names);
        named_by_files(bundle, &files, &names, &mut owners);
        for (at, file) in files.iter().enumerate() {
            let line = format!("{} {}", file.mode.octal(), file.sha256);
            for owner in &owners[at] {
                items[*owner].files.insert(names[at].clone(), line.clone());
            }
            if owners[at].is_empty() {
                items.push(InventoryItem {
                    kind: ComponentKind::File,
                    plugin: plugin.to_owned(),
                    name: names[at].clone(),
                    path: file.from.clone().unwrap_or_default(),
                    content: line,
                    ..InventoryItem::default()
                });
            }
        }
    }
}

/// Files that already belong to a component.
struct KnownParts<'a> {
    files: BTreeSet<&'a str>,
    folders: BTreeSet<&'a str>,
}

impl KnownParts<'_> {
    fn holds(&self, path: &str) -> bool {
        let above = Utf8Path::new(path).ancestors().skip(1);
        self.files.contains(path) || above.into_iter().any(|folder| self.folders.contains(folder.as_str()))
    }
}

fn parts<'a>(bundle: &'a InventorySource<'_>) -> KnownParts<'a> {
    let mut parts = KnownParts { files: BTreeSet::new(), folders: BTreeSet::new() };
    for row in &bundle.ledger.rows {
        let component = (ComponentKind::Skill..=ComponentKind::Executable).contains(&row.kind);
        let Some(to) = row.to.as_deref().filter(|_| component) else { continue };
        parts.files.insert(to);
        // A skill at the root of its plugin owns all files that belong to nothing else.
        let folder =
            Utf8Path::new(to).parent().filter(|_| row.kind == ComponentKind::Skill && is_markdown(to));
        parts.folders.extend(folder.filter(|folder| folder.components().count() > 2).map(Utf8Path::as_str));
    }
    parts
}

/// Whether it is a text for a model, which runs nothing by itself.
fn is_text(item: &InventoryItem) -> bool {
    matches!(item.kind, ComponentKind::Skill | ComponentKind::Agent | ComponentKind::Command)
}

/// By file, the items of `plugin` whose values or text name it.
fn named_by_items(items: &[InventoryItem], plugin: &str, names: &[String]) -> Vec<BTreeSet<usize>> {
    let mut owners = vec![BTreeSet::new(); names.len()];
    let Ok(search) = AhoCorasick::new(names) else { return owners };
    for (at, item) in items
        .iter()
        .enumerate()
        .filter(|(_, item)| item.plugin == plugin && item.kind != ComponentKind::Plugin)
    {
        for text in item.fields.values().chain([&item.text]) {
            for found in search.find_overlapping_iter(text) {
                let name = &names[found.pattern().as_usize()];
                // A bare name must be a whole word; a path must end with its last name.
                let ends =
                    text[found.end()..].starts_with(|c: char| c.is_alphanumeric() || "-_/".contains(c));
                let begins =
                    text[..found.start()].ends_with(|c: char| c.is_alphanumeric() || "-_.".contains(c));
                // In a text, `README.md` means that of the user's project.
                let is_own = name.contains('/')
                    || name.contains('.') && (!is_text(item) || text[..found.start()].ends_with('/'));
                if !ends && !begins && is_own {
                    owners[found.pattern().as_usize()].insert(at);
                }
            }
        }
    }
    owners
}

/// Propagates the owners of a file to the files that it names by their file name, but not to those that an item names
/// itself. Each file belongs to the owners of all files that name it.
fn named_by_files(
    bundle: &InventorySource<'_>,
    files: &[&ManifestFile],
    names: &[String],
    owners: &mut [BTreeSet<usize>],
) {
    let (unnamed, mut next): (Vec<usize>, Vec<usize>) =
        (0..files.len()).partition(|at| owners[*at].is_empty());
    let mut named: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for _ in 0..STEPS {
        if next.is_empty() || unnamed.is_empty() {
            return;
        }
        let mut grown = BTreeSet::new();
        for at in next {
            let others =
                named.entry(at).or_insert_with(|| named_in(bundle, (files[at], &names[at]), names, &unnamed));
            for other in others.iter().copied().filter(|other| *other != at) {
                let (before, handed) = (owners[other].len(), owners[at].clone());
                owners[other].extend(handed);
                if owners[other].len() > before {
                    grown.insert(other);
                }
            }
        }
        next = grown.into_iter().collect();
    }
}

/// Which of the `wanted` files the text of `file` names by their file name, or imports.
fn named_in(
    bundle: &InventorySource<'_>,
    (file, name): (&ManifestFile, &str),
    names: &[String],
    wanted: &[usize],
) -> Vec<usize> {
    // A document runs nothing.
    let runs = !is_markdown(&file.path) && file.size <= SCRIPT;
    let Some(text) = runs.then(|| (bundle.text)(&file.path)).flatten() else { return Vec::new() };
    let imports = PythonImports::from_text(Utf8Path::new(name), &text);
    let is_named = |at: &usize| {
        let last = names[*at].rsplit('/').next().unwrap_or_default();
        last.contains('.') && text.contains(last) || imports.has(&names[*at])
    };
    wanted.iter().copied().filter(is_named).collect()
}
