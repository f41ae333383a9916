//! Commands whose text stands in the manifest: where the host reads the source's own manifest they
//! stay there, elsewhere each becomes a file of its own.

use camino::Utf8Path;

use super::bindings::{self, Bindings};
use super::component::root;
use super::registration::Registration;
use super::{LoweredBundle, LoweringContext, overrides, place as places, rows};
use crate::bundle::draft::quoted;
use crate::bundle::{BundleNode, NodeContent};
use crate::diagnostic::{Diagnostic, Severity};
use crate::ledger::{ComponentKind, LedgerRow, RowOutcome};
use crate::model::plugin::InlineCommand;
use crate::model::references::ReferenceTarget;
use crate::source::SourceFile;
use crate::target::{Axis, CommandEmission, TextForm};

/// Lowers every such command of the plugin.
pub(super) fn lower(scene: &LoweringContext<'_>, registered: &mut Registration, cast: &mut LoweredBundle) {
    for command in &scene.plugin.inline {
        let Some(file) = scene.project.tree.get(&command.path) else { continue };
        let row =
            LedgerRow::kept(&scene.plugin.name, ComponentKind::Command, &command.qualified, &command.path)
                .at(rows::span(file, command.span))
                .pointer(&command.pointer);
        if scene.target.manifest.passthrough {
            refuse_old_names(scene, command, file, cast);
            cast.rows.push(row.to(root(scene).join(&scene.target.manifest.path).as_str()));
            continue;
        }
        let inner = places::inline_path(scene.plugin, command, scene.target);
        let emitted = root(scene).join(&inner);
        let row = row.to(emitted.as_str());
        let shell = scene
            .resolved
            .inline(command)
            .iter()
            .any(|reference| matches!(reference.named, ReferenceTarget::Shell(_)));
        cast.rows.push(if shell && scene.target.text.shell == TextForm::Bound {
            let axis = Axis::ShellExpansion;
            let reason = "the host does not run commands in a text; the model runs the command";
            let owner = (ComponentKind::Command, command.qualified.as_str());
            row.became(RowOutcome::Degraded, reason).loss(axis.id(), axis.floor(), owner, "shell")
        } else {
            let renamed =
                scene.project.renamed(ComponentKind::Command, &command.qualified).map(overrides::naming);
            row.became(RowOutcome::Mapped, renamed.as_deref().unwrap_or("its text becomes a separate file"))
        });
        registered.inline(scene, command, &inner);
        let content = content(scene, command, &inner, registered);
        cast.nodes.push(BundleNode { path: emitted, executable: false, content, from: None });
    }
}

/// A text that is copied with the manifest keeps the names that it has there.
fn refuse_old_names(
    scene: &LoweringContext<'_>,
    command: &InlineCommand,
    file: &SourceFile,
    cast: &mut LoweredBundle,
) {
    for reference in scene.resolved.inline(command) {
        let Some(renamed) = overrides::renamed(scene, reference) else { continue };
        let message = format!(
            "`{}` names `{}`, but {}, and a text in a manifest is not edited",
            command.qualified,
            renamed.from,
            overrides::naming(renamed)
        );
        let found = Diagnostic::at(file, command.span, Severity::Error, "rename", message);
        cast.diagnostics.push(
            found
                .host(&scene.target.name)
                .help("make the command a file, or leave the old name for this host"),
        );
    }
}

/// The file, with the block behind its fields.
fn content(
    scene: &LoweringContext<'_>,
    command: &InlineCommand,
    inner: &Utf8Path,
    registered: &mut Registration,
) -> NodeContent {
    let (fields, body) = text(scene, command);
    let bound = bindings::BlockPaths {
        folder: inner.parent().unwrap_or(Utf8Path::new("")),
        to_root: &places::up(inner),
        components: &scene.places.components,
    };
    let bindings = Bindings::of_inline(command, scene, &bound);
    let block = bindings.block(scene.target);
    registered.refused.extend(bindings.refused);
    match block {
        Some(block) => NodeContent::Generated { at: fields.len(), text: format!("{fields}\n{body}"), block },
        None if fields.is_empty() => NodeContent::Text(body),
        None => NodeContent::Text(format!("{fields}\n{body}")),
    }
}

/// The frontmatter, and the text behind it.
fn text(scene: &LoweringContext<'_>, command: &InlineCommand) -> (String, String) {
    let mut fields = String::new();
    let as_skill = scene.target.command.emission == CommandEmission::AsSkill;
    if as_skill {
        let name = scene
            .target
            .skill
            .name
            .replace("{name}", &command.name)
            .replace("{qualified}", &command.qualified);
        fields += &format!("name: {}\n", quoted(&name));
    }
    let needed = as_skill && scene.target.skill.description_required;
    if let Some(description) = command.description().or(needed.then_some(command.name.as_str())) {
        fields += &format!("description: {}\n", quoted(description));
    }
    let frontmatter = if fields.is_empty() { String::new() } else { format!("---\n{fields}---\n") };
    (frontmatter, format!("{}\n", command.content.trim_end()))
}
