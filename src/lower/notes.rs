//! A file in the plugin's folder with the notes that the blocks of several texts would otherwise repeat.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::context::LoweringContext;
use super::decision::Decision;
use super::part::LoweredPart;
use super::{agents, sandbox};
use crate::bundle::NodeContent;
use crate::bundle::draft::BlockLine;
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::ledger::RowOutcome;
use crate::model::component::Component;

/// The file, if some text of the plugin needs it: `refused` are the commands of all texts that the host's sandbox refuses,
/// by the number of its rule. A source file of its name is an error.
pub(super) fn lower(context: &LoweringContext<'_>, refused: &BTreeSet<(usize, String)>) -> LoweredPart {
    let mut part = LoweredPart::default();
    let (dispatched, others) = agents::installable(context);
    let needed = !refused.is_empty() || !dispatched.is_empty() || !others.is_empty();
    let Some(facts) = context.target.notes.as_ref().filter(|_| needed) else { return part };
    let source = context.plugin.root.join(&facts.path);
    if context.project.tree.get(&source).is_some() {
        let title = &context.target.host.title;
        let message = format!("`{}` is the name of a file that is generated for {title}", facts.path);
        let finding = Diagnostic::for_file(&source, Severity::Error, RuleId::GENERATED_NAME, message);
        part.diagnostics.push(finding.host(&context.target.name).help("rename the file in the source"));
        let file = Decision::for_file(&context.plugin.name, &source);
        part.decisions
            .push(file.with_outcome(RowOutcome::Dropped, "a file of this name is generated for the host"));
    }
    let rules = sandbox::rules(context.target, &context.plugin.name, refused);
    let listed = |agents: &[&Component]| {
        agents.iter().filter_map(|agent| listed_agent(context, agent)).collect::<Vec<_>>()
    };
    let (dispatched, others) = (listed(&dispatched), listed(&others));
    let values =
        json!({ "plugin": context.plugin.name, "rules": rules, "dispatched": dispatched, "others": others });
    let content = NodeContent::Page(BlockLine::new(&facts.text, values));
    part.nodes.push(context.generated_file(&facts.path, content));
    part
}

/// An agent for the template: its name, and its file in the plugin.
fn listed_agent(context: &LoweringContext<'_>, agent: &Component) -> Option<Json> {
    Some(json!({ "name": agent.qualified, "file": context.place_of(agent)? }))
}
