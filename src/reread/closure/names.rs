//! The components that a bundle provides, by the names that its texts use, and suggestions for names that it does not
//! provide.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::EmittedFile;
use crate::model::project::Project;
use crate::model::qualified_name::{last_of, local_of, plugin_of, qualify};
use crate::model::similar_names;
use crate::read::json;
use crate::source::ComponentKind;
use crate::target::{AgentEmission, Target};

/// Qualified names that resolve in a bundle.
#[derive(Debug, Default)]
pub(super) struct BundleNames {
    names: BTreeSet<String>,
    /// Every qualified name of the source, with its file.
    source: BTreeMap<String, Utf8PathBuf>,
    /// The first qualified name for each last part.
    last: BTreeMap<String, String>,
    /// The names of workflows, keyed by the names that their files would suggest.
    by_file: BTreeMap<String, String>,
}

impl BundleNames {
    /// Reads the names from the emitted files: from the data of a module if it registers them, else from the files
    /// themselves.
    pub(super) fn new(project: &Project, target: &Target, files: &[EmittedFile<'_>]) -> Self {
        let mut out = Self::default();
        if let Some(facts) = &target.registration {
            let data = files.iter().filter(|file| file.path.file_name() == Some(facts.data.as_str()));
            for node in data.filter_map(|file| json::parse(file.text?).0) {
                let lists = ["bodies", "agents"].into_iter().filter_map(|list| node.get(list));
                out.names.extend(lists.flat_map(|list| list.entries()).map(|entry| entry.key.clone()));
            }
        }
        let emitted: BTreeSet<&str> = files.iter().filter_map(|file| Some(file.from?.as_str())).collect();
        for component in project.plugins.iter().flat_map(|plugin| &plugin.components) {
            let plugin = component.qualified.plugin();
            let also = component.alias().map(|alias| qualify(plugin, &alias));
            let registered = match component.kind {
                ComponentKind::Agent => target.agent.emission == AgentEmission::Registered,
                _ => target.registration.is_some(),
            };
            let there = if registered {
                out.names.contains(component.qualified.as_str())
            } else {
                emitted.contains(component.path.as_str())
            };
            if there {
                out.names.insert(component.qualified.to_string());
                out.names.extend(also.clone());
            }
            out.source.insert(component.qualified.to_string(), component.path.clone());
            out.source.extend(also.map(|also| (also, component.path.clone())));
        }
        for plugin in &project.plugins {
            for other in &plugin.others {
                // The source host names a workflow only by the name in its script.
                let is_workflow = other.kind == ComponentKind::Workflow;
                let stem = other.path.file_stem().filter(|_| other.own_file);
                let by_file = stem.filter(|_| is_workflow).map(|stem| qualify(&plugin.name, stem));
                out.by_file.extend(by_file.map(|name| (name, qualify(&plugin.name, &other.name))));
                let file = stem.filter(|_| !is_workflow);
                for name in file.into_iter().chain([other.name.as_str()]) {
                    let name = qualify(&plugin.name, name);
                    if target.components.get(&other.kind).is_some_and(|facts| facts.carried) {
                        out.names.insert(name.clone());
                    }
                    out.source.entry(name).or_insert_with(|| other.path.clone());
                }
            }
        }
        for name in out.source.keys() {
            out.last.entry(last_part(name).to_owned()).or_insert_with(|| name.clone());
        }
        out
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The source file of the component with this name.
    pub(super) fn source_of(&self, name: &str) -> Option<&Utf8Path> {
        self.source.get(name).map(Utf8PathBuf::as_path)
    }

    /// Whether the blocks of the host bind names.
    pub(super) fn bound_by(&self, target: &Target) -> bool {
        target.block.contains_key("agents") && target.block.contains_key("skills")
    }

    /// The name that was most likely meant.
    pub(super) fn nearest(&self, name: &str) -> Option<&str> {
        if let Some(workflow) = self.by_file.get(name) {
            return Some(workflow);
        }
        let (last, plugin) = (last_part(name), plugin_of(name));
        let known = similar_names::neighbours(&self.source, name).filter(|known| plugin_of(known) == plugin);
        let known: Vec<&str> = known.collect();
        if let Some(same) = known.iter().find(|known| last_of(known) == last) {
            return Some(same);
        }
        // The plugin of the name is not one of the source, so it is probably what is wrong.
        if known.is_empty() {
            return self.last.get(last).map(String::as_str);
        }
        // What only resembles a name is not a claim: nothing is reported.
        let is_sure = |near: &&str| similar_names::similarity(near, local_of(name)) > 0.9;
        let near = similar_names::nearest(local_of(name), known.iter().map(|known| local_of(known)));
        let near = near.filter(is_sure)?;
        known.into_iter().find(|known| local_of(known) == near)
    }
}

/// A name without its plugin and folders.
fn last_part(name: &str) -> &str {
    last_of(name)
}
