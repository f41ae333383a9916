//! One skill, agent or command: its place, its fields, its references, its block.

use camino::{Utf8Path, Utf8PathBuf};

use super::bindings::{self, Bindings};
use super::registration::Registration;
use super::repair::Repairs;
use super::{
    LoweredBundle, LoweringContext, fields, installable, overrides, paths, place, reference_rows, repair,
    rows, sidecar,
};
use crate::bundle::draft::{MarkdownDraft, quoted};
use crate::bundle::{BundleNode, NodeContent};
use crate::diagnostic::{Diagnostic, Severity};
use crate::ledger::{ComponentKind, LedgerRow, RowOutcome};
use crate::model::component::Component;
use crate::model::plugin;
use crate::read::frontmatter;
use crate::source::SourceFile;
use crate::target::{AgentEmission, Axis, CommandEmission};

/// Lowers `component` with every text that belongs to it.
pub(super) fn lower(
    scene: &LoweringContext<'_>,
    component: &Component,
    registered: &mut Registration,
    cast: &mut LoweredBundle,
) {
    let Some(file) = scene.project.tree.get(&component.path) else { return };
    let key = (component.kind, component.qualified.clone());
    let Some(inner) = scene.places.components.get(&key) else { return };
    let emitted = root(scene).join(inner);
    if let Some(limit) = too_long(scene, component) {
        return refuse(scene, component, file, &limit, "shorten the name", cast);
    }
    if let Some(limit) = scene.listing.beyond(component) {
        return refuse(scene, component, file, limit, "split the plugin", cast);
    }
    let mut draft = MarkdownDraft::new(file, &component.document);
    let mut repairs = repair::repair(scene.target, component, &mut draft);
    let described = describe(scene, component, inner, &mut draft, &mut repairs);
    let mut lowered = fields::lower(scene, component, file, &repairs, &mut draft, cast);
    overrides::say(scene, component, &mut draft, &mut lowered);
    let to_root = place::up(inner);
    let bound = bindings::BlockPaths {
        folder: inner.parent().unwrap_or(Utf8Path::new("")),
        to_root: &to_root,
        components: &scene.places.components,
    };
    let bindings = Bindings::of(component, scene, &bound);
    draft.block = bindings.block(scene.target);
    registered.refused.extend(bindings.refused);
    let degraded = lowered.degraded | reference_rows::lower(scene, component, &to_root, &mut draft, cast);
    paths::follow(scene, file, inner, &mut draft);
    let unchanged = draft.is_unchanged();
    let same_place = scene.plugin.inner(&component.path) == inner;
    push_component_row(scene, component, file, &emitted, degraded, unchanged && same_place, cast);
    registered.add(scene, component, inner, &lowered, described.as_deref());
    installable::emit(scene, component, inner, &draft, cast);
    sidecar::lower(scene, component, described.is_some(), cast);
    let mut row =
        LedgerRow::kept(&scene.plugin.name, ComponentKind::File, component.path.as_str(), &component.path)
            .to(emitted.as_str());
    if !unchanged {
        row = row.became(RowOutcome::Mapped, "edited for the host; the source map has every edit");
    } else if !same_place {
        row = row.became(RowOutcome::Mapped, "it is where the host looks for it");
    }
    cast.rows.push(row);
    let content = if unchanged {
        NodeContent::CopyOf(file.origin.clone())
    } else {
        NodeContent::Markdown(Box::new(draft))
    };
    cast.nodes.push(BundleNode {
        path: emitted,
        executable: file.executable,
        content,
        from: Some(component.path.clone()),
    });
}

/// The plugin's emitted folder.
pub(super) fn root(scene: &LoweringContext<'_>) -> Utf8PathBuf {
    Utf8PathBuf::from("plugins").join(&scene.plugin.name)
}

fn native(scene: &LoweringContext<'_>, kind: ComponentKind) -> bool {
    match kind {
        ComponentKind::Agent => scene.target.agent.emission == AgentEmission::Native,
        ComponentKind::Command => {
            scene.target.command.emission == CommandEmission::Native && scene.target.registration.is_none()
        }
        _ => scene.target.registration.is_none(),
    }
}

fn push_component_row(
    scene: &LoweringContext<'_>,
    component: &Component,
    file: &SourceFile,
    emitted: &Utf8Path,
    degraded: bool,
    same: bool,
    cast: &mut LoweredBundle,
) {
    let whole = rows::span(file, plugin::whole(&scene.project.tree, &component.path));
    let row = LedgerRow::kept(&scene.plugin.name, component.kind, &component.qualified, &component.path)
        .at(whole)
        .to(emitted.as_str());
    let row = if let Some(reason) = scene.listing.waits(component) {
        let (axis, owner) = (Axis::Limit, (component.kind, component.qualified.as_str()));
        row.became(RowOutcome::Degraded, reason).loss(axis.id(), axis.floor(), owner, "listing")
    } else if let Some(reason) = installable::unreached(scene, component) {
        let (axis, owner) = (Axis::Components, (component.kind, component.qualified.as_str()));
        row.became(RowOutcome::Degraded, reason).loss(axis.id(), axis.floor(), owner, "")
    } else if degraded {
        row.became(
            RowOutcome::Degraded,
            "some of its fields or constructs have a smaller effect; their rows say which",
        )
    } else if let Some(renamed) = &component.here.renamed {
        row.became(RowOutcome::Mapped, overrides::naming(renamed))
    } else if same && native(scene, component.kind) {
        row
    } else {
        let reason = match (component.kind, scene.target.agent.emission, scene.target.command.emission) {
            (ComponentKind::Agent, AgentEmission::PromptAsset, _) => {
                "the skills that dispatch it say how to use its file as instructions"
            }
            (ComponentKind::Command, _, CommandEmission::AsSkill) => "it is a skill on the host",
            _ if scene.target.registration.is_some() => "it is registered under its qualified name",
            _ => "it is edited or placed as the host needs it",
        };
        row.became(RowOutcome::Mapped, reason)
    };
    cast.rows.push(row);
}

/// Why the name is longer than the host takes.
fn too_long(scene: &LoweringContext<'_>, component: &Component) -> Option<String> {
    let limit = scene.target.skill.name_limit?;
    let is_skill = component.kind == ComponentKind::Skill
        || (component.kind == ComponentKind::Command
            && scene.target.command.emission == CommandEmission::AsSkill);
    let length = component.name.chars().count();
    (is_skill && length > limit)
        .then(|| format!("its name has {length} characters, and {} takes {limit}", scene.target.host.title))
}

fn refuse(
    scene: &LoweringContext<'_>,
    component: &Component,
    file: &SourceFile,
    why: &str,
    way_out: &str,
    cast: &mut LoweredBundle,
) {
    let help = format!("{way_out}, or leave this host out for the plugin");
    let message = format!("`{}` cannot be carried: {why}", component.qualified);
    cast.diagnostics.push(
        Diagnostic::at(file, component.name_span(), Severity::Error, "limit", message)
            .host(&scene.target.name)
            .help(help),
    );
    let name = &scene.plugin.name;
    let whole = rows::span(file, plugin::whole(&scene.project.tree, &component.path));
    let row = LedgerRow::kept(name, component.kind, &component.qualified, &component.path)
        .at(whole)
        .became(RowOutcome::Dropped, why);
    cast.rows.push(row.loss(
        Axis::Limit.id(),
        Axis::Limit.floor(),
        (component.kind, &component.qualified),
        "",
    ));
    cast.rows.push(
        LedgerRow::kept(name, ComponentKind::File, component.path.as_str(), &component.path)
            .became(RowOutcome::Dropped, why),
    );
    cast.rows.extend(fields::plain(name, file, &component.document, Some(why), None));
    for group in scene.resolved.references(component) {
        let Some(file) = scene.project.tree.get(&group.path) else { continue };
        for reference in &group.references {
            let (kind, text) = reference_rows::named(reference);
            let row = LedgerRow::kept(name, kind, text, &group.path).at(rows::span(file, reference.span));
            cast.rows.push(row.became(RowOutcome::Dropped, why));
        }
    }
}

/// Sets name and description where the host needs them said otherwise. The description that had to be made: where
/// there is one, the source host lists the component for nobody but the user.
fn describe(
    scene: &LoweringContext<'_>,
    component: &Component,
    inner: &Utf8Path,
    draft: &mut MarkdownDraft,
    repairs: &mut Repairs,
) -> Option<String> {
    let as_skill =
        component.kind == ComponentKind::Command && scene.target.command.emission == CommandEmission::AsSkill;
    if component.kind != ComponentKind::Skill && !as_skill {
        if let Some(renamed) =
            component.here.renamed.as_ref().filter(|_| component.kind == ComponentKind::Agent)
            && let Some(entry) = component.document.fields.as_ref().and_then(|fields| fields.entry("name"))
        {
            let last = renamed.to.rsplit(':').next().unwrap_or(&renamed.to);
            repairs.insert(entry.key_span.start, (RowOutcome::Mapped, overrides::naming(renamed)));
            draft.set_text("name", last, &overrides::naming(renamed));
        }
        return None;
    }
    let folder = inner.parent().and_then(Utf8Path::file_name).unwrap_or_default();
    let wanted = scene
        .target
        .skill
        .name
        .replace("{name}", &component.name)
        .replace("{qualified}", &component.qualified);
    let renamed = component.here.renamed.as_ref().map(overrides::naming);
    if component.field("name").is_some() || wanted != folder {
        let current = component.document.fields.as_ref().and_then(|fields| fields.entry("name"));
        if let Some(entry) = current.filter(|entry| entry.node.as_str() != Some(wanted.as_str())) {
            let reason = format!("the host reads the component's name from here, and it is `{wanted}`");
            let reason = renamed.clone().unwrap_or(reason);
            repairs.insert(entry.key_span.start, (RowOutcome::Mapped, reason));
        }
        let reason = renamed.as_deref().unwrap_or("the host reads the component's name from here");
        draft.set_text("name", &wanted, reason);
    }
    if !scene.target.skill.description_required || component.text_field("description").is_some() {
        return None;
    }
    let text = first_words(draft.document.body.of(&draft.text)).unwrap_or_else(|| component.name.clone());
    let reason = "the host needs a description of a skill, so it has the first words of the text";
    let current = component.document.fields.as_ref().and_then(|fields| fields.entry("description"));
    if let Some(entry) = current {
        repairs.insert(
            entry.key_span.start,
            (
                RowOutcome::Dropped,
                "it has no readable value; the first words of the text replace it".to_owned(),
            ),
        );
    }
    match current {
        Some(entry) if entry.node.as_str().is_some() => draft.set_text("description", &text, reason),
        _ => draft.fields.push(("description".into(), quoted(&text), reason.into())),
    }
    Some(text)
}

/// The first line of prose of a body, or its first heading.
fn first_words(body: &str) -> Option<String> {
    let lines = || body.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric));
    let prose = lines().find(|line| !line.starts_with(['#', '<', '`', '|', '-', '*', '!', '>']));
    let line = prose.or_else(|| lines().next())?.trim_start_matches('#').trim();
    Some(line.chars().take(200).collect())
}

/// The parts of a file that is no component, for its fields.
pub(super) fn document_of(file: &SourceFile) -> Option<frontmatter::MarkdownDocument> {
    let text = file.text().filter(|_| file.path.extension() == Some("md"))?;
    text.trim_start_matches('\u{feff}').starts_with("---").then(|| frontmatter::parse(text))
}
