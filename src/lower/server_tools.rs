//! The tools of the source's servers on a host, and the servers that the host does not get.

use std::collections::BTreeMap;

use super::options;
use super::server_strings::Strings;
use crate::model::plugin::OtherBody;
use crate::model::project::Project;
use crate::model::references::ANY_TOOL;
use crate::model::server::{self, ServerDefinition};
use crate::source_format::SourceFacts;
use crate::target::{ServerFacts, Target};

/// The tools of the source's servers on the host, by the prefix of their names on the source host.
#[derive(Debug, Default)]
pub(super) struct ServerTools {
    /// Their names on the host, by their source name with `NAME` for the tool.
    pub stands: BTreeMap<String, String>,
    /// Why the host does not get the server.
    pub lost: BTreeMap<String, String>,
}

impl ServerTools {
    /// The tools of every server of `project` that the source host accepts.
    pub fn new(project: &Project, target: &Target, source: &SourceFacts) -> Self {
        let mut out = Self::default();
        let Some(facts) = &target.servers else { return out };
        for plugin in &project.plugins {
            let defaults = options::defaults(plugin, source);
            for other in plugin.servers().filter(|other| other.fault.is_none()) {
                let OtherBody::Server(server) = &other.body else { continue };
                let ours = server::tools_of(&plugin.name, &other.name);
                let mut strings = Strings::new(&defaults, source, facts);
                strings.read(&server.node);
                if let Some(reason) = refusal(facts, server, &strings) {
                    out.lost.insert(ours, reason);
                } else if let Some(form) = &facts.tools {
                    let stands = form
                        .replace("{plugin}", &server::in_tool(&plugin.name, target.tool_dash()))
                        .replace("{server}", &server::in_tool(&other.name, target.tool_dash()));
                    out.stands.insert(format!("{ours}{ANY_TOOL}"), format!("`{stands}`"));
                }
            }
        }
        // Of two servers with the same name, the host gets the one that it supports.
        out.lost.retain(|ours, _| !out.stands.contains_key(&format!("{ours}{ANY_TOOL}")));
        if let Some(lost) = target.servers.as_ref().and_then(|facts| facts.lost_tools.as_ref()) {
            for ours in out.lost.keys() {
                out.stands.insert(format!("{ours}{ANY_TOOL}"), lost.clone());
            }
        }
        out
    }
}

/// Why the host does not accept a server that can be read.
pub(super) fn refusal(
    facts: &ServerFacts,
    server: &ServerDefinition,
    strings: &Strings<'_>,
) -> Option<String> {
    if !facts.transports.contains_key(&server.transport) {
        return Some(facts.transport_loss.clone());
    }
    let why = facts.variable_loss.as_deref().unwrap_or_default();
    strings.unknown.as_ref().map(|variable| format!("it names `${{{variable}}}`: {why}"))
}
