//! A built bundle as the drivers need it: its plugins with the components that the ledger lists as carried, each with
//! its emitted file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use camino::Utf8Path;
use serde::de::DeserializeOwned;

use crate::bundle::{BundleManifest, ManifestFile};
use crate::disk::{self, open_beneath, plain_files};
use crate::ledger::{ComponentKind, Ledger, LedgerRow, RowOutcome};
use crate::model::qualified_name::parts_of;
use crate::schema::{LEDGER, MANIFEST, SOURCEMAP, SchemaId};
use crate::source::SKILL_FILE;
use crate::sourcemap::SourceMap;

/// A bundle on disk.
#[derive(Debug, Clone)]
pub struct LoadedBundle {
    /// The bundle's folder, absolute.
    pub root: PathBuf,
    /// Its manifest.
    pub manifest: BundleManifest,
    /// Its plugins, sorted by name.
    pub plugins: Vec<LoadedPlugin>,
}

/// One plugin of a bundle.
#[derive(Debug, Clone)]
pub struct LoadedPlugin {
    /// The plugin's name.
    pub name: String,
    /// The plugin's folder, absolute.
    pub folder: PathBuf,
    /// What it carries, sorted by kind and name.
    pub components: Vec<LoadedComponent>,
    /// How many workflow files it carries; the host takes the name of a workflow from its file.
    pub workflows: usize,
}

/// One component that the host should list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedComponent {
    /// A skill, agent, command, hook or MCP server.
    pub kind: ComponentKind,
    /// The name as the host shows it.
    pub name: String,
    /// The emitted file, relative to the bundle, if it has one.
    pub file: Option<String>,
    /// Whether the author's text was edited in it.
    pub edited: bool,
}

impl LoadedPlugin {
    /// The components of these kinds.
    pub fn components_of<'a>(
        &'a self,
        kinds: &'a [ComponentKind],
    ) -> impl Iterator<Item = &'a LoadedComponent> {
        self.components.iter().filter(|component| kinds.contains(&component.kind))
    }
}

/// Whether the folder is a bundle.
pub fn is_bundle(folder: &Path) -> bool {
    plain_files::exists(&folder.join(".plugcast/manifest.json"))
}

/// The manifest of a bundle.
///
/// # Errors
/// When it cannot be read or is from a newer plugcast.
pub fn manifest(folder: &Path) -> Result<BundleManifest> {
    document(folder, "manifest.json", MANIFEST)
}

/// The ledger of a bundle.
///
/// # Errors
/// When it cannot be read or is from a newer plugcast.
pub fn ledger(folder: &Path) -> Result<Ledger> {
    document(folder, "ledger.json", LEDGER)
}

impl LoadedBundle {
    /// Loads a bundle; `shown` maps names in the ledger to those of the host.
    ///
    /// # Errors
    /// When a document of the bundle cannot be read, or a plugin's folder is missing.
    pub fn load(folder: &Path, shown: impl Fn(ComponentKind, &str, &str) -> String) -> Result<Self> {
        let root =
            plain_files::absolute(folder).with_context(|| format!("cannot open `{}`", folder.display()))?;
        let manifest = manifest(&root)?;
        let listed = manifest.files.iter().map(|file| &file.path);
        let mut listed = listed.chain(manifest.helpers.iter().map(|helper| &helper.path));
        if let Some(path) = listed.find(|path| !open_beneath::is_inner(Utf8Path::new(path))) {
            bail!("the manifest lists `{path}`, which is not a path in the bundle; build the bundle again");
        }
        if manifest.digest != ManifestFile::digest(&manifest.files) {
            bail!("the manifest has another digest than the files that it lists; build the bundle again");
        }
        let ledger = ledger(&root)?;
        let sourcemap: SourceMap = document(&root, "sourcemap.json", SOURCEMAP)?;
        let mut by_plugin: BTreeMap<&str, Vec<LoadedComponent>> = BTreeMap::new();
        let mut workflows: BTreeMap<&str, usize> = BTreeMap::new();
        for row in
            ledger.rows.iter().filter(|row| row.outcome != RowOutcome::Dropped && !row.plugin.is_empty())
        {
            match row.kind {
                ComponentKind::Plugin => drop(by_plugin.entry(&row.plugin).or_default()),
                ComponentKind::Skill
                | ComponentKind::Agent
                | ComponentKind::Command
                | ComponentKind::Hook
                | ComponentKind::McpServer => {
                    let file = emitted_file(&manifest, row);
                    let mapped = sourcemap.files.iter().find(|mapped| Some(&mapped.path) == file.as_ref());
                    let edited = mapped.is_some_and(|mapped| {
                        mapped.edits.iter().any(|edit| edit.edit.touches_author_text())
                    });
                    let name = shown(row.kind, &row.plugin, &row.name);
                    by_plugin.entry(&row.plugin).or_default().push(LoadedComponent {
                        kind: row.kind,
                        name,
                        file,
                        edited,
                    });
                }
                ComponentKind::Workflow => *workflows.entry(&row.plugin).or_default() += 1,
                _ => {}
            }
        }
        // Hosts find plugins by their folders: one without rows would be loaded but not checked.
        let owner = |path: &str| Some(path.strip_prefix("plugins/")?.split_once('/')?.0.to_owned());
        let mut owners = manifest.files.iter().filter_map(|file| owner(&file.path));
        if let Some(name) = owners.find(|name| !by_plugin.contains_key(name.as_str())) {
            bail!(
                "the manifest lists files of plugin `{name}`, but the ledger has no row for it; build the bundle again"
            );
        }
        let mut plugins = Vec::new();
        for (name, mut components) in by_plugin {
            if Utf8Path::new(name).file_name() != Some(name) {
                bail!("the ledger names plugin `{name}`, which is not a valid name; build the bundle again");
            }
            let folder = root.join("plugins").join(name);
            if !plain_files::exists(&folder) {
                bail!(
                    "the ledger names plugin `{name}`, but `{}` is missing; build the bundle again",
                    folder.display()
                );
            }
            let workflows = workflows.get(name).copied().unwrap_or_default();
            components.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
            plugins.push(LoadedPlugin { name: name.to_owned(), folder, components, workflows });
        }
        Ok(Self { root, manifest, plugins })
    }

    /// The same bundle in another folder.
    #[must_use]
    pub fn in_folder(mut self, root: &Path) -> Self {
        root.clone_into(&mut self.root);
        for plugin in &mut self.plugins {
            plugin.folder = root.join("plugins").join(&plugin.name);
        }
        self
    }

    /// The text of a skill, agent or command: its file, or for a command whose text is in the plugin's manifest, the
    /// equivalent file. `None` if it cannot be read.
    pub fn component_text(&self, name: &str, file: &str) -> Option<String> {
        let text = self.text(file).ok()?;
        if !file.ends_with(".json") {
            return Some(text);
        }
        let manifest: serde_json::Value = serde_json::from_str(&text).ok()?;
        let command = manifest.get("commands")?.get(parts_of(name)?.1)?;
        let line = serde_json::Value::from(one_line(command.get("description")));
        Some(format!("---\ndescription: {line}\n---\n{}\n", command.get("content")?.as_str()?))
    }

    /// Whether the plugin's manifest at `path` describes a command, which takes precedence over its file.
    pub fn is_described_in(&self, path: &str, name: &str) -> bool {
        let text = self.text(path).unwrap_or_default();
        let manifest: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let key = parts_of(name).map_or("", |(_, key)| key);
        !one_line(manifest["commands"][key].get("description")).is_empty()
    }

    /// The text of an emitted file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn text(&self, file: &str) -> Result<String> {
        Ok(disk::read_text_beneath(&self.root, Utf8Path::new(file))?)
    }
}

fn one_line(text: Option<&serde_json::Value>) -> String {
    let text = text.and_then(serde_json::Value::as_str).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The folders of a bundle's plugins, all or only the named ones, absolute.
///
/// # Errors
/// When the bundle or a named plugin is missing.
pub fn plugin_folders(bundle: &Path, only: &[String]) -> Result<Vec<PathBuf>> {
    let plugins = plain_files::absolute(&bundle.join("plugins"))
        .with_context(|| format!("`{}` has no `plugins`", bundle.display()))?;
    let names = if only.is_empty() { plain_files::names_in(&plugins) } else { only.to_vec() };
    let missing = names.iter().find(|name| !plain_files::exists(&plugins.join(name)));
    match missing {
        Some(name) => bail!("`{}` has no plugin `{name}`", bundle.display()),
        None => Ok(names.iter().map(|name| plugins.join(name)).collect()),
    }
}

/// The file of a component's row: the emitted path itself, the `SKILL.md` in it, or the file generated from the row's
/// source file.
fn emitted_file(manifest: &BundleManifest, row: &LedgerRow) -> Option<String> {
    let listed = |path: &str| manifest.files.iter().any(|file| file.path == path).then(|| path.to_owned());
    let to = row.to.as_deref().map(|to| to.trim_end_matches('/'));
    to.and_then(|to| listed(to).or_else(|| listed(&format!("{to}/{SKILL_FILE}")))).or_else(|| {
        let mut made = manifest.files.iter().filter(|file| file.from.as_deref() == Some(row.path.as_str()));
        made.find(|file| file.path.starts_with("plugins/")).map(|file| file.path.clone())
    })
}

fn document<T: DeserializeOwned>(folder: &Path, name: &str, schema: SchemaId) -> Result<T> {
    let inner = Utf8Path::new(".plugcast").join(name);
    let path = folder.join(&inner);
    let text = disk::read_text_beneath(folder, &inner)?;
    let value: serde_json::Value =
        serde_json::from_str(&text).with_context(|| format!("`{}` is not valid JSON", path.display()))?;
    let found = value["schema"].as_str().unwrap_or_default();
    schema.accept(found).map_err(|sentence| anyhow!("`{}`: {sentence}", path.display()))?;
    serde_json::from_value(value)
        .with_context(|| format!("`{}` does not match `{}`", path.display(), schema.tag()))
}
