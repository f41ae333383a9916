//! Hooks and servers: written into separate documents, or into the module's data.

use serde_json::{Map, Value as Json};

use super::context::LoweringContext;
use super::part::LoweredPart;
use super::{hooks, servers};
use crate::bundle::NodeContent;
use crate::ledger::ComponentKind;
use crate::model::plugin::{OtherBody, OtherComponent};

/// The hooks and servers of a plugin.
#[derive(Debug, Default)]
pub(super) struct HooksAndServers {
    pub(super) part: LoweredPart,
    /// What the module registers, by its key in the data.
    pub(super) registered: Vec<(String, Json)>,
}

/// Lowers every hook and server of the plugin.
pub(super) fn lower(context: &LoweringContext<'_>) -> HooksAndServers {
    let mut out = HooksAndServers::default();
    if let Some(facts) = &context.target.hooks {
        out.add(context, &facts.path, &facts.key, hooks::lower(context, facts));
    }
    let kinds = [
        (ComponentKind::McpServer, &context.target.servers),
        (ComponentKind::LspServer, &context.target.language_servers),
    ];
    for (kind, facts) in kinds {
        if let Some(facts) = facts {
            out.add(context, &facts.path, &facts.key, servers::lower(context, kind, facts));
        }
    }
    out
}

impl HooksAndServers {
    fn add(
        &mut self,
        context: &LoweringContext<'_>,
        path: &Option<String>,
        key: &str,
        (part, value): (LoweredPart, Option<Json>),
    ) {
        self.part.add(part);
        match (value, path) {
            (Some(value), Some(path)) => {
                let document = Json::Object(Map::from_iter([(key.to_owned(), value)]));
                let content = NodeContent::document(&context.root().join(path), document);
                self.part.nodes.push(context.generated_file(path, content));
            }
            (Some(value), None) => self.registered.push((key.to_owned(), value)),
            (None, _) => {}
        }
    }
}

/// Whether this module lowers a component.
pub(super) fn handles(context: &LoweringContext<'_>, other: &OtherComponent) -> bool {
    !matches!(other.body, OtherBody::Whole | OtherBody::Nothing) && context.has_section(other.kind)
}
