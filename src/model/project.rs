//! Everything that one command works on: the files, the plugins, and the names that their texts may refer to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::component::{Component, FileReferences};
use super::config::AcceptLoss;
use super::marketplace::Marketplace;
use super::overrides::{HostOverrides, NewName, OverrideValue};
use super::plugin::{InlineCommand, LostComponent, OtherComponent, Plugin};
use super::references::{FilledPlaceholders, InventoryName, NameInventory, PluginOption, Reference};
use super::runtime::HelperBinary;
use super::{plugin_texts, server};
use crate::diagnostic::HostId;
use crate::disk::FileSystem;
use crate::model::qualified_name::QualifiedName;
use crate::parallel;
use crate::source::{ComponentKind, is_markdown};
use crate::source::{Exclusion, SourceFile, SourceTree, Span};
use crate::source_format::SourceFacts;
use camino::Utf8Path;

/// A source that was read and interpreted.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Project {
    /// The file system that holds the files.
    pub file_system: FileSystem,
    /// The files.
    pub tree: SourceTree,
    /// The README above all plugins, if it was requested; not part of a build.
    pub readme: Option<SourceFile>,
    /// The plugins, by name.
    pub plugins: Vec<Plugin>,
    /// The marketplace file, if the source has one.
    pub marketplace: Option<Marketplace>,
    /// The name of the bundle's marketplace.
    pub marketplace_name: String,
    /// Files and folders of the source that belong to no plugin.
    pub outside: Vec<Exclusion>,
    /// Skills and plugins below the source that a check skips.
    pub left_out: Vec<Exclusion>,
    /// The losses that the author accepts.
    pub accepted: Vec<AcceptLoss>,
    /// The helper binaries that this build has found.
    pub helpers: Vec<HelperBinary>,
    /// The overrides, by host.
    pub overrides: BTreeMap<HostId, HostOverrides>,
    /// The substitutes for tools on the host that the project is for, by plugin and tool.
    pub tool_substitutes: BTreeMap<String, BTreeMap<String, OverrideValue>>,
    /// The new names on that host, by kind and by the qualified name on it.
    pub(in crate::model) host_renames: BTreeMap<(ComponentKind, QualifiedName), NewName>,
    /// Every name that a text may refer to; built on first use.
    pub(in crate::model) inventory: OnceLock<NameInventory>,
}

impl Project {
    /// A project without accepted losses and helpers.
    pub fn new(
        tree: SourceTree,
        plugins: Vec<Plugin>,
        marketplace: Option<Marketplace>,
        marketplace_name: String,
        outside: Vec<Exclusion>,
    ) -> Self {
        Self {
            file_system: FileSystem::default(),
            tree,
            readme: None,
            plugins,
            marketplace,
            marketplace_name,
            outside,
            left_out: Vec::new(),
            accepted: Vec::new(),
            helpers: Vec::new(),
            overrides: BTreeMap::new(),
            tool_substitutes: BTreeMap::new(),
            host_renames: BTreeMap::new(),
            inventory: OnceLock::new(),
        }
    }

    /// The same project without the components whose own files are at `paths`: they are lost, for `reason`.
    pub fn without_components(&self, paths: &BTreeSet<String>, reason: &str) -> Self {
        let mut rest = self.clone();
        for plugin in &mut rest.plugins {
            let all = std::mem::take(&mut plugin.components);
            let (gone, kept): (Vec<_>, Vec<_>) =
                all.into_iter().partition(|component| paths.contains(component.path.as_str()));
            plugin.components = kept;
            plugin.lost.extend(gone.into_iter().map(|component| LostComponent {
                kind: component.kind,
                name: component.name,
                path: component.path,
                pointer: None,
                reason: reason.to_owned(),
                misnamed: false,
            }));
        }
        rest
    }

    /// The file at `path` relative to SRC, including the README above all plugins.
    pub fn file(&self, path: impl AsRef<Utf8Path>) -> Option<&SourceFile> {
        let readme = self.readme.as_ref().filter(|readme| readme.path == path.as_ref());
        readme.or_else(|| self.tree.get(path))
    }

    /// Resolves the names in all texts of all components in parallel, each text once.
    pub fn resolve<'a>(&'a self, source: &'a SourceFacts) -> ResolvedProject<'a> {
        let resolved = ResolvedProject { project: self, source };
        let components: Vec<&Component> = self.plugins.iter().flat_map(|plugin| &plugin.components).collect();
        // Built first, so that no task has to wait for it.
        self.inventory(source);
        let files = components.len();
        parallel::map(components, files, |component| {
            self.references(component, source);
            self.shared_references(component, source);
        });
        resolved
    }

    /// The names in the texts of `component`, by file and position; found on first use.
    pub fn references<'a>(&'a self, component: &'a Component, source: &SourceFacts) -> &'a [FileReferences] {
        let find = || references(&self.tree, self.inventory(source), component, source);
        component.references.get_or_init(find)
    }

    /// The shared texts that `component` reads, with the names in them by position; found on first use.
    fn shared_references<'a>(
        &'a self,
        component: &'a Component,
        source: &SourceFacts,
    ) -> &'a [FileReferences] {
        component.shared.get_or_init(|| {
            let plugin = self.plugins.iter().find(|plugin| plugin.name == component.plugin());
            let texts = plugin.map(|plugin| plugin_texts::read_by(&self.tree, plugin, component, source));
            let found = texts.into_iter().flatten().map(|(path, text)| {
                let resolved = ResolvedProject { project: self, source };
                let references = resolved.names_in(text, component.plugin());
                FileReferences { path: path.to_owned(), references }
            });
            found.collect()
        })
    }

    fn inventory(&self, source: &SourceFacts) -> &NameInventory {
        self.inventory.get_or_init(|| {
            let of_plugin = |plugin: &Plugin| {
                // A component's own name takes precedence over the alias of another.
                let own: BTreeSet<&str> =
                    plugin.components.iter().map(|component| component.name.as_str()).collect();
                let name = |component: &Component| InventoryName {
                    plugin: plugin.name.clone(),
                    kind: component.kind,
                    local: component.name.clone(),
                    qualified: component.qualified.clone(),
                    alias: component.alias().filter(|alias| !own.contains(alias.as_str())),
                    script: None,
                };
                let workflow = |other: &OtherComponent| InventoryName {
                    plugin: plugin.name.clone(),
                    kind: ComponentKind::Workflow,
                    local: other.name.clone(),
                    qualified: QualifiedName::new(&plugin.name, &other.name),
                    alias: None,
                    script: Some(plugin.relative_path(&other.path).to_string()).filter(|_| other.own_file),
                };
                let workflows = plugin.others.iter().filter(|other| other.kind == ComponentKind::Workflow);
                plugin.components.iter().map(name).chain(workflows.map(workflow)).collect::<Vec<_>>()
            };
            let names: Vec<InventoryName> = self.plugins.iter().flat_map(of_plugin).collect();
            let others = || {
                self.plugins.iter().flat_map(|plugin| plugin.others.iter().map(move |other| (plugin, other)))
            };
            let of_plugin = |plugin: &Plugin| {
                let name = |other: &OtherComponent| server::tools_of(&plugin.name, &other.name);
                plugin.servers().map(name).collect::<Vec<_>>()
            };
            let mut servers: Vec<String> = self.plugins.iter().flat_map(of_plugin).collect();
            servers.sort();
            servers.dedup();
            let options = others().filter(|(_, other)| other.kind == ComponentKind::UserConfig).map(
                |(plugin, other)| PluginOption {
                    plugin: plugin.name.clone(),
                    variable: format!("{}{}", source.user_config, other.name),
                },
            );
            let options: Vec<PluginOption> = options.collect();
            let mut variables = source.variables.clone();
            variables.sort();
            variables.dedup();
            let tools = (source.tools.as_slice(), source.ambiguous_tools.as_slice(), servers.as_slice());
            NameInventory::new(&names, tools, (&variables, &options), &source.agents)
        })
    }
}

/// A project whose texts have been searched for names.
#[derive(Debug, Clone, Copy)]
pub struct ResolvedProject<'a> {
    project: &'a Project,
    source: &'a SourceFacts,
}

impl<'a> ResolvedProject<'a> {
    /// The names in the texts of `component`, by file and position.
    pub fn references(self, component: &'a Component) -> &'a [FileReferences] {
        self.project.references(component, self.source)
    }

    /// The shared texts that `component` reads, with the names in them by position.
    pub fn shared_references(self, component: &'a Component) -> &'a [FileReferences] {
        self.project.shared_references(component, self.source)
    }

    /// The names in a text of `plugin` that belongs to none of its components.
    pub fn names_in(self, text: &str, plugin: &str) -> Vec<Reference> {
        self.project.inventory(self.source).find(text, Span::new(0, text.len()), plugin, None)
    }

    /// The names in the text of a command in a manifest, in order; spans refer to its content.
    pub fn inline(self, command: &'a InlineCommand) -> &'a [Reference] {
        command.references.get_or_init(|| {
            let filled = FilledPlaceholders {
                arguments: Vec::new(),
                includes: true,
                folders: self.source.folder_variables(),
            };
            let whole = Span::new(0, command.content.len());
            let plugin = command.qualified.plugin();
            self.project.inventory(self.source).find(&command.content, whole, plugin, Some(&filled))
        })
    }
}

/// The names in the texts of one component.
fn references(
    tree: &SourceTree,
    inventory: &NameInventory,
    component: &Component,
    source: &SourceFacts,
) -> Vec<FileReferences> {
    let filled = match component.kind {
        ComponentKind::Agent => None,
        kind => Some(FilledPlaceholders {
            arguments: component.arguments(),
            includes: kind == ComponentKind::Command,
            folders: source.folder_variables(),
        }),
    };
    let main = (&component.path, component.document.body, filled);
    let beside = component.files.iter().filter(|path| is_markdown(path));
    let beside = beside.map(|path| (path, Span::new(0, usize::MAX), None));
    let mut found = Vec::new();
    for (path, body, filled) in std::iter::once(main).chain(beside) {
        let Some(text) = tree.get(path).and_then(|file| file.text()) else { continue };
        let body = Span::new(body.start, body.end.min(text.len()));
        let references = inventory.find(text, body, component.plugin(), filled.as_ref());
        if !references.is_empty() {
            found.push(FileReferences { path: path.clone(), references });
        }
    }
    found
}
