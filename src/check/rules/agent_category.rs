//! An agent is named without its folder, or with the wrong one.

use crate::check::context::{PluginText, RuleContext};
use crate::check::directory::NameResolution;
use crate::check::dispatch::NameUse;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};

pub(super) const RULE: Rule = Rule {
    name: "agent-category",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "an agent is named without its folder, or with the wrong one",
    page: include_str!("agent_category.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    let directory = context.directory();
    for place in text.dispatches(context) {
        let NameResolution::Category(agent) = directory.dispatched(&text.plugin.name, &place.name) else {
            continue;
        };
        if matches!(place.how, NameUse::Skill | NameUse::Workflow)
            || place.how == NameUse::Named && directory.contains(&place.name)
        {
            continue;
        }
        let message = format!("unknown agent `{}`: hosts know it as `{}`", place.name, agent.qualified);
        let found = sink.report(text.file, place.span, message);
        found.help = Some(format!("write `{}`", agent.qualified));
        found.fix = Some(replace(text.file, place.span, agent.qualified.as_str(), Applicability::Safe));
        if let Some(file) = context.file(&agent.path) {
            let place = found.clone().with_related(file, agent.name_span(), "the agent is defined here");
            found.related = place.related;
        }
    }
}
