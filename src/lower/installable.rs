//! Agents that a host's plugins cannot carry and that something dispatches: a file beside the plugins, to be
//! installed elsewhere. Its text is that of the agent's own file, so it says where paths in it count from.

use camino::Utf8Path;
use serde_json::{Value as Json, json};

use super::{Cast, Scene, overrides, paths, place, shape};
use crate::bundle::draft::{Block, BlockLine, Draft};
use crate::bundle::{BODY, Content, Node};
use crate::ledger::Kind;
use crate::model::component::Component;

/// Emits the installable form of `component`, whose own file lies at `inner` in the plugin's emitted folder.
pub(super) fn emit(
    scene: &Scene<'_>,
    component: &Component,
    inner: &Utf8Path,
    draft: &Draft,
    cast: &mut Cast,
) {
    let Some(facts) = scene.target.agent.installable.as_ref() else { return };
    if component.kind != Kind::Agent || !scene.named_agents.contains(component.qualified.as_str()) {
        return;
    }
    let lookup = |name: &str| match name {
        "qualified" => Some(component.qualified.as_str().into()),
        "body" => Some(BODY.into()),
        pointer => component.text_field(pointer.trim_start_matches('/')).map(Into::into),
    };
    let mut document = shape::fill(&facts.document, &lookup, &mut Vec::new());
    overrides::install(component, &mut document);
    let path = place::fill(&facts.path, scene.plugin, component, &component.path);
    let mut body = draft.clone();
    if let Some(template) = facts.paths.as_ref().filter(|_| names_paths(scene, component, draft)) {
        let values = json!({ "file": inner, "plugin": scene.plugin.name });
        let line = BlockLine { template: template.clone(), values };
        let heading = || scene.target.block.get("heading").cloned().unwrap_or_default();
        let block = body.block.get_or_insert_with(|| Block { heading: heading(), lines: Vec::new() });
        block.lines.insert(0, line);
    }
    let content = Content::Toml { document, body: Some(Box::new(body)) };
    cast.nodes.push(Node { path, executable: false, content, from: None });
}

/// The qualified names of the plugin's agents that have an installable form.
pub(super) fn names<'a>(scene: &Scene<'a>) -> Vec<&'a str> {
    if scene.target.agent.installable.is_none() {
        return Vec::new();
    }
    let agents = scene.plugin.components.iter().filter(|component| component.kind == Kind::Agent);
    let names = agents.map(|agent| agent.qualified.as_str());
    names.filter(|name| scene.named_agents.contains(name)).collect()
}

/// Whether the text or its block names a file of the plugin by a path.
fn names_paths(scene: &Scene<'_>, component: &Component, draft: &Draft) -> bool {
    let has_path = |list: &Json| list.as_array().into_iter().flatten().any(|item| item["path"].is_string());
    let in_line = |line: &BlockLine| {
        has_path(&line.values["agents"])
            || has_path(&line.values["skills"])
            || line.values["paths"].is_array()
            || line.values["notes"].is_string()
    };
    let file = scene.project.tree.get(&component.path);
    draft.block.iter().flat_map(|block| &block.lines).any(in_line)
        || file.is_some_and(|file| paths::any(scene, file, draft.document.body))
}
