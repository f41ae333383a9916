//! What the blocks of several texts of a plugin would repeat, once, in a file of the plugin's folder.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::component::root;
use super::registration::Registered;
use super::{Cast, Scene};
use crate::bundle::draft::BlockLine;
use crate::bundle::{Content, Node};
use crate::diagnostic::{Diagnostic, Severity};
use crate::ledger::{Kind, Outcome, Row};
use crate::target::Target;

/// The rules of the sandbox that `refused` names, each with its text and the commands.
pub(super) fn rules<'a>(
    target: &Target,
    refused: impl IntoIterator<Item = &'a (usize, String)>,
) -> Vec<Json> {
    let mut commands: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (rule, command) in refused {
        commands.entry(*rule).or_default().push(command);
    }
    let rule = |(rule, commands): (usize, Vec<&str>)| json!({ "text": target.sandbox[rule].text, "commands": commands });
    commands.into_iter().map(rule).collect()
}

/// Writes the file, if some text of the plugin needs it; a source file of its name is an error.
pub(super) fn emit(scene: &Scene<'_>, registered: &Registered, cast: &mut Cast) {
    let Some(facts) = scene.target.notes.as_ref().filter(|_| !registered.refused.is_empty()) else { return };
    let source = scene.plugin.root.join(&facts.path);
    if scene.project.tree.get(&source).is_some() {
        let title = &scene.target.host.title;
        let message = format!("`{}` is the name of a file that is generated for {title}", facts.path);
        let finding = Diagnostic::whole(&source, Severity::Error, "generated-name", message);
        cast.diagnostics.push(finding.host(&scene.target.name).help("rename the file in the source"));
        let row = Row::kept(&scene.plugin.name, Kind::File, source.as_str(), &source);
        cast.rows.push(row.became(Outcome::Dropped, "a file of this name is generated for the host"));
    }
    let values = json!({ "plugin": scene.plugin.name, "rules": rules(scene.target, &registered.refused) });
    let content = Content::Page(BlockLine { template: facts.text.clone(), values });
    cast.nodes.push(Node { path: root(scene).join(&facts.path), executable: false, content, from: None });
}
