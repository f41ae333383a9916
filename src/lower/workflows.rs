//! The agents that the scripts of workflows dispatch, for hosts on which the model follows the script, and which workflows
//! the texts name.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;
use serde_json::json;

use super::context::LoweringContext;
use crate::bundle::draft::BlockLine;
use crate::bundle::{BundleNode, NodeContent};
use crate::model::component::Component;
use crate::model::plugin::OtherComponent;
use crate::model::plugin::Plugin;
use crate::model::project::{Project, ResolvedProject};
use crate::model::qualified_name::qualify;
use crate::model::references::ReferenceTarget;
use crate::read::workflow;
use crate::source::ComponentKind;

/// The agents of `plugin` that the script of the workflow `name` names.
pub(super) fn agents<'a>(project: &'a Project, plugin: &'a Plugin, name: &str) -> Vec<&'a Component> {
    let script = find_workflow(plugin, name).and_then(|workflow| project.tree.get(&workflow.path)?.text());
    let Some(script) = script else { return Vec::new() };
    let quoted = |agent: &&Component| {
        let name = &agent.qualified;
        ["'", "\"", "`"].iter().any(|quote| script.contains(&format!("{quote}{name}{quote}")))
    };
    plugin
        .components
        .iter()
        .filter(|component| component.kind == ComponentKind::Agent)
        .filter(quoted)
        .collect()
}

fn all(plugin: &Plugin) -> impl Iterator<Item = &OtherComponent> {
    plugin.others.iter().filter(|other| other.kind == ComponentKind::Workflow && other.fault.is_none())
}

/// The workflow of `plugin` with the qualified `name`.
fn find_workflow<'a>(plugin: &'a Plugin, name: &str) -> Option<&'a OtherComponent> {
    let local = name.strip_prefix(&*plugin.name)?.strip_prefix(':')?;
    all(plugin).find(|other| other.name == local)
}

/// The file with the prompts of the workflow `name`, in the plugin's folder, if the host gets one.
pub(super) fn prompts_of(context: &LoweringContext<'_>, name: &str) -> Option<Utf8PathBuf> {
    let workflow = find_workflow(context.plugin, name)?;
    prompts(context, workflow).map(|(path, _)| path)
}

/// The path of the prompts of a script, and the prompts; `None` if a file of the source is there.
fn prompts(
    context: &LoweringContext<'_>,
    workflow: &OtherComponent,
) -> Option<(Utf8PathBuf, Vec<workflow::AgentPrompt>)> {
    let facts = context.target.prompts.as_ref()?;
    let script = context.places.files.get(&workflow.path)?;
    let path = Utf8PathBuf::from(format!("{script}{}", facts.suffix));
    let is_taken = context.places.files.values().any(|taken| *taken == path);
    let text = context.project.tree.get(&workflow.path)?.text().filter(|_| !is_taken)?;
    Some((path, workflow::prompts(text)?))
}

/// The prompts of every script that has them, for agents to read.
pub(super) fn pages(context: &LoweringContext<'_>) -> Vec<BundleNode> {
    let Some(facts) = &context.target.prompts else { return Vec::new() };
    let page = |workflow: &OtherComponent| {
        let (path, prompts) = prompts(context, workflow)?;
        let prompts = prompts.iter().map(|prompt| {
            json!({ "text": prompt.text.trim(), "agent": prompt.agent, "fence": fence(&prompt.text) })
        });
        let values = json!({
            "workflow": qualify(&context.plugin.name, &workflow.name),
            "script": context.places.files.get(&workflow.path).and_then(|script| script.file_name()),
            "prompts": prompts.collect::<Vec<_>>(),
        });
        let content = NodeContent::Page(BlockLine::new(&facts.text, values));
        Some(context.generated_file(path, content))
    };
    all(context.plugin).filter_map(page).collect()
}

/// A fence for `text` that is longer than any fence in it.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

/// The qualified names of the workflows that some text of the build names.
pub(super) fn named<'a>(project: &'a Project, resolved: ResolvedProject<'a>) -> BTreeSet<&'a str> {
    let of_texts = |plugin: &'a Plugin| {
        let groups = plugin.components.iter().flat_map(move |component| {
            resolved.references(component).iter().chain(resolved.shared_references(component))
        });
        groups.flat_map(|group| &group.references)
    };
    let of_manifest = |plugin: &'a Plugin| plugin.inline.iter().flat_map(move |one| resolved.inline(one));
    let references = project.plugins.iter().flat_map(|plugin| of_texts(plugin).chain(of_manifest(plugin)));
    let used = references.filter(|reference| !reference.forbidden);
    let names = used.filter_map(|reference| match &reference.named {
        ReferenceTarget::Component(ComponentKind::Workflow, name) => Some(name.as_str()),
        _ => None,
    });
    names.collect()
}
