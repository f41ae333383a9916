//! What a host runs: hooks and servers are written into documents of their own, or into the data of the module.

use serde_json::{Map, Value as Json};

use super::context::LoweringContext;
use super::part::LoweredPart;
use super::{hooks, servers};
use crate::bundle::NodeContent;
use crate::model::plugin::{OtherBody, OtherComponent};

/// The hooks and servers of a plugin.
#[derive(Debug, Default)]
pub(super) struct HooksAndServers {
    pub(super) part: LoweredPart,
    /// What the module registers, by its key in the data.
    pub(super) registered: Vec<(String, Json)>,
}

/// Lowers every hook and server of the plugin.
pub(super) fn lower(scene: &LoweringContext<'_>) -> HooksAndServers {
    let mut out = HooksAndServers::default();
    if let Some(facts) = &scene.target.hooks {
        out.add(scene, &facts.path, &facts.key, hooks::lower(scene, facts));
    }
    let kinds = [("mcp-server", &scene.target.servers), ("lsp-server", &scene.target.language_servers)];
    for (kind, facts) in kinds {
        if let Some(facts) = facts {
            out.add(scene, &facts.path, &facts.key, servers::lower(scene, kind, facts));
        }
    }
    out
}

impl HooksAndServers {
    fn add(
        &mut self,
        scene: &LoweringContext<'_>,
        path: &Option<String>,
        key: &str,
        (part, value): (LoweredPart, Option<Json>),
    ) {
        self.part.add(part);
        match (value, path) {
            (Some(value), Some(path)) => {
                let document = Json::Object(Map::from_iter([(key.to_owned(), value)]));
                let content = NodeContent::document(&scene.root().join(path), document);
                self.part.nodes.push(scene.generated(path, content));
            }
            (Some(value), None) => self.registered.push((key.to_owned(), value)),
            (None, _) => {}
        }
    }
}

/// Whether a component is lowered here.
pub(super) fn handles(scene: &LoweringContext<'_>, other: &OtherComponent) -> bool {
    !matches!(other.body, OtherBody::Whole | OtherBody::Nothing) && scene.has_section(&other.kind)
}
