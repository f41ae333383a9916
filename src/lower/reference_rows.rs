//! The rows of what a component's texts name, and the edits of its own text that follow.

use std::collections::BTreeSet;

use super::{LoweredBundle, LoweringContext, arguments, bindings, native, overrides, rows, shell_tests};
use crate::bundle::draft::MarkdownDraft;
use crate::ledger::{ComponentKind, LedgerRow, RowOutcome};
use crate::model::component::Component;
use crate::model::references::{Reference, ReferenceTarget};
use crate::source::{SourceFile, Span};
use crate::sourcemap::EditKind;
use crate::target::{Axis, TextForm, VariableForm};

/// Lowers every reference of `component`. Whether any of them is lost in part.
pub(super) fn lower(
    scene: &LoweringContext<'_>,
    component: &Component,
    to_root: &str,
    draft: &mut MarkdownDraft,
    cast: &mut LoweredBundle,
) -> bool {
    let mut degraded = false;
    for group in scene.resolved.references(component) {
        let Some(file) = scene.project.tree.get(&group.path) else { continue };
        let place = ReferencePlace {
            component,
            file,
            main: group.path == component.path,
            to_root,
            meant: meant(scene, component, file, &group.references),
            tested: shell_tests::kept(file.text().unwrap_or_default(), &group.references),
            dispatches: component.may_dispatch(scene.source),
        };
        for reference in &group.references {
            let (row, edit) = reference_row(scene, reference, &place);
            degraded |= row.loss.is_some();
            if let Some((kind, text)) = edit {
                draft.replace(reference.span, text, kind, row.reason.clone().unwrap_or_default());
            }
            cast.rows.push(row);
        }
    }
    degraded
}

/// A place that names something: its kind and its words.
pub(super) fn named(reference: &Reference) -> (ComponentKind, &str) {
    match &reference.named {
        ReferenceTarget::Component(_, name) | ReferenceTarget::Tool(name) => (ComponentKind::Reference, name),
        ReferenceTarget::Variable(name) => (ComponentKind::Variable, name),
        ReferenceTarget::Argument(text) => (ComponentKind::Argument, text),
        ReferenceTarget::Shell(text) | ReferenceTarget::Include(text) => (ComponentKind::Construct, text),
    }
}

/// Where references stand.
struct ReferencePlace<'a> {
    component: &'a Component,
    file: &'a SourceFile,
    main: bool,
    to_root: &'a str,
    /// The argument placeholders that are meant.
    meant: BTreeSet<Span>,
    /// Variables that a shell asks for.
    tested: BTreeSet<Span>,
    /// Whether the component can dispatch agents on the source host.
    dispatches: bool,
}

/// The argument placeholders of a text that are meant, where the block has to say what stands for them.
fn meant(
    scene: &LoweringContext<'_>,
    component: &Component,
    file: &SourceFile,
    references: &[Reference],
) -> BTreeSet<Span> {
    let any = references.iter().any(|reference| matches!(reference.named, ReferenceTarget::Argument(_)));
    let bound = scene.target.text.arguments == TextForm::Bound;
    match file.text() {
        Some(text) if any && bound && arguments::takes_arguments(component, scene) => {
            arguments::meant(text, references)
        }
        _ => BTreeSet::new(),
    }
}

/// The row of one reference, and the text to put in its place.
fn reference_row(
    scene: &LoweringContext<'_>,
    reference: &Reference,
    place: &ReferencePlace<'_>,
) -> (LedgerRow, Option<(EditKind, String)>) {
    let ReferencePlace { component, file, main, to_root, .. } = *place;
    let (kind, text) = named(reference);
    let row =
        LedgerRow::kept(&scene.plugin.name, kind, text, &file.path).at(rows::span(file, reference.span));
    let target = scene.target;
    let block =
        |row: LedgerRow| row.to("block").became(RowOutcome::Mapped, "the block *On this host* explains it");
    let owner = (component.kind, component.qualified.as_str());
    let says = |line: &str| target.block.contains_key(line);
    if let (Some(renamed), ReferenceTarget::Component(_, name)) =
        (overrides::renamed(scene, reference), &reference.named)
    {
        let why = overrides::naming(renamed);
        let instead = renamed.instead(reference.span.of(file.text().unwrap_or_default()));
        return (row.to(name).became(RowOutcome::Mapped, why), main.then_some((EditKind::Name, instead)));
    }
    match &reference.named {
        ReferenceTarget::Component(_, name) if *name == component.qualified => (row, None),
        ReferenceTarget::Component(ComponentKind::Agent, _) if says("agents") => {
            (if reference.asked && place.dispatches { block(row) } else { row }, None)
        }
        ReferenceTarget::Component(ComponentKind::Workflow, _) => {
            (if says("workflows") { block(row) } else { row }, None)
        }
        ReferenceTarget::Component(of, _) if *of != ComponentKind::Agent && says("skills") => {
            (block(row), None)
        }
        ReferenceTarget::Component(_, name) if main && renamed(file, reference, name) => {
            let row = row.became(
                RowOutcome::Mapped,
                "the skill's folder follows its name, so this is the name that is left",
            );
            let slash =
                if reference.span.of(file.text().unwrap_or_default()).starts_with('/') { "/" } else { "" };
            (row.to(name), Some((EditKind::Name, format!("{slash}{name}"))))
        }
        ReferenceTarget::Tool(name) if scene.lost_server(name).is_some() => {
            let why = scene.lost_server(name).map_or("", String::as_str);
            let bound = main && scene.tool(name).is_some() && says("tools");
            let row = if bound { row.to("block") } else { row };
            let row = row.became(
                RowOutcome::Degraded,
                format!("the host does not get the server of this tool: {why}"),
            );
            (row.loss(Axis::Servers.id(), Axis::Servers.floor(), owner, text), None)
        }
        ReferenceTarget::Tool(name) if main && scene.tool(name).is_some() && says("tools") => {
            (block(row), None)
        }
        ReferenceTarget::Argument(_) if place.meant.contains(&reference.span) => (block(row), None),
        ReferenceTarget::Shell(_) if main && native::is_native(scene, component, reference) => {
            let reason =
                "the host runs it, as the source host does without asking; it does not stop where it fails";
            (row.to("registration").became(RowOutcome::Mapped, reason), None)
        }
        ReferenceTarget::Include(_) if main && native::is_native(scene, component, reference) => {
            (row.to("registration").became(RowOutcome::Mapped, "the host includes the file"), None)
        }
        ReferenceTarget::Include(_) if target.text.includes == TextForm::Bound => (block(row), None),
        ReferenceTarget::Shell(_) if target.text.shell == TextForm::Bound => {
            let axis = Axis::ShellExpansion;
            let row = row.to("block").became(
                RowOutcome::Degraded,
                "the host does not run commands in a text; the model runs the command",
            );
            (row.loss(axis.id(), axis.floor(), owner, "shell"), None)
        }
        ReferenceTarget::Variable(name) => {
            let edited = main && !place.tested.contains(&reference.span);
            variable_row(scene, row, name, owner, edited, to_root)
        }
        _ => (row, None),
    }
}

/// Whether the text names a skill by `plugin:folder`, where the folder is not its name.
fn renamed(file: &SourceFile, reference: &Reference, name: &str) -> bool {
    let written = reference.span.of(file.text().unwrap_or_default()).trim_start_matches('/');
    written.contains(':') && written != name
}

fn variable_row(
    scene: &LoweringContext<'_>,
    row: LedgerRow,
    name: &str,
    owner: (ComponentKind, &str),
    edited: bool,
    to_root: &str,
) -> (LedgerRow, Option<(EditKind, String)>) {
    let Some(facts) = scene.variable(name) else { return (row, None) };
    match facts.form {
        VariableForm::Native => (row, None),
        VariableForm::Relative if edited => {
            let Some(path) = bindings::own_place(scene.source, name, to_root) else { return (row, None) };
            (
                row.to(path).became(RowOutcome::Mapped, "it becomes a path relative to this file"),
                Some((EditKind::Variable, path.to_owned())),
            )
        }
        VariableForm::Relative | VariableForm::Bound => match &facts.reason {
            Some(reason) => {
                let axis = Axis::Variables;
                (
                    row.to("block").became(RowOutcome::Degraded, reason).loss(
                        axis.id(),
                        axis.floor(),
                        owner,
                        name,
                    ),
                    None,
                )
            }
            None => {
                (row.to("block").became(RowOutcome::Mapped, "the block *On this host* explains it"), None)
            }
        },
    }
}
