//! The hooks of a project: they are part of its settings, and a wrong one does not affect the others (Claude Code
//! 2.1.330).

use super::other_components::OtherComponent;
use super::{Declaration, Plugin};
use crate::diagnostic::Diagnostic;
use crate::model::{hook, manifest};
use crate::read::pointer::JsonPointer;
use crate::read::tree::FaultKind;
use crate::source::{ComponentKind, SourceTree};
use crate::source_format::SourceFacts;

/// The settings files in a project's folder.
pub const FILES: [&str; 2] = ["settings.json", "settings.local.json"];

/// Kinds that lie at these places only in a plugin, not in a project.
pub(super) const OF_PLUGINS: [ComponentKind; 6] = [
    ComponentKind::Hook,
    ComponentKind::McpServer,
    ComponentKind::LspServer,
    ComponentKind::Setting,
    ComponentKind::Monitor,
    ComponentKind::Executable,
];

/// The hooks in the settings of the project `plugin`.
pub(super) fn hooks(
    tree: &SourceTree,
    plugin: &Plugin,
    source: &SourceFacts,
    found: &mut Vec<Diagnostic>,
) -> Vec<OtherComponent> {
    let source = SourceFacts { guard_events: Vec::new(), ..source.clone() };
    let mut out = Vec::new();
    for file in FILES.iter().filter_map(|name| tree.get(plugin.root.join(name))) {
        let (node, mut faults) = manifest::read_object(file);
        // Settings are read despite a byte order mark.
        faults.retain(|fault| fault.rule != FaultKind::ByteOrderMark.rule());
        found.append(&mut faults);
        let Some(hooks) = node.as_ref().and_then(|node| node.get("hooks")) else { continue };
        let (kind, pointer) = (ComponentKind::Hook, JsonPointer::from_keys(["hooks"]));
        let place = Declaration { kind, file, pointer, own_file: false };
        hook::find(hooks, &place, &source, &mut out, found);
    }
    out
}
