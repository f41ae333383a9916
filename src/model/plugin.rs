//! One plugin: its manifest, its components by the rules of the source host, and its other files.

mod command_object;
mod declarations;
mod duplicates;
mod escapes;
mod fields;
mod find;
mod inner_hooks;
mod location;
mod missing_components;
mod other_components;
pub mod settings;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use camino::{Utf8Path, Utf8PathBuf};

pub use declarations::Declaration;
pub use find::loose_skills::declares_component;
pub use inner_hooks::InnerHooks;
pub use location::{LocationForm, PluginLocation};
pub use other_components::{OtherBody, OtherComponent};

use super::component::Component;
use super::files::{self, PluginFiles};
use super::hook::Hook;
use super::manifest::{self, PluginManifest};
use super::marketplace::MarketplaceEntry;
use super::names;
use super::overrides::OverrideValue;
use super::references::Reference;
use super::runtime::Runtime;
use super::similar_names;
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::model::qualified_name::QualifiedName;
pub use crate::read::pointer::find as node_at;
use crate::read::pointer::{self, JsonPointer, keys};
use crate::read::tree::Node;
use crate::source::{ComponentKind, FileContent, SourceFile, SourceTree, Span, is_markdown};
use crate::source_format::SourceFacts;

/// One plugin.
#[derive(Debug, Clone)]
pub struct Plugin {
    /// The name that qualifies its components.
    pub name: String,
    /// Its folder, relative to SRC; empty for SRC itself.
    pub root: Utf8PathBuf,
    /// Its manifest, if it has one that can be read.
    pub manifest: Option<PluginManifest>,
    /// Its entry in the marketplace.
    pub entry: Option<MarketplaceEntry>,
    /// Skills, agents and commands, by kind and name.
    pub components: Vec<Component>,
    /// Commands with their text in the manifest.
    pub inline: Vec<InlineCommand>,
    /// Components of other kinds.
    pub others: Vec<OtherComponent>,
    /// Components that no host can get.
    pub lost: Vec<LostComponent>,
    /// Its files.
    pub files: PluginFiles,
    /// Links that would be agents or commands if they were files.
    pub linked: BTreeSet<Utf8PathBuf>,
    /// Readable components whose name another one has: they are among the lost ones and not built, but their texts are
    /// checked.
    pub shadowed: Vec<Component>,
    /// Hooks in the frontmatter of skills and commands.
    pub inner_hooks: InnerHooks,
    /// The programs that it ships.
    pub runtime: Runtime,
    /// Whether no build includes it, so that only a check reads it.
    pub is_check_only: bool,
    /// What its folder is.
    pub form: LocationForm,
    /// Whether it consists only of skills that belong to no plugin.
    pub has_only_loose_skills: bool,
}

/// A command with its text in the manifest.
#[derive(Debug, Clone)]
pub struct InlineCommand {
    /// Its key.
    pub name: String,
    /// `plugin:name`.
    pub qualified: QualifiedName,
    /// The manifest, relative to SRC.
    pub path: Utf8PathBuf,
    /// Its JSON pointer there.
    pub pointer: JsonPointer,
    /// Its bytes.
    pub span: Span,
    /// The other fields of its object, by the name of the frontmatter field.
    pub declared: BTreeMap<String, OverrideValue>,
    /// Its text.
    pub content: String,
    /// The names in its text, resolved by the project.
    pub(in crate::model) references: OnceLock<Vec<Reference>>,
}

/// A component that could not be read or named.
#[derive(Debug, Clone)]
pub struct LostComponent {
    /// What it would have been.
    pub kind: ComponentKind,
    /// Its name, as far as it is known.
    pub name: String,
    /// Its file, relative to SRC.
    pub path: Utf8PathBuf,
    /// Its JSON pointer, if a manifest declares it.
    pub pointer: Option<JsonPointer>,
    /// Why it is lost.
    pub reason: String,
    /// Whether it can be read and only its name is at fault.
    pub misnamed: bool,
}

impl InlineCommand {
    /// Its description, on one line.
    pub fn description(&self) -> Option<&str> {
        self.declared.get("description")?.value.as_str()
    }
}

impl Plugin {
    /// Whether a manifest or a marketplace declares it; otherwise it may be a project, whose components are not
    /// qualified.
    pub fn is_declared(&self) -> bool {
        self.manifest.is_some() || self.entry.is_some()
    }

    /// Whether the source host reads fields of a command at `path` from the bundle: it is the plugin's own manifest, or
    /// a skill that the command hides.
    pub fn has_kept(&self, path: &Utf8Path) -> bool {
        let is_manifest = self.manifest.as_ref().is_some_and(|manifest| manifest.path == path);
        is_manifest || is_markdown(path)
    }

    /// Every readable skill, agent and command file of the author.
    pub fn author_files(&self) -> impl Iterator<Item = &Component> {
        self.components.iter().chain(&self.shadowed)
    }

    /// Every hook, those in frontmatter last.
    pub fn hooks(&self) -> impl Iterator<Item = (&OtherComponent, &Hook)> {
        self.others.iter().chain(&self.inner_hooks.hooks).filter_map(|other| match &other.body {
            OtherBody::Hook(hook) => Some((other, &**hook)),
            _ => None,
        })
    }

    /// Every MCP server, including unreadable ones.
    pub fn servers(&self) -> impl Iterator<Item = &OtherComponent> {
        self.others.iter().filter(|other| other.kind == ComponentKind::McpServer)
    }

    /// The components that the marketplace's entry adds in a field: none if the entry is not strict and the manifest
    /// also declares components, which the source host refuses (2.1.330).
    pub fn added_by_entry(&self, field: &str) -> Option<&Node> {
        const FIELDS: [&str; 7] =
            ["skills", "agents", "commands", "hooks", "mcpServers", "lspServers", "outputStyles"];
        let entry = &self.entry.as_ref()?.node;
        let is_lax = entry.get("strict").and_then(Node::scalar).as_deref() == Some("false");
        let declares = |own: &PluginManifest| FIELDS.iter().any(|field| own.node.get(field).is_some());
        let refused = is_lax && self.manifest.as_ref().is_some_and(declares);
        entry.get(field).filter(|_| !refused)
    }

    /// The value at `pointer` in the manifest, or in the marketplace entry if the manifest has none.
    pub fn metadata(&self, pointer: &str) -> Option<&Node> {
        let top = keys(pointer).next().unwrap_or_default();
        // A manifest may contain fields of a marketplace entry; hosts that read them there refuse the same values.
        let usable = |manifest: &&PluginManifest| {
            let refuses = manifest::fields::refuses(&manifest.node, &top, manifest::fields::ENTRY);
            !refuses && !manifest.refused.contains(&top)
        };
        let manifest = self.manifest.as_ref().filter(usable).map(|manifest| &manifest.node);
        let entry = self.entry.as_ref().filter(|entry| !entry.refused.contains(&top));
        let entry = entry.map(|entry| &entry.node);
        manifest
            .and_then(|node| pointer::find(node, pointer))
            .or_else(|| entry.and_then(|node| pointer::find(node, pointer)))
    }

    /// `path` relative to the plugin's folder.
    pub fn relative_path<'a>(&self, path: &'a Utf8Path) -> &'a Utf8Path {
        let root = self.root.as_str();
        if root.is_empty() {
            return path;
        }
        let inner = path.as_str().strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
        inner.map_or(path, Utf8Path::new)
    }
}

/// Reads the plugin at `location`; `None` when it has no usable name.
pub fn read(
    tree: &SourceTree,
    location: PluginLocation,
    others: &[Utf8PathBuf],
    source: &SourceFacts,
    owned: &[String],
    found: &mut Vec<Diagnostic>,
) -> Option<Plugin> {
    let is_shelf = location.is_shelf();
    let files = files::plugin_files(tree, &location.root, others, source, owned);
    let manifest_path = location.root.join(&source.manifest);
    let manifest = tree.get(&manifest_path).and_then(|file| read_manifest(file, found));
    let broken = tree.get(&manifest_path).is_some()
        && manifest.as_ref().is_none_or(|manifest| manifest.refused.iter().any(|key| key == "name"));
    let name = name(tree, &location, manifest.as_ref(), broken, found)?;
    let mut plugin = Plugin {
        name,
        root: location.root,
        manifest,
        entry: location.entry,
        components: Vec::new(),
        inline: Vec::new(),
        others: Vec::new(),
        lost: Vec::new(),
        shadowed: Vec::new(),
        inner_hooks: InnerHooks::default(),
        files,
        linked: BTreeSet::new(),
        runtime: Runtime::default(),
        is_check_only: location.is_check_only,
        form: location.form,
        has_only_loose_skills: is_shelf,
    };
    if plugin.form == LocationForm::Foreign {
        return Some(plugin);
    }
    if let LocationForm::Loose(kind) = plugin.form {
        find::loose_skills::components(tree, &mut plugin, kind, source, found);
        found.extend(no_text(tree, &plugin));
        return Some(plugin);
    }
    find::components(tree, &mut plugin, (&location.loose_skills, is_shelf), source, found);
    if !is_shelf {
        other_components::find(tree, &mut plugin, source, found);
    }
    plugin.inner_hooks = inner_hooks::find(tree, &plugin, source);
    found.extend(no_text(tree, &plugin));
    escapes::refuse(tree, &mut plugin, source, found);
    found.extend(made_for_another(tree, &plugin, source).or_else(|| no_components(&plugin)));
    Some(plugin)
}

/// Reads the plugin's manifest; `None` if it is unusable.
fn read_manifest(file: &SourceFile, found: &mut Vec<Diagnostic>) -> Option<PluginManifest> {
    let (node, mut faults) = manifest::read_object(file);
    let manifest = node.map(|node| {
        let (refused, findings): (Vec<_>, Vec<_>) =
            manifest::fields::refused_fields(file, &node, manifest::fields::MANIFEST).into_iter().unzip();
        faults.extend(findings);
        PluginManifest { path: file.path.clone(), node, refused, escaping: Vec::new() }
    });
    found.append(&mut faults);
    manifest
}

/// The finding about a plugin without any component.
fn no_components(plugin: &Plugin) -> Option<Diagnostic> {
    let is_empty = plugin.form == LocationForm::Plugin
        && plugin.components.is_empty()
        && plugin.inline.is_empty()
        && plugin.others.iter().all(|other| matches!(other.body, OtherBody::Nothing))
        && plugin.lost.is_empty();
    // A plugin for another host only may have components that only that host knows, which is not a fault.
    let of_another_host = plugin.manifest.is_none() && !plugin.files.left_out.is_empty();
    if !is_empty || of_another_host {
        return None;
    }
    let path = if plugin.root.as_str().is_empty() { Utf8Path::new(".") } else { &plugin.root };
    let message = format!("the plugin `{}` has no components", plugin.name);
    let help = "add a skill as `skills/<name>/SKILL.md`, an agent as `agents/<name>.md` or a command as `commands/<name>.md`";
    let (message, help) = match plugin.about_unfound_skills() {
        Some((why, help)) => (format!("{message}: {why}"), help),
        None => (message, help.to_owned()),
    };
    Some(Diagnostic::for_file(path, Severity::Error, RuleId::EMPTY_PLUGIN, message).help(help))
}

/// Reports texts beside components, and programs, that are not valid text: no rule reads them, although hosts, models
/// and interpreters do.
fn no_text<'a>(tree: &'a SourceTree, plugin: &'a Plugin) -> impl Iterator<Item = Diagnostic> + 'a {
    let beside = plugin.components.iter().flat_map(|component| &component.files);
    let beside: BTreeSet<&Utf8PathBuf> = beside.collect();
    let files = plugin.files.kept.iter().filter_map(|path| tree.get(path));
    let files = files
        .filter(|file| matches!(file.content, FileContent::NotText { .. } | FileContent::Repaired { .. }));
    // Other documents are reported when they are read, or are never read.
    let is_data = |file: &SourceFile| {
        is_markdown(&file.path) || matches!(file.path.extension(), Some("json" | "toml" | "yaml" | "yml"))
    };
    let files = files.filter(move |file| !is_data(file) || beside.contains(&file.path));
    files.map(|file| Diagnostic { severity: Severity::Warning, ..manifest::not_text(file) })
}

/// Reports that a plugin without its own manifest takes its name from another host's.
fn made_for_another(tree: &SourceTree, plugin: &Plugin, source: &SourceFacts) -> Option<Diagnostic> {
    let mut manifests = source.foreign_manifests.iter().map(|path| plugin.root.join(path));
    let path = manifests.find(|path| tree.get(path).is_some()).filter(|_| plugin.manifest.is_none())?;
    let message =
        format!("`{}` is the manifest of another host: only its name is read", plugin.relative_path(&path));
    let help =
        format!("write `{}` and declare the same fields there; the ledger lists them", source.manifest);
    Some(Diagnostic::for_file(&path, Severity::Info, RuleId::EMPTY_PLUGIN, message).help(help))
}

/// The plugin's name; why a `broken` manifest has none is already reported.
fn name(
    tree: &SourceTree,
    location: &PluginLocation,
    manifest: Option<&PluginManifest>,
    broken: bool,
    found: &mut Vec<Diagnostic>,
) -> Option<String> {
    let declared = manifest.and_then(|manifest| Some((manifest, manifest.node.get("name")?)));
    let declared = declared.and_then(|(manifest, node)| Some((manifest, node.as_str()?, node.span)));
    let given = match declared {
        Some((_, name, _)) => Some(name.to_owned()),
        None => location
            .entry
            .as_ref()
            .filter(|_| manifest.is_none() || broken)
            .map(|entry| entry.name.clone())
            .or_else(|| location.name.clone()),
    };
    let Some(name) = given else {
        if let Some(manifest) = manifest.filter(|_| !broken) {
            found.extend(tree.get(&manifest.path).map(|file| nameless(file, manifest)));
        }
        return None;
    };
    if let Err(why) = names::check_installable(&name) {
        let message = format!("the plugin name `{name}` {why}");
        let place = match declared.and_then(|(manifest, _, span)| Some((tree.get(&manifest.path)?, span))) {
            Some((file, span)) => {
                Diagnostic::in_file(file, span, Severity::Error, RuleId::NAME_FORMAT, message)
            }
            None => name_finding(tree, location, message),
        };
        found.push(place.help("use letters, digits and `-`, such as `my-plugin`"));
        return None;
    }
    Some(name)
}

/// A manifest without a `name`, which the source host refuses.
fn nameless(file: &SourceFile, manifest: &PluginManifest) -> Diagnostic {
    let entries = manifest.node.entries();
    let meant = entries.iter().find(|entry| similar_names::misspelt_name(&entry.key, ["name"]).is_some());
    let span = meant.map_or(manifest.node.span, |entry| entry.key_span);
    let help = match meant {
        Some(entry) => format!("did you mean `name` instead of `{}`?", entry.key),
        None => "add `name`, or pass `--name`".to_owned(),
    };
    Diagnostic::in_file(file, span, Severity::Error, RuleId::NAME_MISSING, "the manifest has no `name`")
        .help(help)
}

/// A finding about a plugin's name in the marketplace, or else about the plugin's folder.
fn name_finding(tree: &SourceTree, location: &PluginLocation, message: String) -> Diagnostic {
    let entry = location.entry.as_ref().and_then(|entry| {
        let file = tree.files().find(|file| file.path.as_str().ends_with("marketplace.json"))?;
        Some((file, entry.node.get("name")?.span))
    });
    match entry {
        Some((file, span)) => Diagnostic::in_file(file, span, Severity::Error, RuleId::NAME_FORMAT, message),
        None => Diagnostic::for_file(&location.root, Severity::Error, RuleId::NAME_FORMAT, message),
    }
}

/// The span of a whole file, for ledger rows about a whole component.
pub fn whole_span(tree: &SourceTree, path: &Utf8Path) -> Span {
    Span::new(0, tree.get(path).map_or(0, |file| usize::try_from(file.size).unwrap_or(0)))
}
