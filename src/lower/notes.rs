//! What the blocks of several texts of a plugin would repeat, once, in a file of the plugin's folder.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::component::root;
use super::registration::Registration;
use super::{LoweredBundle, LoweringContext, installable};
use crate::bundle::draft::BlockLine;
use crate::bundle::{BundleNode, NodeContent};
use crate::diagnostic::{Diagnostic, Severity};
use crate::ledger::{ComponentKind, LedgerRow, RowOutcome};
use crate::model::component::Component;
use crate::target::Target;

/// The rules of the sandbox that `refused` names, each with its text and the commands.
pub(super) fn rules<'a>(
    target: &Target,
    plugin: &str,
    refused: impl IntoIterator<Item = &'a (usize, String)>,
) -> Vec<Json> {
    let mut commands: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (rule, command) in refused {
        commands.entry(*rule).or_default().push(command);
    }
    let rule = |(rule, commands): (usize, Vec<&str>)| {
        let facts = &target.sandbox[rule];
        let profile = facts.profile.as_ref().map(|profile| profile.replace("{plugin}", plugin));
        json!({ "text": facts.text, "commands": commands, "profile": profile.unwrap_or_default() })
    };
    commands.into_iter().map(rule).collect()
}

/// Writes the file, if some text of the plugin needs it; a source file of its name is an error.
pub(super) fn emit(scene: &LoweringContext<'_>, registered: &Registration, cast: &mut LoweredBundle) {
    let (dispatched, others) = installable::agents(scene);
    let needed = !registered.refused.is_empty() || !dispatched.is_empty() || !others.is_empty();
    let Some(facts) = scene.target.notes.as_ref().filter(|_| needed) else { return };
    let source = scene.plugin.root.join(&facts.path);
    if scene.project.tree.get(&source).is_some() {
        let title = &scene.target.host.title;
        let message = format!("`{}` is the name of a file that is generated for {title}", facts.path);
        let finding = Diagnostic::whole(&source, Severity::Error, "generated-name", message);
        cast.diagnostics.push(finding.host(&scene.target.name).help("rename the file in the source"));
        let row = LedgerRow::kept(&scene.plugin.name, ComponentKind::File, source.as_str(), &source);
        cast.rows.push(row.became(RowOutcome::Dropped, "a file of this name is generated for the host"));
    }
    let rules = rules(scene.target, &scene.plugin.name, &registered.refused);
    let listed =
        |agents: &[&Component]| agents.iter().filter_map(|agent| listed(scene, agent)).collect::<Vec<_>>();
    let (dispatched, others) = (listed(&dispatched), listed(&others));
    let values =
        json!({ "plugin": scene.plugin.name, "rules": rules, "dispatched": dispatched, "others": others });
    let content = NodeContent::Page(BlockLine { template: facts.text.clone(), values });
    cast.nodes.push(BundleNode {
        path: root(scene).join(&facts.path),
        executable: false,
        content,
        from: None,
    });
}

/// An agent for the template: its name, and its file in the plugin.
fn listed(scene: &LoweringContext<'_>, agent: &Component) -> Option<Json> {
    let file = scene.places.components.get(&(agent.kind, agent.qualified.clone()))?;
    Some(json!({ "name": agent.qualified, "file": file }))
}
