//! Hooks in the frontmatter of skills and commands.

use super::other_components::OtherComponent;
use super::{Declaration, Plugin};
use crate::diagnostic::Diagnostic;
use crate::model::hook;
use crate::read::pointer::JsonPointer;
use crate::read::tree::Value;
use crate::source::{ComponentKind, SourceTree};
use crate::source_format::SourceFacts;

/// The hooks in the frontmatter of a plugin's skills and commands. They are fields, not components.
#[derive(Debug, Clone, Default)]
pub struct InnerHooks {
    /// The hooks.
    pub hooks: Vec<OtherComponent>,
    /// What was found wrong with them.
    pub findings: Vec<Diagnostic>,
}

/// The hooks in the frontmatter of skills and commands; no host runs those of agents.
pub(super) fn find(tree: &SourceTree, plugin: &Plugin, source: &SourceFacts) -> InnerHooks {
    let mut inner = InnerHooks::default();
    for component in plugin.author_files().filter(|component| component.kind != ComponentKind::Agent) {
        let (Some(node), Some(file)) = (component.field("hooks"), tree.get(&component.path)) else {
            continue;
        };
        let (kind, pointer) = (ComponentKind::Hook, JsonPointer::from_keys(["hooks"]));
        let place = Declaration { kind, file, pointer, own_file: false };
        // A value that is not a mapping is reported as a field of a wrong type.
        if matches!(node.value, Value::Map(_)) {
            hook::find(node, &place, source, &mut inner.hooks, &mut inner.findings);
        }
    }
    inner
}
