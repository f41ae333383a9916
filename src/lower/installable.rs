//! Agents that a host's plugins cannot carry: each becomes a file beside the plugins, to be installed elsewhere. Its
//! text is that of the agent's own file, so it states which folder its paths are relative to.

use camino::Utf8Path;
use serde_json::{Value as Json, json};

use super::context::LoweringContext;
use super::overrides::HostOverride;
use super::{paths, shape};
use crate::bundle::draft::{Block, BlockLine, MarkdownDraft};
use crate::bundle::{BODY, BundleNode, NodeContent};
use crate::ledger::ComponentKind;
use crate::model::component::Component;

/// The installable form of `component`, whose own file lies at `inner` in the plugin's emitted folder.
pub(super) fn node(
    context: &LoweringContext<'_>,
    component: &Component,
    told: &HostOverride<'_>,
    inner: &Utf8Path,
    draft: &MarkdownDraft,
) -> Option<BundleNode> {
    let facts = context.target.agent.installable.as_ref()?;
    let path = context.places.installables.get(&component.qualified)?;
    if component.kind != ComponentKind::Agent {
        return None;
    }
    let has_text = draft.block.is_some() || !draft.document.body.slice(&draft.text).trim().is_empty();
    // The host refuses a blank value.
    let lookup = |name: &str| match name {
        "qualified" => Some(component.qualified.as_str().into()),
        "body" => has_text.then(|| BODY.into()),
        pointer => {
            let text = component.text_field(pointer.trim_start_matches('/'));
            text.filter(|text| !text.trim().is_empty()).map(Into::into)
        }
    };
    let mut document = shape::fill_table(&facts.document, &lookup, &mut Vec::new());
    told.install(&mut document);
    let mut body = draft.clone();
    if let Some(template) = facts.paths.as_ref().filter(|_| names_paths(context, component, draft)) {
        let values = json!({ "file": inner, "plugin": context.plugin.name });
        let line = BlockLine::new(template, values).into();
        let heading = || context.target.block.get("heading").cloned().unwrap_or_default();
        let block = body.block.get_or_insert_with(|| Block { heading: heading(), lines: Vec::new() });
        block.lines.insert(0, line);
    }
    let content = NodeContent::Toml { document, body: Some(Box::new(body)) };
    Some(BundleNode { path: path.clone(), executable: false, content, from: None })
}

/// Whether the text or its block names a file of the plugin by a path.
fn names_paths(context: &LoweringContext<'_>, component: &Component, draft: &MarkdownDraft) -> bool {
    let has_path = |list: &Json| list.as_array().into_iter().flatten().any(|item| item["path"].is_string());
    let in_line = |line: &BlockLine| {
        has_path(&line.values["agents"])
            || has_path(&line.values["skills"])
            || line.values["paths"].is_array()
            || line.values["notes"].is_string()
    };
    let file = context.project.tree.get(&component.path);
    draft.block.iter().flat_map(|block| &block.lines).any(|line| in_line(line))
        || file.is_some_and(|file| paths::has_relative_path(context, file, draft.document.body))
}
