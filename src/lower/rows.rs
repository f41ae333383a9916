//! Ledger rows for things that are not lowered one by one: plugins, components of other kinds,
//! components that cannot be read, and what lies outside every plugin.

use camino::Utf8Path;

use super::fields;
use super::{LoweredBundle, LoweringContext, foreign_plugin, hooks_and_servers, own_manifest};
use crate::ledger::{ComponentKind, LedgerRow, RowOutcome, RowSpan};
use crate::model::plugin::{self, OtherBody, OtherComponent};
use crate::model::project::Project;
use crate::read::frontmatter;
use crate::source::{Exclusion, SourceFile, Span};
use crate::target::Axis;

/// The span of a row, with line and column.
pub(super) fn span(file: &SourceFile, span: Span) -> RowSpan {
    let position = file.position(span.start);
    RowSpan { start: span.start, end: span.end, line: position.line, column: position.column }
}

fn excluded(plugin: &str, exclusion: &Exclusion) -> LedgerRow {
    LedgerRow::kept(plugin, ComponentKind::File, exclusion.path.as_str(), &exclusion.path)
        .became(RowOutcome::Dropped, exclusion.reason.clone())
}

/// What belongs to no plugin, and what could not be read.
pub(super) fn outside(project: &Project, cast: &mut LoweredBundle) {
    for exclusion in project.outside.iter().chain(&project.tree.exclusions) {
        let owner = project
            .plugins
            .iter()
            .filter(|plugin| exclusion.path.starts_with(&plugin.root))
            .max_by_key(|plugin| plugin.root.as_str().len());
        cast.rows.push(excluded(owner.map_or("", |plugin| &plugin.name), exclusion));
    }
}

/// The plugin itself, and the files that were left out of it.
pub(super) fn plugin(scene: &LoweringContext<'_>, cast: &mut LoweredBundle) {
    let plugin = scene.plugin;
    let row = LedgerRow::kept(&plugin.name, ComponentKind::Plugin, &plugin.name, &plugin.root)
        .to(format!("plugins/{}", plugin.name));
    cast.rows.push(match scene.session.and_then(|session| session.reason(scene)) {
        Some(reason) => {
            let (axis, owner) = (Axis::Limit, (ComponentKind::Plugin, plugin.name.as_str()));
            row.became(RowOutcome::Degraded, reason).loss(axis.id(), axis.floor(), owner, "listing")
        }
        None => row,
    });
    let left_out =
        plugin.files.left_out.iter().filter(|exclusion| !own_manifest::handles(scene, &exclusion.path));
    cast.rows.extend(left_out.map(|exclusion| excluded(&plugin.name, exclusion)));
    foreign_plugin::manifest_rows(scene, cast);
}

/// Components that no host gets: the component, its file and its fields keep rows of their own.
pub(super) fn lost(scene: &LoweringContext<'_>, cast: &mut LoweredBundle) {
    let name = &scene.plugin.name;
    for lost in &scene.plugin.lost {
        let Some(file) = scene.project.tree.get(&lost.path) else { continue };
        let axis = if lost.misnamed { Axis::Names } else { Axis::Unreadable };
        let row = LedgerRow::kept(name, lost.kind, &lost.name, &lost.path)
            .became(RowOutcome::Dropped, &lost.reason);
        let row = match &lost.pointer {
            Some(pointer) => row.pointer(pointer),
            None => row.at(span(file, plugin::whole(&scene.project.tree, &lost.path))),
        };
        cast.rows.push(row.loss(axis.id(), axis.floor(), (lost.kind, &lost.name), ""));
        if lost.pointer.is_some() {
            continue;
        }
        // The file of a skill that another component hides goes along, and has its row with the other files.
        if !scene.places.files.contains(&lost.path) {
            cast.rows.push(
                LedgerRow::kept(name, ComponentKind::File, lost.path.as_str(), &lost.path)
                    .became(RowOutcome::Dropped, &lost.reason),
            );
        }
        // What a command has of a skill that it hides has its row there.
        let components = || scene.plugin.components.iter().filter(|_| scene.target.source.is_none());
        let is_told = |row: &LedgerRow| {
            let mut said = components().flat_map(|component| component.declared.values());
            said.any(|said| said.at.path == row.path && row.pointer.as_deref() == Some(&said.at.pointer))
        };
        let fields = unreadable_fields(name, file, &lost.reason).into_iter();
        cast.rows.extend(fields.filter(|row| !is_told(row)));
    }
}

/// Fields of a file that cannot be parsed, line by line.
fn unreadable_fields(plugin: &str, file: &SourceFile, reason: &str) -> Vec<LedgerRow> {
    let Some(text) = file.text() else { return Vec::new() };
    let document = frontmatter::parse(text);
    if document.fields.is_some() {
        return fields::plain(plugin, file, &document, Some(reason), None);
    }
    let yaml = document.yaml.unwrap_or_else(|| Span::new(0, text.len()));
    unread_fields(plugin, file, yaml, RowOutcome::Dropped, reason)
}

/// A row for each line of `part` that looks like a field.
pub(super) fn unread_fields(
    plugin: &str,
    file: &SourceFile,
    part: Span,
    outcome: RowOutcome,
    reason: &str,
) -> Vec<LedgerRow> {
    let Some(text) = file.text() else { return Vec::new() };
    let mut at = part.start;
    let mut rows = Vec::new();
    for line in part.of(text).split_inclusive('\n') {
        let key = line.split_once(':').map(|(key, _)| key).filter(|key| is_key(key));
        if let Some(key) = key {
            let place = span(file, Span::new(at, at + line.trim_end().len()));
            let row = LedgerRow::kept(plugin, ComponentKind::Field, key, &file.path)
                .at(place)
                .pointer(format!("/{key}"));
            rows.push(row.became(outcome, reason));
        }
        at += line.len();
    }
    rows
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

/// The row of a component of another kind, before anything is said of it.
pub(super) fn other(scene: &LoweringContext<'_>, other: &OtherComponent) -> LedgerRow {
    let kind = ComponentKind::from_id(&other.kind).unwrap_or(ComponentKind::Setting);
    let mut row = LedgerRow::kept(&scene.plugin.name, kind, &other.name, &other.path);
    if let Some(file) = scene.project.tree.get(&other.path) {
        let place = other.span.unwrap_or_else(|| plugin::whole(&scene.project.tree, &file.path));
        row = row.at(span(file, place));
    }
    if other.pointer.is_empty() { row } else { row.pointer(&other.pointer) }
}

/// Components of kinds that have no lowering of their own: carried as files, or dropped with the
/// reason of the target.
pub(super) fn others(scene: &LoweringContext<'_>, cast: &mut LoweredBundle) {
    let others = scene.plugin.others.iter().filter(|other| !matches!(other.body, OtherBody::Nothing));
    for one in others.filter(|other| !hooks_and_servers::handles(scene, other)) {
        let row = other(scene, one);
        let (kind, owner) = (row.kind, (row.kind, one.name.as_str()));
        if let Some(fault) = &one.fault {
            let axis = if one.guards { Axis::HookBlocking } else { Axis::Unreadable };
            cast.rows.push(row.became(RowOutcome::Dropped, fault).loss(axis.id(), axis.floor(), owner, ""));
            continue;
        }
        let Some(facts) = scene.target.components.get(&one.kind) else {
            let axis = Axis::Components;
            let reason = "the target does not cover this kind of component";
            cast.rows.push(row.became(RowOutcome::Dropped, reason).loss(axis.id(), axis.floor(), owner, ""));
            continue;
        };
        let axis = facts.axis.unwrap_or(Axis::Components);
        let class = facts.class.unwrap_or(axis.floor());
        if let OtherBody::Hook(hook) = &one.body
            && facts.carried
            && !scene.source.hook_events.contains(&hook.event)
        {
            let axis = Axis::Hooks;
            let row = row.became(RowOutcome::Dropped, "the host has no such event");
            cast.rows.push(row.loss(axis.id(), axis.floor(), owner, ""));
            continue;
        }
        if facts.carried {
            // What only the marketplace's entry declares is said in the plugin's manifest.
            let manifest = Utf8Path::new(scene.target.manifest.path.as_str());
            let place = scene.places.files.get(&one.path).map_or(manifest, |path| path.as_path());
            let row = row.to(format!("plugins/{}/{place}", scene.plugin.name));
            hooks_and_servers::secrets(scene, one, cast.rows.len(), cast);
            let row = match hooks_and_servers::remote_type(scene, one) {
                Some(kind) => {
                    let reason =
                        format!("the host drops a server with a `url` and no `type`: it gets `{kind}`");
                    row.became(RowOutcome::Mapped, reason)
                }
                None => row,
            };
            cast.rows.push(match (&facts.reason, facts.axis) {
                (Some(reason), Some(axis)) => {
                    row.became(RowOutcome::Degraded, reason).loss(axis.id(), class, owner, "")
                }
                _ => row,
            });
            continue;
        }
        let reason = facts.reason.as_deref().unwrap_or("the host has no such component");
        let variable = hooks_and_servers::option_variable(scene.source, &one.name);
        let outcome = match kind {
            ComponentKind::UserConfig if reason.contains("{variable}") => RowOutcome::Degraded,
            _ => RowOutcome::Dropped,
        };
        let reason = reason.replace("{variable}", &variable);
        cast.rows.push(row.became(outcome, reason).loss(axis.id(), class, owner, ""));
    }
}
