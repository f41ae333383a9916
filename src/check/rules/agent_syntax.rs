//! An agent is named with two colons.

use crate::check::context::{Context, Text};
use crate::check::directory::Verdict;
use crate::check::dispatch::How;
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::{Sink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::read::markdown::{RegionKind, region_at};

pub(super) const RULE: Rule = Rule {
    name: "agent-syntax",
    group: Group::Correctness,
    severity: Severity::Error,
    summary: "an agent is named with `::`",
    page: include_str!("agent_syntax.md"),
    check: Check::Text(check),
};

fn check(context: &Context<'_>, text: &Text<'_>, sink: &mut Sink) {
    for place in text.dispatches(context) {
        let Verdict::Syntax(agent) = context.directory().dispatched(&text.plugin.name, &place.name) else {
            continue;
        };
        // Elsewhere `a::b` may be code, so only an agent's name counts, outside of blocks.
        let code = || region_at(&text.outline().regions, place.span.start) == Some(RegionKind::CodeBlock);
        if place.how != How::Agent && (agent.is_none() || code()) {
            continue;
        }
        let single = place.name.replace("::", ":");
        let found = sink.at(
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
