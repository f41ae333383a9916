//! Commands whose text stands in the manifest: where the host reads the source's own manifest they
//! stay there, elsewhere each becomes a file of its own.

use camino::Utf8Path;

use super::bindings::{self, Bindings};
use super::component::root;
use super::registration::Registered;
use super::{Cast, Scene, overrides, place as places, rows};
use crate::bundle::draft::quoted;
use crate::bundle::{Content, Node};
use crate::diagnostic::{Diagnostic, Severity};
use crate::ledger::{Kind, Outcome, Row};
use crate::model::plugin::InlineCommand;
use crate::model::references::Named;
use crate::source::SourceFile;
use crate::target::{Axis, CommandEmission, TextForm};

/// Lowers every such command of the plugin.
pub(super) fn lower(scene: &Scene<'_>, registered: &mut Registered, cast: &mut Cast) {
    for command in &scene.plugin.inline {
        let Some(file) = scene.project.tree.get(&command.path) else { continue };
        let row = Row::kept(&scene.plugin.name, Kind::Command, &command.qualified, &command.path)
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
        let shell =
            scene.resolved.inline(command).iter().any(|reference| matches!(reference.named, Named::Shell(_)));
        cast.rows.push(if shell && scene.target.text.shell == TextForm::Bound {
            let axis = Axis::ShellExpansion;
            let reason = "the host does not run commands in a text; the model runs the command";
            let owner = (Kind::Command, command.qualified.as_str());
            row.became(Outcome::Degraded, reason).loss(axis.id(), axis.floor(), owner, "shell")
        } else {
            let renamed = scene.project.renamed(Kind::Command, &command.qualified).map(overrides::naming);
            row.became(Outcome::Mapped, renamed.as_deref().unwrap_or("its text becomes a separate file"))
        });
        registered.inline(scene, command, &inner);
        let content = content(scene, command, &inner, registered);
        cast.nodes.push(Node { path: emitted, executable: false, content, from: None });
    }
}

/// A text that is copied with the manifest keeps the names that it has there.
fn refuse_old_names(scene: &Scene<'_>, command: &InlineCommand, file: &SourceFile, cast: &mut Cast) {
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
    scene: &Scene<'_>,
    command: &InlineCommand,
    inner: &Utf8Path,
    registered: &mut Registered,
) -> Content {
    let (fields, body) = text(scene, command);
    let bound = bindings::Places {
        folder: inner.parent().unwrap_or(Utf8Path::new("")),
        to_root: &places::up(inner),
        components: &scene.places.components,
    };
    let bindings = Bindings::of_inline(command, scene, &bound);
    let block = bindings.block(scene.target);
    registered.refused.extend(bindings.refused);
    match block {
        Some(block) => Content::Generated { at: fields.len(), text: format!("{fields}\n{body}"), block },
        None if fields.is_empty() => Content::Text(body),
        None => Content::Text(format!("{fields}\n{body}")),
    }
}

/// The frontmatter, and the text behind it.
fn text(scene: &Scene<'_>, command: &InlineCommand) -> (String, String) {
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
