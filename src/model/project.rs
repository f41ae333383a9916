//! Everything that one command works on: the tree that was read, its plugins, and the names that a
//! text of any of them may mean.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::component::{Component, FileReferences};
use super::config::AcceptLoss;
use super::marketplace::Marketplace;
use super::plugin::Plugin;
use super::references::{Filled, Inventory, Name, Named};
use super::runtime::HelperBinary;
use crate::read::format::SourceFacts;
use crate::source::Kind;
use crate::source::{Exclusion, SourceTree, Span};

/// A source, read and understood.
#[derive(Debug)]
pub struct Project {
    /// The files.
    pub tree: SourceTree,
    /// The plugins, by name.
    pub plugins: Vec<Plugin>,
    /// The marketplace file, if the source has one.
    pub marketplace: Option<Marketplace>,
    /// The name of the bundle's marketplace.
    pub marketplace_name: String,
    /// What lies at the top of the source and belongs to no plugin.
    pub outside: Vec<Exclusion>,
    /// The losses that the author accepts.
    pub accepted: Vec<AcceptLoss>,
    /// The helper binaries of this build, which whoever builds has found.
    pub helpers: Vec<HelperBinary>,
}

impl Project {
    /// Finds what every text of every component names. Call it once, when all plugins are known.
    pub fn resolve(&mut self, source: &SourceFacts) {
        let names: Vec<Name> = self
            .plugins
            .iter()
            .flat_map(|plugin| {
                plugin.components.iter().map(|component| Name {
                    plugin: plugin.name.clone(),
                    kind: component.kind,
                    local: component.name.clone(),
                    qualified: component.qualified.clone(),
                    also: component.folder_name(),
                })
            })
            .collect();
        let inventory = Inventory::new(&names, &source.tools, &source.ambiguous_tools, &source.variables);
        let tree = &self.tree;
        let of_components = self.plugins.iter_mut().flat_map(|plugin| {
            let name = &plugin.name;
            plugin.components.iter_mut().map(move |component| (name, component))
        });
        let of_components: Vec<(&String, &mut Component)> = of_components.collect();
        of_components.into_par_iter().with_min_len(16).for_each(|(plugin, component)| {
            component.references = references(tree, &inventory, plugin, component);
        });
        for plugin in &mut self.plugins {
            for command in &mut plugin.inline {
                let filled = Filled { arguments: Vec::new(), includes: true };
                let whole = Span::new(0, command.content.len());
                command.references = inventory.find(&command.content, whole, &plugin.name, Some(&filled));
            }
        }
    }

    /// Qualified names of the agents that some text dispatches.
    pub fn dispatched(&self) -> BTreeSet<&str> {
        let mut out = BTreeSet::new();
        for command in self.plugins.iter().flat_map(|plugin| &plugin.inline) {
            for reference in &command.references {
                if let Named::Component(Kind::Agent, name) = &reference.named {
                    out.insert(name.as_str());
                }
            }
        }
        for component in self.plugins.iter().flat_map(|plugin| &plugin.components) {
            for reference in component.references.iter().flat_map(|file| &file.references) {
                if let Named::Component(Kind::Agent, name) = &reference.named
                    && name != &component.qualified
                {
                    out.insert(name.as_str());
                }
            }
        }
        out
    }
}

/// What the texts of one component name.
fn references(
    tree: &SourceTree,
    inventory: &Inventory,
    plugin: &str,
    component: &Component,
) -> Vec<FileReferences> {
    let filled = match component.kind {
        Kind::Agent => None,
        kind => Some(Filled { arguments: component.arguments(), includes: kind == Kind::Command }),
    };
    let main = (&component.path, component.document.body, filled);
    let beside = component.files.iter().filter(|path| path.extension() == Some("md"));
    let beside = beside.map(|path| (path, Span::new(0, usize::MAX), None));
    let mut found = Vec::new();
    for (path, body, filled) in std::iter::once(main).chain(beside) {
        let Some(text) = tree.get(path).and_then(|file| file.text()) else { continue };
        let body = Span::new(body.start, body.end.min(text.len()));
        let references = inventory.find(text, body, plugin, filled.as_ref());
        if !references.is_empty() {
            found.push(FileReferences { path: path.clone(), references });
        }
    }
    found
}
