//! Files that are no component: copied to the place that follows the component they belong to, or
//! dropped with the kind of component that the host cannot carry.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;

use super::component::{document_of, root};
use super::declared_rows::Declarations;
use super::foreign_plugin::ForeignParts;
use super::{LoweredBundle, LoweringContext, fields, hooks_and_servers, launcher, overrides, paths, sidecar};
use crate::bundle::draft::MarkdownDraft;
use crate::bundle::{BundleNode, NodeContent};
use crate::diagnostic::{Diagnostic, Severity};
use crate::ledger::{ComponentKind, LedgerRow, RowOutcome};
use crate::model::plugin::{OtherBody, OtherComponent};
use crate::read::frontmatter;
use crate::source::SourceFile;

/// Says in one line that skills go along as plain files, since they lie where hosts do not look.
pub(super) fn unfound_skills(scene: &LoweringContext<'_>, cast: &mut LoweredBundle) {
    let plugin = scene.plugin;
    // Without any other component there is an error that says so.
    let is_empty = plugin.components.is_empty() && plugin.inline.is_empty() && plugin.others.is_empty();
    let Some((message, help)) = plugin.about_unfound_skills().filter(|_| !is_empty) else { return };
    let root = if plugin.root.as_str().is_empty() { Utf8Path::new(".") } else { &plugin.root };
    let found = Diagnostic::whole(root, Severity::Warning, "nested-skill-file", message);
    cast.diagnostics.push(found.host(&scene.target.name).help(help));
}

/// Lowers every kept file of the plugin that is no component's main file.
pub(super) fn lower(scene: &LoweringContext<'_>, cast: &mut LoweredBundle) {
    let sidecars = sidecar::handled(scene);
    let foreign = ForeignParts::new(scene);
    let lost = scene.plugin.lost.iter().filter(|lost| lost.pointer.is_none());
    let lost = lost.map(|lost| lost.path.as_path()).filter(|path| !scene.places.files.contains(path));
    let lost: BTreeSet<&Utf8Path> = lost.collect();
    let mut others: BTreeMap<&Utf8Path, Vec<&OtherComponent>> = BTreeMap::new();
    for other in scene.plugin.others.iter().filter(|other| other.own_file) {
        others.entry(&other.path).or_default().push(other);
    }
    for path in &scene.plugin.files.kept {
        let Some(file) = scene.project.tree.get(path) else { continue };
        let own = scene.plugin.inner(path);
        let handled = own == scene.source.manifest
            || own == scene.source.marketplace
            || scene.places.mains.contains(path)
            || lost.contains(path.as_path())
            || sidecars.contains(path.as_path());
        let program = scene.plugin.runtime.claims(own) || launcher::program(scene, path).is_some();
        if handled || program {
            continue;
        }
        let others = others.get(path.as_path()).map_or(&[][..], Vec::as_slice);
        if let Some(other) = others.iter().find(|other| hooks_and_servers::section(scene, &other.kind)) {
            let nothing = matches!(other.body, OtherBody::Nothing);
            cast.rows.push(said_elsewhere(scene, file, nothing, cast));
        } else if !scene.generated(scene.places.files.get(path).map_or(own, |place| place)) {
            lower_file(scene, file, others.first().copied(), &foreign, cast);
        }
    }
}

/// `other` is the first of the components that are all that the file holds.
fn lower_file(
    scene: &LoweringContext<'_>,
    file: &SourceFile,
    other: Option<&OtherComponent>,
    foreign: &ForeignParts,
    cast: &mut LoweredBundle,
) {
    let name = &scene.plugin.name;
    let row =
        foreign.row(scene, file, LedgerRow::kept(name, ComponentKind::File, file.path.as_str(), &file.path));
    let document = document_of(file);
    let Some(inner) = scene.places.files.get(&file.path) else { return };
    let lost = other.and_then(|other| Some((other, not_carried(scene, other)?)));
    if let Some((_, reason)) = lost.filter(|(other, _)| other.fault.is_some() || !is_root_skill(scene)) {
        cast.rows.push(row.became(RowOutcome::Dropped, &reason));
        cast.rows.extend(
            document.iter().flat_map(|document| fields::plain(name, file, document, Some(&reason), None)),
        );
        return;
    }
    let emitted = root(scene).join(inner);
    let (row, content) = match edited(scene, file, inner) {
        Some(draft) => (
            row.to(emitted.as_str())
                .became(RowOutcome::Mapped, "its target has another path or name on the host"),
            NodeContent::Markdown(Box::new(draft)),
        ),
        None => {
            let row = row.to(emitted.as_str());
            let row = if scene.places.renamed.contains(&file.path) {
                row.became(
                    RowOutcome::Mapped,
                    "the host would load it as a skill, which it is not on the source host",
                )
            } else if scene.plugin.inner(&file.path) != inner {
                row.became(
                    RowOutcome::Mapped,
                    if scene.places.also.contains(&file.path) {
                        "it is beside its skill, and where hooks, servers, agents and commands name it"
                    } else {
                        "it is beside its component"
                    },
                )
            } else {
                row
            };
            match hooks_and_servers::cleaned(scene, file) {
                Some(document) => (
                    row.became(RowOutcome::Mapped, "parts that the source host refuses are left out, and credentials are named by variables"),
                    NodeContent::document(&emitted, document),
                ),
                None => (row, NodeContent::CopyOf(file.origin.clone())),
            }
        }
    };
    let from = (!matches!(content, NodeContent::Json(_))).then(|| file.path.clone());
    if let Some(also) = scene.places.also.get(&file.path) {
        let content = NodeContent::CopyOf(file.origin.clone());
        let from = Some(file.path.clone());
        cast.nodes.push(BundleNode {
            path: root(scene).join(also),
            executable: file.executable,
            content,
            from,
        });
    }
    cast.rows.push(row);
    cast.rows.extend(
        document
            .iter()
            .flat_map(|document| fields::plain(name, file, document, None, Some(emitted.as_str()))),
    );
    cast.nodes.push(BundleNode { path: emitted, executable: file.executable, content, from });
}

/// The row of a file whose hooks or servers are written in the host's own form.
fn said_elsewhere(
    scene: &LoweringContext<'_>,
    file: &SourceFile,
    nothing: bool,
    cast: &LoweredBundle,
) -> LedgerRow {
    let row = LedgerRow::kept(&scene.plugin.name, ComponentKind::File, file.path.as_str(), &file.path);
    if nothing {
        return row.became(RowOutcome::Dropped, "it declares nothing");
    }
    match Declarations::new(&file.path, cast).became("") {
        Some(Ok(to)) => {
            row.to(to).became(RowOutcome::Mapped, "what it declares is written in the host's format")
        }
        _ => row.became(
            RowOutcome::Dropped,
            "nothing that it declares can be carried; the rows of its parts say why",
        ),
    }
}

/// Whether the plugin's folder is a skill, too, whose text may name every file of it.
fn is_root_skill(scene: &LoweringContext<'_>) -> bool {
    let skills = scene.plugin.components.iter().filter(|component| component.kind == ComponentKind::Skill);
    skills.into_iter().any(|skill| skill.folder() == scene.plugin.root)
}

/// The reason of the target when the file is the component `other` of a kind that it cannot carry.
fn not_carried(scene: &LoweringContext<'_>, other: &OtherComponent) -> Option<String> {
    if let Some(fault) = other.fault.as_ref().filter(|_| other.pointer.is_empty()) {
        return Some(fault.clone());
    }
    match scene.target.components.get(&other.kind) {
        Some(facts) if facts.carried => None,
        Some(facts) => {
            Some(facts.reason.clone().unwrap_or_else(|| "the host has no such component".to_owned()))
        }
        None => Some("the target does not cover this kind of component".to_owned()),
    }
}

fn edited(scene: &LoweringContext<'_>, file: &SourceFile, inner: &camino::Utf8Path) -> Option<MarkdownDraft> {
    let text = file.text().filter(|_| scene.places.moved && file.path.extension() == Some("md"))?;
    let mut draft = MarkdownDraft::new(file, &frontmatter::parse(text));
    paths::follow(scene, file, inner, &mut draft);
    overrides::follow(scene, file, &mut draft);
    (!draft.is_unchanged()).then_some(draft)
}
