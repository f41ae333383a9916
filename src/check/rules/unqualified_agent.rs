//! An agent is dispatched without its plugin's name.

use crate::check::context::{PluginText, RuleContext};
use crate::check::directory::NameResolution;
use crate::check::dispatch::NameUse;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;

pub(super) const RULE: Rule = Rule {
    name: "unqualified-agent",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "an agent is dispatched without its plugin's name",
    page: include_str!("unqualified_agent.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    for place in text.dispatches(context).iter().filter(|place| place.how == NameUse::Agent) {
        let name = &place.name;
        let (agents, own) = match context.directory().dispatched(&text.plugin.name, name) {
            NameResolution::Unqualified(agents) => (agents, true),
            NameResolution::Foreign(agents) => (agents, false),
            _ => continue,
        };
        let [agent, others @ ..] = &agents[..] else { continue };
        let qualified = &agent.qualified;
        let message = match (own, others.len()) {
            (true, 0) => format!("unknown agent `{name}`: hosts know it as `{qualified}`"),
            (true, _) => format!("ambiguous agent `{name}`: hosts know several by their folders"),
            (false, 0) => format!("unknown agent `{name}`: another plugin has `{qualified}`"),
            (false, _) => {
                format!("unknown agent `{name}`: several other plugins have one of that name")
            }
        };
        let found = sink.report(text.file, place.span, message);
        found.help = Some(help(&agents, own));
        if !own {
            // A user may have an agent of that name.
            found.severity = Severity::Warning;
        }
        // Without a manifest, the text may belong to a project, whose agents have no plugin name.
        if others.is_empty() && (!own || text.plugin.is_declared()) {
            let applicability = if own { Applicability::Safe } else { Applicability::Unsafe };
            found.fix = Some(replace(text.file, place.span, qualified.as_str(), applicability));
        }
        for agent in agents.iter().take(3) {
            if let Some(file) = context.file(&agent.path) {
                let place = found.clone().with_related(file, agent.name_span(), "the agent is defined here");
                found.related = place.related;
            }
        }
    }
}

fn help(agents: &[&Component], own: bool) -> String {
    let names: Vec<String> = agents.iter().take(4).map(|agent| format!("`{}`", agent.qualified)).collect();
    let more = if agents.len() > names.len() { " or another one" } else { "" };
    let names = names.join(" or ");
    if own {
        format!("write {names}{more}")
    } else {
        format!("write {names}{more}, or an agent of this plugin")
    }
}
