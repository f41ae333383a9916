//! A server has a name that a host drops.

use crate::check::context::Context;
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::Sink;
use crate::diagnostic::Severity;
use crate::model::plugin::{Body, Plugin};

pub(super) const RULE: Rule = Rule {
    name: "mcp-reserved-name",
    group: Group::Correctness,
    severity: Severity::Error,
    summary: "an MCP server has a name that a host drops",
    page: include_str!("mcp_reserved_name.md"),
    check: Check::Plugin(check),
};

fn check(context: &Context<'_>, plugin: &Plugin, sink: &mut Sink) {
    let lost = &context.checks().lost_server_names;
    for other in plugin.others.iter().filter(|other| lost.contains(&other.name)) {
        let (Body::Server(_), Some(span), Some(file)) = (&other.body, other.span, context.file(&other.path))
        else {
            continue;
        };
        let found = sink.at(file, span, format!("hosts silently drop a server named `{}`", other.name));
        found.help = Some("give it another name".to_owned());
    }
}
