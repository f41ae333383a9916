//! Commands whose text is in the manifest: if the host reads the source's own manifest, they stay there; otherwise each
//! becomes a separate file.

use std::collections::BTreeSet;

use camino::Utf8Path;

use super::bindings::Bindings;
use super::context::LoweringContext;
use super::decision::Decision;
use super::naming::BlockPaths;
use super::part::LoweredPart;
use super::registration::{self, RegisteredComponent};
use super::{overrides, place as places, texts};
use crate::bundle::NodeContent;
use crate::bundle::draft::quoted;
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::ledger::{ComponentKind, RowOutcome};
use crate::model::plugin::InlineCommand;
use crate::model::references::ReferenceTarget;
use crate::source::SourceFile;
use crate::target::{Axis, CommandEmission, TextForm};

/// The commands of a plugin whose text is in a manifest.
#[derive(Debug, Default)]
pub(super) struct InlineCommands {
    pub(super) part: LoweredPart,
    /// What the module registers for them.
    pub(super) registered: Vec<RegisteredComponent>,
    /// The commands in their texts that the host's sandbox refuses, by the number of its rule.
    pub(super) refused: BTreeSet<(usize, String)>,
}

/// Lowers every such command of the plugin.
pub(super) fn lower(context: &LoweringContext<'_>) -> InlineCommands {
    let mut out = InlineCommands::default();
    for command in &context.plugin.inline {
        let Some(file) = context.project.tree.get(&command.path) else { continue };
        let decision = Decision::new_kept(
            &context.plugin.name,
            ComponentKind::Command,
            &command.qualified,
            &command.path,
        )
        .in_file(file, command.span)
        .pointer(&command.pointer);
        if context.target.manifest.passthrough {
            out.part.diagnostics.extend(refuse_old_names(context, command, file));
            let manifest = context.root().join(&context.target.manifest.path);
            out.part.declared.push(decision.placed_at(manifest.as_str()));
            continue;
        }
        let inner = places::inline_path(context.plugin, command, context.target);
        let decision = decision.placed_at(context.root().join(&inner).as_str());
        out.part.declared.push(decide(context, command, decision));
        out.registered.extend(registration::inline(context, command, &inner));
        let bindings = bindings(context, command, &inner);
        out.part.nodes.push(context.generated_file(&inner, content(context, command, &bindings)));
        out.refused.extend(bindings.refused);
    }
    out
}

/// The decision about a command that becomes a separate file.
fn decide(context: &LoweringContext<'_>, command: &InlineCommand, decision: Decision) -> Decision {
    let is_shell = |named: &ReferenceTarget| matches!(named, ReferenceTarget::Shell(_));
    let shell = context.resolved.inline(command).iter().any(|reference| is_shell(&reference.named));
    if shell && context.target.text.shell == TextForm::Bound {
        let reason = "the host does not run commands in a text; the model runs the command";
        let owner = (ComponentKind::Command, command.qualified.as_str());
        return decision.with_outcome(RowOutcome::Degraded, reason).loss(
            Axis::ShellExpansion,
            owner,
            "shell",
        );
    }
    let renamed =
        overrides::new_name(context, ComponentKind::Command, &command.qualified).map(overrides::naming);
    decision
        .with_outcome(RowOutcome::Mapped, renamed.as_deref().unwrap_or("its text becomes a separate file"))
}

/// Reports old names in a text that is copied with the manifest and so cannot be edited.
fn refuse_old_names(
    context: &LoweringContext<'_>,
    command: &InlineCommand,
    file: &SourceFile,
) -> Vec<Diagnostic> {
    let renamed = context.resolved.inline(command).iter();
    let renamed = renamed.filter_map(|reference| overrides::renamed(context, reference));
    let found = renamed.map(|renamed| {
        let message = format!(
            "`{}` names `{}`, but {}, and a text in a manifest is not edited",
            command.qualified,
            renamed.from,
            overrides::naming(renamed)
        );
        let found = Diagnostic::in_file(file, command.span, Severity::Error, RuleId::RENAME, message);
        found
            .host(&context.target.name)
            .help("move the command to a file, or leave the old name for this host")
    });
    found.collect()
}

/// The names in the text, with paths relative to its file at `inner`.
fn bindings(context: &LoweringContext<'_>, command: &InlineCommand, inner: &Utf8Path) -> Bindings {
    let bound = BlockPaths {
        folder: inner.parent().unwrap_or(Utf8Path::new("")),
        to_root: &places::path_to_root(inner),
        components: &context.places.components,
    };
    Bindings::from_inline(command, &texts::inline_names(context, command), context, &bound)
}

/// The file, with the block after its fields.
fn content(context: &LoweringContext<'_>, command: &InlineCommand, bindings: &Bindings) -> NodeContent {
    let (fields, body) = text(context, command);
    match bindings.block(context.target) {
        Some(block) => NodeContent::Generated { at: fields.len(), text: format!("{fields}\n{body}"), block },
        None if fields.is_empty() => NodeContent::Text(body),
        None => NodeContent::Text(format!("{fields}\n{body}")),
    }
}

/// The frontmatter, and the text after it.
fn text(context: &LoweringContext<'_>, command: &InlineCommand) -> (String, String) {
    let mut fields = String::new();
    let as_skill = context.target.command.emission == CommandEmission::AsSkill;
    if as_skill {
        let name = context.target.skill_name(&command.name, &command.qualified);
        fields += &format!("name: {}\n", quoted(&name));
    }
    let needed = as_skill && context.target.skill.description_required;
    if let Some(description) = command.description().or(needed.then_some(command.name.as_str())) {
        fields += &format!("description: {}\n", quoted(description));
    }
    let frontmatter = if fields.is_empty() { String::new() } else { format!("---\n{fields}---\n") };
    (frontmatter, format!("{}\n", command.content.trim_end()))
}
