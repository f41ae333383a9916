//! The type of an MCP server is missing, or does not fit its other fields.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::{OtherBody, Plugin};

pub(super) const RULE: Rule = Rule {
    name: "mcp-transport",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "the `type` of an MCP server is unknown, missing, or does not fit",
    page: include_str!("mcp_transport.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let needed = context.checks().type_needed && context.for_source_host();
    for other in plugin.servers().filter(|other| other.fault.is_none()) {
        let (OtherBody::Server(server), Some(file)) = (&other.body, context.file(&other.path)) else {
            continue;
        };
        // The reader reports other faults of a type.
        let no_type = server.node.get("type").is_none() && server.node.get("command").is_none();
        if let Some(url) = server.node.entry("url").filter(|_| no_type && needed) {
            let message =
                format!("the server `{}` has a `url` but no `type`, so the host drops it", other.name);
            let found = sink.report(file, url.key_span, message);
            found.help = Some("add `\"type\": \"http\"`".to_owned());
            found.hosts = context.source_host_of_several();
        }
    }
}
