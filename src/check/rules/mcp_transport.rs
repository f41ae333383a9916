//! The type of an MCP server is none, or does not fit the rest.

use crate::check::context::Context;
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::Sink;
use crate::diagnostic::Severity;
use crate::model::near;
use crate::model::plugin::{Body, Plugin};

pub(super) const RULE: Rule = Rule {
    name: "mcp-transport",
    group: Group::Correctness,
    severity: Severity::Error,
    summary: "the `type` of an MCP server does not exist, is missing, or does not fit",
    page: include_str!("mcp_transport.md"),
    check: Check::Plugin(check),
};

fn check(context: &Context<'_>, plugin: &Plugin, sink: &mut Sink) {
    let facts = context.checks();
    for other in plugin.servers().filter(|other| other.fault.is_none()) {
        let (Body::Server(server), Some(file)) = (&other.body, context.file(&other.path)) else { continue };
        let (kind, url) = (server.node.entry("type"), server.node.entry("url"));
        let no_command = server.node.get("command").is_none();
        let said = kind.and_then(|entry| entry.node.as_str());
        match (kind, said, url) {
            (Some(kind), Some(said), _) if !facts.transports.iter().any(|known| known == said) => {
                let found = sink.at(file, kind.node.span, format!("unknown server type `{said}`"));
                let known = facts.transports.iter().map(String::as_str);
                let near = near::nearest(said, known)
                    .map_or(String::new(), |near| format!("did you mean `{near}`? "));
                let list: Vec<String> = facts.transports.iter().map(|known| format!("`{known}`")).collect();
                found.help = Some(format!("{near}write one of {}", list.join(", ")));
            }
            (Some(kind), Some("stdio"), Some(_)) if no_command => {
                let found = sink.at(
                    file,
                    kind.node.span,
                    "a server of type `stdio` needs a `command`, but this one has a `url`",
                );
                found.help = Some("write `\"type\": \"http\"`".to_owned());
            }
            (None, _, Some(url)) if no_command && facts.type_needed && context.for_source_host() => {
                let message =
                    format!("the server `{}` has a `url` but no `type`, so the host drops it", other.name);
                let found = sink.at(file, url.key_span, message);
                found.help = Some("add `\"type\": \"http\"`".to_owned());
                found.hosts = context.source_host_of_several();
            }
            _ => {}
        }
    }
}
