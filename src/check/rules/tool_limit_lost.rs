//! A limit on tools that a selected host does not enforce.

use std::collections::BTreeMap;

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::{LossClass, Severity};
use crate::ledger::RowOutcome;
use crate::model::component::Component;
use crate::model::config::AcceptLoss;
use crate::model::plugin::LocationForm;
use crate::read::tree::Node;
use crate::source::Span;
use crate::target::{Axis, FieldRule, Target};

pub(super) const RULE: Rule = Rule {
    name: "tool-limit-lost",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "a selected host does not enforce a limit on tools",
    page: include_str!("tool_limit_lost.md"),
    check: RuleCheck::Project(check),
};

fn check(context: &RuleContext<'_>, sink: &mut FindingSink) {
    if !context.hosts.iter().any(|host| may_lose(context, host)) {
        return;
    }
    // One finding per limit, for all hosts.
    let mut limits: BTreeMap<ToolLimit<'_>, Vec<(&Target, LimitLoss<'_>)>> = BTreeMap::new();
    for (host, ledger) in context.hosts.iter().zip(context.ledgers()) {
        for row in &ledger.rows {
            let lost = row.loss.as_ref().filter(|loss| loss.id.is_on(Axis::ToolLimits));
            let Some(loss) = lost.filter(|loss| loss.class == LossClass::Security && !loss.accepted) else {
                continue;
            };
            let Some(span) = row.span.filter(|_| !is_loose(context, &row.plugin)) else { continue };
            let limit =
                ToolLimit { path: &row.path, at: (span.start, span.end), name: &row.name, loss: &loss.id };
            let lost = LimitLoss {
                what: if row.outcome == RowOutcome::Dropped { "is lost" } else { "is weaker" },
                reason: row.reason.as_deref().unwrap_or_default(),
            };
            limits.entry(limit).or_default().push((host, lost));
        }
    }
    for (limit, losses) in limits {
        let Some(file) = context.file(limit.path) else { continue };
        let found = sink.report(
            file,
            Span::new(limit.at.0, limit.at.1),
            format!("the limit in `{}` {}", limit.name, words(&losses)),
        );
        found.hosts = losses.iter().map(|(host, _)| host.name.clone()).collect();
        found.help = Some(format!(
            "say in the text what it must not do, and accept the loss with `[[accept-loss]] id = {}` in `plugcast.toml`",
            AcceptLoss::exact_loss(limit.loss)
        ));
    }
}

/// Whether the plugin is a folder of components outside of any plugin, which are in no bundle.
fn is_loose(context: &RuleContext<'_>, plugin: &str) -> bool {
    let mut plugins = context.project.plugins.iter();
    plugins.any(|own| own.name == plugin && matches!(own.form, LocationForm::Loose(_)))
}

/// One limit of the source.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ToolLimit<'a> {
    path: &'a str,
    at: (usize, usize),
    name: &'a str,
    loss: &'a str,
}

/// The effect of a host on a limit, and the reason.
#[derive(PartialEq)]
struct LimitLoss<'a> {
    what: &'a str,
    reason: &'a str,
}

/// Describes the effect on a limit: once if it is the same on all hosts, else by host.
fn words(losses: &[(&Target, LimitLoss<'_>)]) -> String {
    let alike = losses.windows(2).all(|pair| pair[0].1 == pair[1].1);
    let of = |(host, lost): &(&Target, LimitLoss<'_>)| match alike {
        true => format!("{}: {}", lost.what, lost.reason),
        false => format!("{} on {}: {}", lost.what, host.host.title, lost.reason),
    };
    let losses = if alike { &losses[..1] } else { losses };
    losses.iter().map(of).collect::<Vec<_>>().join("; ")
}

/// Whether the source can have such a loss on `host`: its table lists a field of a component, or something else of the
/// source. This cheap test avoids the ledger, which costs more than all other rules.
fn may_lose(context: &RuleContext<'_>, host: &Target) -> bool {
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
