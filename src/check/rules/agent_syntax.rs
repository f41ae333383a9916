//! An agent is named with two colons.

use crate::check::context::{PluginText, RuleContext};
use crate::check::directory::NameResolution;
use crate::check::dispatch::NameUse;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::read::markdown::{RegionKind, region_at};

pub(super) const RULE: Rule = Rule {
    name: "agent-syntax",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "an agent is named with `::`",
    page: include_str!("agent_syntax.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    for place in text.dispatches(context) {
        let NameResolution::Syntax(agent) = context.directory().dispatched(&text.plugin.name, &place.name)
        else {
            continue;
        };
        // Elsewhere `a::b` may be code, so only an agent's name counts, outside of blocks.
        let code = || region_at(&text.outline().regions, place.span.start) == Some(RegionKind::CodeBlock);
        if place.how != NameUse::Agent && (agent.is_none() || code()) {
            continue;
        }
        let single = place.name.replace("::", ":");
        let found = sink.report(
            text.file,
            place.span,
            format!("invalid agent name `{}`: it has two colons in a row", place.name),
        );
        found.help = Some(format!("write `{single}`"));
        if agent.is_some() {
            found.fix = Some(replace(text.file, place.span, single, Applicability::Safe));
        }
    }
}
