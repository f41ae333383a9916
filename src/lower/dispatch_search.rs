//! The agents that are dispatched on a host where a plugin's agents are only files: those that a skill, a command, a
//! workflow or another dispatched agent asks for.

use std::collections::{BTreeMap, BTreeSet};

use super::workflows;
use crate::model::component::Component;
use crate::model::plugin::Plugin;
use crate::model::project::{Project, ResolvedProject};
use crate::model::references::{Reference, ReferenceTarget};
use crate::source::ComponentKind;
use crate::source_format::SourceFacts;
use crate::target::Target;

/// The scope of the search.
#[derive(Clone, Copy)]
struct DispatchSearch<'a> {
    project: &'a Project,
    resolved: ResolvedProject<'a>,
    source: &'a SourceFacts,
    /// Whether the model follows workflow scripts.
    follows_scripts: bool,
}

/// The qualified names of the agents that are dispatched on `target`, starting from skills and commands.
pub(super) fn agents<'a>(
    project: &'a Project,
    resolved: ResolvedProject<'a>,
    target: &Target,
    source: &'a SourceFacts,
) -> BTreeSet<&'a str> {
    let workflows = target.components.get(&ComponentKind::Workflow);
    let follows_scripts = workflows.is_some_and(|facts| facts.reason.is_some());
    let search = DispatchSearch { project, resolved, source, follows_scripts };
    let mut out = BTreeSet::new();
    let (mut left, mut asked) = (Vec::new(), Vec::new());
    for plugin in &project.plugins {
        for command in &plugin.inline {
            search.text(plugin, resolved.inline(command), &mut asked);
        }
    }
    let components =
        || project.plugins.iter().flat_map(|plugin| plugin.components.iter().map(move |one| (plugin, one)));
    let by_name: BTreeMap<&str, (&Plugin, &Component)> = components()
        .filter(|(_, component)| component.kind == ComponentKind::Agent)
        .map(|(plugin, agent)| (agent.qualified.as_str(), (plugin, agent)))
        .collect();
    for (plugin, component) in components().filter(|(_, component)| component.kind != ComponentKind::Agent) {
        search.component(plugin, component, &mut asked);
    }
    loop {
        for name in asked.drain(..) {
            left.extend(by_name.get(name).filter(|_| out.insert(name)));
        }
        let Some((plugin, agent)) = left.pop() else { return out };
        search.component(plugin, agent, &mut asked);
    }
}

impl<'a> DispatchSearch<'a> {
    fn component(self, plugin: &'a Plugin, component: &'a Component, asked: &mut Vec<&'a str>) {
        if !component.may_dispatch(self.source) {
            return;
        }
        let shared = self.resolved.shared_references(component);
        for group in self.resolved.references(component).iter().chain(shared) {
            self.text(plugin, &group.references, asked);
        }
    }

    /// Adds the agents that a text asks for, and those of the workflows that it names.
    fn text(self, plugin: &'a Plugin, references: &'a [Reference], asked: &mut Vec<&'a str>) {
        for reference in references.iter().filter(|reference| !reference.forbidden) {
            match &reference.named {
                ReferenceTarget::Component(ComponentKind::Agent, name) if reference.asked => asked.push(name),
                ReferenceTarget::Component(ComponentKind::Workflow, name) => {
                    self.workflow(plugin, name, asked)
                }
                _ => {}
            }
        }
    }

    fn workflow(self, plugin: &'a Plugin, name: &str, asked: &mut Vec<&'a str>) {
        if self.follows_scripts {
            let named = workflows::agents(self.project, plugin, name);
            asked.extend(named.into_iter().map(|agent| agent.qualified.as_str()));
        }
    }
}
