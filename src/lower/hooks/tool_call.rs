//! Hooks that call a tool of a server: the server must be available, and each host has its own name for it.

use super::super::context::LoweringContext;
use super::super::decision::Decision;
use super::hook::HookLowering;
use crate::ledger::RowOutcome;
use crate::model::hook::Hook;
use crate::model::server;
use crate::read::tree::{MappingEntry, Node};

/// The type of such a hook.
const TYPE: &str = "mcp_tool";
/// The prefix of the source host's name for a plugin's server.
const OF_PLUGIN: &str = "plugin:";

/// The host's name for the server of a hook that calls a tool, or why the host does not get the server; `None` for
/// every other hook.
pub fn server(context: &LoweringContext<'_>, hook: &Hook) -> Option<Result<String, String>> {
    if hook.node.get("type").and_then(Node::as_str) != Some(TYPE) {
        return None;
    }
    let written = hook.node.get("server").and_then(Node::as_str)?;
    let parts = written.strip_prefix(OF_PLUGIN).and_then(|rest| rest.split_once(':'));
    let (plugin, name) = parts.unwrap_or((&context.plugin.name, written));
    let owner = context.project.plugins.iter().find(|owner| owner.name == plugin);
    if !owner.is_some_and(|owner| owner.servers().any(|server| server.name == name)) {
        // A bare name may belong to one of the user's servers.
        let there = parts.is_none().then(|| written.to_owned());
        return Some(there.ok_or_else(|| format!("the source has no server `{written}`")));
    }
    Some(match context.lost_server(&server::tools_of(plugin, name)) {
        Some(reason) => Err(format!("it calls a tool of the server `{name}`: {reason}")),
        None => Ok(name.to_owned()),
    })
}

/// The decision about a server whose `name` in the host's hooks differs from the source's.
pub(super) fn decision(lowering: &HookLowering<'_>, entry: &MappingEntry, name: &str) -> Option<Decision> {
    if entry.node.as_str() == Some(name) {
        return None;
    }
    let field = lowering.field("server", entry.span(), &lowering.other.pointer.key("server"))?;
    Some(
        field
            .placed_at(name)
            .with_outcome(RowOutcome::Mapped, "a server of a plugin has its own name in the host's hooks"),
    )
}
