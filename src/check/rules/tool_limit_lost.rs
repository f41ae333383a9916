//! A limit on tools that a selected host does not enforce.

use crate::check::context::Context;
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::Sink;
use crate::diagnostic::{Class, Severity};
use crate::ledger::Outcome;
use crate::source::Span;
use crate::target::Axis;

pub(super) const RULE: Rule = Rule {
    name: "tool-limit-lost",
    group: Group::Portability,
    severity: Severity::Warning,
    summary: "a selected host does not enforce a limit on tools",
    page: include_str!("tool_limit_lost.md"),
    check: Check::Project(check),
};

fn check(context: &Context<'_>, sink: &mut Sink) {
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
