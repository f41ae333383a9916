//! Loads an unmodified source in Claude Code 2.1.330: plugins of a marketplace through settings that enable them,
//! without installing each; other plugins with `--plugin-dir`; skills outside of plugins through a folder that links to
//! them. All of it in one start. Handlers of hooks and servers come from `claude plugin validate`, run on a copy in
//! which only these can have faults.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::conversation::{HostConversation, HostTurn};
use super::{end_step, init, listing, names, stand_ins, validation};
use crate::disk::plain_files;
use crate::drivers::observation::{Installation, ObservationScope};
use crate::drivers::script::{Conversation, ModelScript};
use crate::drivers::source::{ListedComponent, ListedPlugin, SourceLayout, SourceListing};
use crate::drivers::text;
use crate::ledger::ComponentKind;
use crate::model::qualified_name::parts_of;
use crate::temp_dir::TempFolder;

/// The marketplace file of a source.
const MARKETPLACE: &str = ".claude-plugin/marketplace.json";
/// Fields that declare hooks and servers.
const DECLARING: [&str; 2] = ["hooks", "mcpServers"];
/// Larger files are not documents of a plugin.
const LARGEST: u64 = 4 << 20;

/// Lists everything that the host shows of a source.
pub fn list(
    layout: &SourceLayout,
    installation: &Installation,
    scope: ObservationScope,
) -> Result<SourceListing> {
    let mut listing = SourceListing::default();
    let scratch = TempFolder::new()?;
    let mut folders: Vec<PathBuf> = layout.plugins.clone();
    let shelf = create_skill_plugin(layout, scratch.path())?;
    folders.extend(shelf.clone());
    let enabled = SourceMarketplace::read(layout);
    if !folders.is_empty() || !enabled.folders.is_empty() {
        let turn = start(&folders, &enabled, installation, scope, &mut listing.notes)?;
        add(&mut listing, layout, shelf.as_deref(), &turn);
    }
    let mut refused: Vec<PathBuf> = enabled.unloaded(&listing, layout);
    // A reserved name of the marketplace does not concern its plugins: load a copy with another name.
    if !refused.is_empty() && listing.plugins.is_empty() {
        let copied = renamed(layout, scratch.path())?;
        let turn = start(&[], &SourceMarketplace::read(&copied), installation, scope, &mut listing.notes)?;
        add(&mut listing, &copied, None, &turn);
        refused = enabled.unloaded(&listing, layout);
    }
    // A plugin that the host refuses as part of the marketplace is still loaded by its folder.
    if !refused.is_empty() {
        listing.notes.push(format!(
            "the host does not load {} of the plugins from the marketplace; they are shown by their folders",
            refused.len()
        ));
        listing.lacks_entries = true;
        let turn = start(&refused, &SourceMarketplace::default(), installation, scope, &mut listing.notes)?;
        add(&mut listing, layout, None, &turn);
    }
    for plugin in &mut listing.plugins {
        let Some(root) = &plugin.root else { continue };
        let folder = layout.root.join(root);
        let is_shelf = shelf.as_ref().is_some_and(|shelf| shelf.ends_with(&plugin.name));
        if !(root.is_empty() && is_shelf) {
            examine(plugin, &folder, enabled.entries.get(&folder), installation)?;
        }
    }
    Ok(listing)
}

/// Starts the host with one message, and returns its first event and request.
fn start(
    folders: &[PathBuf],
    enabled: &SourceMarketplace,
    installation: &Installation,
    scope: ObservationScope,
    notes: &mut Vec<String>,
) -> Result<HostTurn> {
    let folders: Vec<String> = folders.iter().map(|folder| text(folder)).collect();
    let mut talk = HostConversation::start(&folders, installation, scope, |home| enabled.prepare(home))?;
    let turn = talk.turn(
        "say ok",
        ModelScript::default().with_conversation(Conversation::new("listing", |_| true).then(end_step())),
    )?;
    notes.extend(stand_ins::remark(&talk.stand_ins));
    talk.end();
    Ok(turn)
}

/// Adds the listed components of a start, plugin by plugin.
fn add(listing: &mut SourceListing, layout: &SourceLayout, shelf: Option<&Path>, turn: &HostTurn) {
    let init = init(&turn.events);
    let request = turn.request().map(|request| request.all_text()).unwrap_or_default();
    let (also, mut skills) = (listing::aliases(&request), listing::names(&request));
    skills.extend(names(&init, "slash_commands"));
    skills.extend(names(&init, "skills"));
    let agents = names(&init, "agents");
    for shown in init["plugins"].as_array().into_iter().flatten() {
        let (Some(name), Some(path)) = (shown["name"].as_str(), shown["path"].as_str()) else { continue };
        let path = Path::new(path);
        let root = match layout.relative_folder(path) {
            Some(root) => Some(root),
            None if shelf == Some(path) => Some(String::new()),
            None => continue,
        };
        let mut components = BTreeSet::new();
        let own = |all: &BTreeSet<String>| -> Vec<(String, String)> {
            let local = |whole: &String| {
                Some((whole.clone(), whole.strip_prefix(name)?.strip_prefix(':')?.to_owned()))
            };
            all.iter().filter_map(local).collect()
        };
        for (whole, local) in own(&skills) {
            // Here the folder name is that of a symlink.
            let also = also.get(&whole).and_then(|also| Some(parts_of(also)?.1.to_owned()));
            let also = also.filter(|_| shelf == Some(path) && layout.skills == [layout.root.clone()]);
            components.insert(ListedComponent { kind: ComponentKind::Skill, name: also.unwrap_or(local) });
        }
        let agents =
            own(&agents).into_iter().map(|(_, name)| ListedComponent { kind: ComponentKind::Agent, name });
        components.extend(agents);
        listing.plugins.push(ListedPlugin { name: name.to_owned(), root, components, refused: Vec::new() });
    }
    for error in init["plugin_errors"].as_array().into_iter().flatten() {
        let message = format!(
            "{}: {}",
            error["type"].as_str().unwrap_or("error"),
            error["message"].as_str().unwrap_or_default()
        );
        let name = error["plugin"].as_str().unwrap_or_default();
        let name = name.split('@').next().unwrap_or_default();
        match listing.plugins.iter_mut().find(|plugin| plugin.name == name) {
            Some(plugin) => plugin.refused.push(message),
            None => listing.notes.push(format!("`{name}`: {message}")),
        }
    }
}

/// Creates a plugin that links to every skill outside of plugins.
fn create_skill_plugin(layout: &SourceLayout, scratch: &Path) -> Result<Option<PathBuf>> {
    if layout.skills.is_empty() {
        return Ok(None);
    }
    let mut name = layout.name.clone().unwrap_or_else(|| "source".to_owned());
    // The host loads only one plugin of a name.
    if layout.plugins.contains(&layout.root) {
        name.push_str("-and-skills");
    }
    let shelf = plain_files::absolute(scratch)?.join(&name);
    for folder in &layout.skills {
        let own = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let own = own.filter(|_| *folder != layout.root).unwrap_or_else(|| name.clone());
        // A duplicate name is prefixed with a parent folder.
        let (mut link, mut above) = (shelf.join("skills").join(&own), folder.ancestors().skip(1));
        while plain_files::exists(&link) {
            let (Some(name), Some(last)) = (above.next().and_then(Path::file_name), link.file_name()) else {
                break;
            };
            link = link.with_file_name(format!("{}-{}", name.to_string_lossy(), last.to_string_lossy()));
        }
        if !plain_files::exists(&link) {
            plain_files::link(&link, folder)?;
        }
    }
    Ok(Some(shelf))
}

/// The plugins of a marketplace that are in the source.
#[derive(Debug, Default)]
struct SourceMarketplace {
    name: String,
    root: PathBuf,
    /// Folders by name.
    folders: BTreeMap<String, PathBuf>,
    /// Entries by folder.
    entries: BTreeMap<PathBuf, Value>,
}

impl SourceMarketplace {
    fn read(layout: &SourceLayout) -> Self {
        let text = plain_files::read(&layout.root.join(MARKETPLACE)).unwrap_or_default();
        let document: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default();
        let base = document["metadata"]["pluginRoot"].as_str().unwrap_or_default();
        let (mut folders, mut entries) = (BTreeMap::new(), BTreeMap::new());
        for entry in document["plugins"].as_array().into_iter().flatten().filter(|_| layout.marketplace) {
            // Plugins of other source types would be downloaded.
            let (Some(name), Some(source)) = (entry["name"].as_str(), entry["source"].as_str()) else {
                continue;
            };
            let base = if source.starts_with('.') { "" } else { base };
            let folder = plain_files::absolute(&layout.root.join(base).join(source));
            if let Some(folder) = folder.ok().filter(|folder| folder.starts_with(&layout.root)) {
                entries.entry(folder.clone()).or_insert_with(|| entry.clone());
                folders.entry(name.to_owned()).or_insert(folder);
            }
        }
        let name = document["name"].as_str().unwrap_or("source").to_owned();
        Self { name, root: layout.root.clone(), folders, entries }
    }

    /// Writes the host's record of an added marketplace, with its plugins enabled.
    fn prepare(&self, home: &Path) -> Result<()> {
        if self.folders.is_empty() {
            return Ok(());
        }
        let source = json!({ "source": "directory", "path": text(&self.root) });
        let enabled: BTreeMap<String, bool> =
            self.folders.keys().map(|plugin| (format!("{plugin}@{}", self.name), true)).collect();
        let settings = json!({ "extraKnownMarketplaces": { &self.name: { "source": source } }, "enabledPlugins": enabled });
        let known = json!({ &self.name: { "source": source, "installLocation": text(&self.root), "lastUpdated": "2026-01-01T00:00:00.000Z" } });
        let folder = home.join(".claude");
        plain_files::write(&folder.join("settings.json"), settings.to_string().as_bytes(), false)?;
        plain_files::write(
            &folder.join("plugins/known_marketplaces.json"),
            known.to_string().as_bytes(),
            false,
        )?;
        Ok(())
    }

    /// Folders of plugins that the host did not load.
    fn unloaded(&self, listing: &SourceListing, layout: &SourceLayout) -> Vec<PathBuf> {
        let loaded: BTreeSet<&str> =
            listing.plugins.iter().filter_map(|plugin| plugin.root.as_deref()).collect();
        let is_loaded = |folder: &PathBuf| {
            layout.relative_folder(folder).is_some_and(|inner| loaded.contains(inner.as_str()))
        };
        let mut unloaded: Vec<PathBuf> =
            self.folders.values().filter(|folder| !is_loaded(folder)).cloned().collect();
        unloaded.sort();
        unloaded.dedup();
        unloaded
    }
}

/// Adds the handlers of hooks and the servers of a plugin. Components declared only by its `entry` in the marketplace
/// are added to the manifest of the copy, since `validate` does not read entries.
fn examine(
    plugin: &mut ListedPlugin,
    folder: &Path,
    entry: Option<&Value>,
    installation: &Installation,
) -> Result<()> {
    let copies = TempFolder::new()?;
    let copy = copies.path().join("plugin");
    let fields: Vec<(&str, Value)> =
        DECLARING.into_iter().filter_map(|key| Some((key, entry?.get(key)?.clone()))).collect();
    if !copy_documents(folder, &copy, CopiedTexts::Outlined, 0)? && fields.is_empty() {
        return Ok(());
    }
    let path = copy.join(validation::MANIFEST);
    let given = plain_files::read(&path).ok();
    let mut manifest = match &given {
        Some(text) => serde_json::from_str(text).unwrap_or_default(),
        None => json!({ "name": plugin.name }),
    };
    let own = manifest.as_object_mut().map(|own| {
        let before = own.len();
        for (key, value) in fields {
            own.entry(key).or_insert(value);
        }
        own.len() > before
    });
    if given.is_none() || own == Some(true) {
        plain_files::write(&path, manifest.to_string().as_bytes(), false)?;
    }
    plain_files::remove(&copy.join(MARKETPLACE))?;
    let examined = validation::examine(&plugin.name, &copy, installation)?;
    plugin.refused.extend(examined.refusals);
    let Some(inventory) = examined.inventory else { return Ok(()) };
    let component = |kind| move |name| ListedComponent { kind, name };
    plugin.components.extend(inventory.hooks.into_iter().map(component(ComponentKind::Hook)));
    plugin.components.extend(inventory.servers.into_iter().map(component(ComponentKind::McpServer)));
    Ok(())
}

/// Copies a source and gives its marketplace an unreserved name.
fn renamed(layout: &SourceLayout, scratch: &Path) -> Result<SourceLayout> {
    let root = plain_files::absolute(scratch)?.join("copy");
    copy_documents(&layout.root, &root, CopiedTexts::Whole, 0)?;
    let path = root.join(MARKETPLACE);
    let text = plain_files::read(&path).unwrap_or_default();
    let mut document: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default();
    if let Some(document) = document.as_object_mut() {
        document.insert("name".to_owned(), json!("source"));
    }
    plain_files::write(&path, document.to_string().as_bytes(), false)?;
    Ok(SourceLayout { root, ..layout.clone() })
}

/// How texts are copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CopiedTexts {
    /// Completely.
    Whole,
    /// Replaced by a text with valid frontmatter: the real one is checked elsewhere, and invalid frontmatter would hide
    /// everything else.
    Outlined,
}

/// Copies a folder, as `texts` requires and with empty files in place of large ones. Returns whether a document may
/// declare hooks or servers.
fn copy_documents(from: &Path, to: &Path, texts: CopiedTexts, depth: usize) -> Result<bool> {
    const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];
    let mut declares = false;
    plain_files::make_folder(to)?;
    for name in plain_files::names_in(from) {
        let (inner, copy) = (from.join(&name), to.join(&name));
        if plain_files::is_folder(&inner) {
            if depth < 16 && !SKIPPED.contains(&name.as_str()) && !plain_files::is_link(&inner) {
                declares |= copy_documents(&inner, &copy, texts, depth + 1)?;
            }
            continue;
        }
        let bytes = match inner.extension().and_then(|ending| ending.to_str()) {
            Some("md") if texts == CopiedTexts::Outlined => {
                b"---\nname: outline\ndescription: Stands for a file.\n---\nOutline.\n".to_vec()
            }
            ending
                if (texts == CopiedTexts::Whole || matches!(ending, Some("json" | "md")))
                    && plain_files::is_file(&inner)
                    && plain_files::size(&inner).is_some_and(|size| size <= LARGEST) =>
            {
                plain_files::read_bytes(&inner)
                    .with_context(|| format!("cannot read `{}`", inner.display()))?
            }
            _ => Vec::new(),
        };
        declares |= name == ".mcp.json" || DECLARING.iter().any(|word| contains_word(&bytes, word));
        plain_files::write(&copy, &bytes, false)?;
    }
    Ok(declares)
}

/// Whether a document contains a quoted word.
fn contains_word(bytes: &[u8], word: &str) -> bool {
    memchr::memmem::find(bytes, format!("\"{word}\"").as_bytes()).is_some()
}
