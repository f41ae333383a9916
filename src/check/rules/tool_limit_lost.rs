//! A limit on tools that a selected host does not enforce.

use crate::check::context::Context;
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::Sink;
use crate::diagnostic::{Class, Severity};
use crate::ledger::Outcome;
use crate::model::component::Component;
use crate::read::tree::Node;
use crate::source::Span;
use crate::target::{Axis, FieldRule, Target};

pub(super) const RULE: Rule = Rule {
    name: "tool-limit-lost",
    group: Group::Portability,
    severity: Severity::Warning,
    summary: "a selected host does not enforce a limit on tools",
    page: include_str!("tool_limit_lost.md"),
    check: Check::Project(check),
};

fn check(context: &Context<'_>, sink: &mut Sink) {
    if !context.hosts.iter().any(|host| may_lose(context, host)) {
        return;
    }
    let axis = format!("{}/", Axis::ToolLimits.id());
    for (host, ledger) in context.hosts.iter().zip(context.ledgers()) {
        for row in &ledger.rows {
            let lost = row.loss.as_ref().filter(|loss| loss.id.starts_with(&axis));
            let Some(loss) = lost.filter(|loss| loss.class == Class::Security && !loss.accepted) else {
                continue;
            };
            let (Some(span), Some(file)) = (row.span, context.file(&row.path)) else { continue };
            let reason = row.reason.as_deref().unwrap_or_default();
            let what = if row.outcome == Outcome::Dropped { "is lost" } else { "bounds less" };
            let message = format!("the limit in `{}` {what}: {reason}", row.name);
            let found = sink.at(file, Span::new(span.start, span.end), message);
            found.hosts = vec![host.name.clone()];
            found.help = Some(format!(
                "say in the text what it must not do, and accept the loss with `[[accept-loss]] id = \"{}\"` in `plugcast.toml`",
                loss.id
            ));
        }
    }
}

/// Whether anything of the source can be such a loss on `host`: a component has a field that its table
/// says so of, or the table says so of something else. A ledger costs more than all other rules.
fn may_lose(context: &Context<'_>, host: &Target) -> bool {
    let limits = |rule: &FieldRule| rule.axis == Some(Axis::ToolLimits);
    let of_field = |component: &Component| {
        let rules = host.fields(component.kind);
        let fields = component.document.fields.iter().flat_map(Node::entries);
        rules.values().any(limits)
            && fields
                .into_iter()
                .any(|entry| rules.get(&entry.key).or_else(|| rules.get("*")).is_some_and(limits))
    };
    let other = host.components.values().any(|facts| facts.axis == Some(Axis::ToolLimits))
        || host.hooks.iter().flat_map(|hooks| &hooks.scripts).any(|script| script.axis == Axis::ToolLimits);
    other || context.project.plugins.iter().flat_map(|plugin| &plugin.components).any(of_field)
}
