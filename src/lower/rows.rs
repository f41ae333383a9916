//! Decisions about items that are not lowered individually: plugins, components that cannot be read, and files outside
//! of all plugins.

use camino::Utf8Path;

use super::context::LoweringContext;
use super::decision::Decision;
use super::part::LoweredPart;
use super::{field_leaves, foreign_plugin, own_manifest};
use crate::ledger::{ComponentKind, RowOutcome};
use crate::model::plugin::{self, LostComponent};
use crate::model::project::Project;
use crate::read::frontmatter;
use crate::source::{Exclusion, ExclusionReason, SKILL_FILE, SourceFile, Span, is_markdown};
use crate::source_format::SourceFacts;
use crate::target::Axis;

fn excluded_row(plugin: &str, exclusion: &Exclusion) -> Decision {
    Decision::for_file(plugin, &exclusion.path).excluded(&exclusion.reason)
}

/// Items outside of all plugins, and unreadable items.
pub(super) fn outside_rows(project: &Project, source: &SourceFacts) -> LoweredPart {
    let exclusions = project.outside.iter().chain(&project.tree.exclusions);
    let decide = |exclusion: &Exclusion| {
        let owners = project.plugins.iter().filter(|plugin| exclusion.path.starts_with(&plugin.root));
        let Some(owner) = owners.max_by_key(|plugin| plugin.root.as_str().len()) else {
            return excluded_row("", exclusion);
        };
        let decision = excluded_row(&owner.name, exclusion);
        // The source host ignores `.gitignore`, and git may track the file anyway.
        match exclusion.reason == ExclusionReason::Ignored
            && declares(source, owner.relative_path(&exclusion.path))
        {
            true => {
                let path = exclusion.path.as_str();
                decision.loss(Axis::Sources, (ComponentKind::File, path), "")
            }
            false => decision,
        }
    };
    exclusions.map(decide).collect()
}

/// Whether the source host would find components at `inner`, a path in a plugin.
fn declares(source: &SourceFacts, inner: &Utf8Path) -> bool {
    let parts: Vec<&str> = inner.iter().collect();
    match parts.as_slice() {
        ["skills"] => true,
        ["skills", folder] => !folder.starts_with('.') && *folder != "node_modules",
        ["skills", _, file] => *file == SKILL_FILE,
        ["agents" | "commands", ..] => parts.len() == 1 || is_markdown(inner),
        _ => source.components.contains_key(inner.as_str()),
    }
}

/// The plugin itself, and its excluded files.
pub(super) fn plugin(context: &LoweringContext<'_>) -> LoweredPart {
    let plugin = context.plugin;
    let decision = Decision::new_kept(&plugin.name, ComponentKind::Plugin, &plugin.name, &plugin.root)
        .placed_at(context.root().as_str());
    let reason =
        context.session.and_then(|session| session.reason(&context.listing, &context.target.host.title));
    let decision = match reason {
        Some(reason) => {
            let owner = (ComponentKind::Plugin, plugin.name.as_str());
            decision.with_outcome(RowOutcome::Degraded, reason).loss(Axis::Limit, owner, "listing")
        }
        None => decision,
    };
    let left_out = plugin.files.left_out.iter();
    let left_out = left_out.filter(|exclusion| !own_manifest::handles(context, &exclusion.path));
    let left_out = left_out.map(|exclusion| excluded_row(&plugin.name, exclusion));
    std::iter::once(decision).chain(left_out).chain(foreign_plugin::manifest_fields(context)).collect()
}

/// Components that no host gets: a decision about the component, its file and its fields.
pub(super) fn lost_components(context: &LoweringContext<'_>) -> LoweredPart {
    let mut part = LoweredPart::default();
    let name = &context.plugin.name;
    for lost in &context.plugin.lost {
        let Some(file) = context.project.tree.get(&lost.path) else { continue };
        let axis = if lost.misnamed { Axis::Names } else { Axis::Unreadable };
        let decision = Decision::new_kept(name, lost.kind, &lost.name, &lost.path);
        let decision = match &lost.pointer {
            Some(pointer) => decision.pointer(pointer),
            None => decision.in_file(file, plugin::whole_span(&context.project.tree, &lost.path)),
        };
        let decision = decision.with_outcome(RowOutcome::Dropped, &lost.reason);
        part.declared.push(decision.loss(axis, (lost.kind, &lost.name), ""));
        if lost.pointer.is_none() {
            part.decisions.extend(lost_file(context, lost, file));
        }
    }
    part
}

/// The file of a dropped component, and its fields.
fn lost_file(context: &LoweringContext<'_>, lost: &LostComponent, file: &SourceFile) -> Vec<Decision> {
    let name = &context.plugin.name;
    // The file of a skill that another component hides is carried, and decided with the other files.
    let goes_along = context.places.files.contains(&lost.path);
    let own = Decision::for_file(name, &lost.path).with_outcome(RowOutcome::Dropped, &lost.reason);
    let own = (!goes_along).then_some(own);
    // Fields that a command takes from a skill that it hides are decided with the command.
    let components = || context.plugin.components.iter().filter(|_| context.target.source.is_none());
    let is_told = |field: &Decision| {
        let mut told = components().flat_map(|component| component.declared.values());
        told.any(|told| told.at.path == field.path() && field.field() == Some(&told.at.pointer))
    };
    let fields = unreadable_fields(name, file, &lost.reason).into_iter();
    own.into_iter().chain(fields.filter(|field| !is_told(field))).collect()
}

/// Fields of a file that cannot be parsed, line by line.
fn unreadable_fields(plugin: &str, file: &SourceFile, reason: &str) -> Vec<Decision> {
    let Some(text) = file.text() else { return Vec::new() };
    let document = frontmatter::parse(text);
    if document.fields.is_some() {
        return field_leaves::dropped_fields(plugin, file, &document, reason);
    }
    let yaml = document.yaml.unwrap_or_else(|| Span::new(0, text.len()));
    field_leaves::unread_lines(plugin, file, yaml, RowOutcome::Dropped, reason)
}
