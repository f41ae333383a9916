//! The plugin's manifest in the host's own form, with a row for every field of the source's manifest.

use std::collections::BTreeMap;

use camino::Utf8Path;
use serde_json::{Map, Value as Json};

use super::command_objects::CommandFields;
use super::context::LoweringContext;
use super::decision::Decision;
use super::declarations::{self, Declarations};
use super::entry_fields::{entry_fields, read_anyway};
use super::part::LoweredPart;
use super::{options, own_manifest, shape, source_json};
use crate::bundle::NodeContent;
use crate::ledger::{ComponentKind, LossClass, RowOutcome};
use crate::model::manifest::PluginManifest;
use crate::model::plugin::Plugin;
use crate::read::tree::{Node as Tree, Value};
use crate::source::SourceFile;
use crate::target::Axis;

/// The decisions about a plugin's components, made before its manifest, which declares them.
pub(super) struct ManifestInput<'a> {
    /// Hooks and servers.
    pub(super) declared: &'a [Decision],
    /// Fields of commands.
    pub(super) commands: &'a CommandFields<'a>,
}

/// How the host's manifest is derived from the source's.
struct ManifestPlan {
    /// Whether it is the unmodified source manifest.
    kept: bool,
    /// The emitted path.
    emitted: String,
    /// The pointers in the source's manifest whose values the host's own document contains.
    used: Vec<String>,
}

/// The manifest of one plugin, with a decision about every field of the source's manifest.
pub(super) fn lower(context: &LoweringContext<'_>, input: &ManifestInput<'_>) -> LoweredPart {
    let facts = &context.target.manifest;
    let plugin = context.plugin;
    let mut used = Vec::new();
    // Agents that only the marketplace's entry lists are emitted into the default folder.
    let listed_agents = plugin.manifest.as_ref().is_some_and(|own| own.node.get("agents").is_some());
    let is_fit =
        |name: &str, value: &Json| facts.formats.get(name).is_none_or(|format| format.matches(value));
    let lookup = |name: &str| {
        lookup(plugin, name).filter(|value| (name != "/agents" || listed_agents) && is_fit(name, value))
    };
    let filled = shape::fill_table(&facts.document, &lookup, &mut used);
    let file = plugin.manifest.as_ref().and_then(|manifest| context.project.tree.get(&manifest.path));
    let listed = if facts.passthrough { entry_fields(context) } else { Map::new() };
    let kept = listed.is_empty() && file.is_some_and(|file| is_kept(context, file));
    let emitted = context.root().join(&facts.path).into_string();
    let plan = ManifestPlan { kept, emitted, used };
    let mut part: LoweredPart = unreadable(context).into_iter().collect();
    if let Some(file) = file {
        part.decisions.extend(fields(context, file, &plan, input));
    }
    let content = match (file, kept) {
        (Some(file), true) => NodeContent::CopyOf(file.origin.clone()),
        (Some(_), false) if facts.passthrough => {
            document(&facts.path, passed_manifest(context, &filled), listed)
        }
        _ => {
            let (own, merged) = merged(context, without_absent(context, filled));
            part.add(own);
            let (own, merged) = own_manifest::merged(context, merged);
            part.add(own);
            document(&facts.path, merged, listed)
        }
    };
    let mut node = context.generated_file(&facts.path, content);
    node.from = file.filter(|_| kept).map(|file| file.path.clone());
    part.nodes.push(node);
    part
}

/// A manifest that cannot be read.
fn unreadable(context: &LoweringContext<'_>) -> Option<Decision> {
    let path = context.plugin.root.join(&context.source.manifest);
    let file = context.project.tree.get(&path).filter(|_| context.plugin.manifest.is_none())?;
    let reason = "it cannot be read, so a new one is made from the folder's name";
    Some(Decision::for_file(&context.plugin.name, &file.path).with_outcome(RowOutcome::Dropped, reason))
}

/// Whether the host reads the source's manifest, `file`, unchanged.
fn is_kept(context: &LoweringContext<'_>, file: &SourceFile) -> bool {
    let Some(manifest) = context.plugin.manifest.as_ref().filter(|_| context.target.manifest.passthrough)
    else {
        return false;
    };
    manifest.refused.is_empty()
        && manifest.escaping.is_empty()
        && manifest.node.get("name").and_then(Tree::as_str).is_some()
        && manifest.node.get("skills").is_none()
        && cleaned(context, file).is_none()
}

/// The decisions about the source's manifest, `file`, and each of its fields.
fn fields(
    context: &LoweringContext<'_>,
    file: &SourceFile,
    plan: &ManifestPlan,
    input: &ManifestInput<'_>,
) -> Vec<Decision> {
    let Some(manifest) = &context.plugin.manifest else { return Vec::new() };
    let name = &context.plugin.name;
    let own = Decision::for_file(name, &file.path).placed_at(&*plan.emitted);
    let mut out = vec![match plan.kept {
        true => own,
        false => own.with_outcome(RowOutcome::Mapped, "its fields move to the host's manifest"),
    }];
    let declared = Declarations::new(&file.path, input.declared);
    let faults = faults(context);
    let absent = source_json::absent(context, &manifest.node);
    for (pointer, span, leaf) in manifest.node.leaves() {
        if input.commands.contains(&file.path, &pointer) {
            continue;
        }
        let field =
            Decision::new_kept(name, ComponentKind::Field, pointer.trim_start_matches('/'), &file.path)
                .in_file(file, span)
                .pointer(&pointer);
        let is_read = leaf.as_str().is_some_and(|path| read_anyway(context, path));
        if !plan.kept && context.target.manifest.passthrough && is_read {
            out.push(field.with_outcome(RowOutcome::Mapped, "the host reads that file by default"));
            continue;
        }
        let fault = declarations::enclosing_pointers(&pointer).find_map(|around| faults.get(around).copied());
        let missing = absent.contains(&pointer).then_some("the source does not have it");
        out.push(match (refusal(manifest, &pointer).or(missing), fault) {
            (Some(reason), _) => field.with_outcome(RowOutcome::Dropped, reason),
            _ if plan.kept => field.placed_at(&*plan.emitted),
            (None, Some(fault)) => field.with_outcome(RowOutcome::Dropped, fault),
            (None, None) => moved_field(context, field, &pointer, plan, &declared),
        });
    }
    out
}

/// Why the source host refuses a field.
fn refusal(manifest: &PluginManifest, pointer: &str) -> Option<&'static str> {
    let top = top_field(pointer);
    if top != "name" && manifest.refused.iter().any(|key| key == top) {
        return Some("its type is refused by the source host");
    }
    let escapes = manifest.escaping.iter().any(|at| is_within(pointer, at));
    escapes.then_some("the source host refuses a path that does not stay in the plugin")
}

/// The decision about a field of a regenerated manifest.
fn moved_field(
    context: &LoweringContext<'_>,
    field: Decision,
    pointer: &str,
    plan: &ManifestPlan,
    declared: &Declarations,
) -> Decision {
    let top = top_field(pointer);
    let emitted = plan.emitted.as_str();
    if pointer == "/name" || plan.used.iter().any(|used| is_within(pointer, used)) {
        return field.placed_at(emitted).with_outcome(RowOutcome::Mapped, "it moves to the host's manifest");
    }
    if matches!(top, "skills" | "agents" | "commands") {
        return field.with_outcome(RowOutcome::Mapped, "its target is where the host looks for it");
    }
    if names_files(context, top) {
        return match declared.destination(pointer) {
            Some(Ok(to)) => field
                .placed_at(to)
                .with_outcome(RowOutcome::Mapped, "what it declares is written in the host's format"),
            Some(Err(reason)) => field.with_outcome(RowOutcome::Dropped, reason),
            None => field.with_outcome(RowOutcome::Mapped, "what it names is written in the host's format"),
        };
    }
    if let Some(kind) = context.source.manifest_components.get(top) {
        let key = pointer.split('/').nth(2).unwrap_or_default();
        let variable = options::variable(context.source, key);
        let facts = context.target.components.get(kind);
        let reason = facts.and_then(|facts| Some(facts.reason.as_ref()?.replace("{variable}", &variable)));
        return match reason {
            Some(reason) => field.with_outcome(RowOutcome::Dropped, reason),
            None => field.placed_at(emitted),
        };
    }
    if context.target.manifest.passthrough {
        return field
            .placed_at(emitted)
            .with_outcome(RowOutcome::Mapped, "it is in the manifest, which is rewritten");
    }
    field_loss(context, field, pointer)
}

/// The decision about a field without an equivalent in the host's manifest.
fn field_loss(context: &LoweringContext<'_>, field: Decision, pointer: &str) -> Decision {
    let owner = (ComponentKind::Plugin, context.plugin.name.as_str());
    let axis = Axis::Metadata;
    let facts = &context.target.manifest;
    let is_off = context.plugin.metadata(pointer).is_some_and(|node| node.value == Value::Bool(false));
    let always_on = facts.always_on.as_deref().filter(|_| pointer == "/defaultEnabled" && is_off);
    let (reason, class) = match always_on {
        Some(reason) => (reason.to_owned(), LossClass::Behavior),
        None => {
            let dropped = facts.dropped.as_deref().unwrap_or("the host's manifest has no such field");
            let unfit = facts.formats.get(pointer).map(|format| {
                format!("the host refuses a plugin with it: its value must be {}", format.words())
            });
            (unfit.unwrap_or_else(|| dropped.to_owned()), axis.minimum_class())
        }
    };
    field.with_outcome(RowOutcome::Dropped, reason).loss_as(axis, class, owner, top_field(pointer))
}

/// The top-level field in which `pointer` lies.
fn top_field(pointer: &str) -> &str {
    pointer.trim_start_matches('/').split('/').next().unwrap_or_default()
}

/// Whether `pointer` is `around`, or is in it.
fn is_within(pointer: &str, around: &str) -> bool {
    pointer.strip_prefix(around).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// `document` with `more`, in the format of the file at `path`.
fn document(path: &str, document: Json, more: Map<String, Json>) -> NodeContent {
    NodeContent::document(Utf8Path::new(path), with_fields(document, more))
}

/// Whether a field names files whose hooks or servers are written in the host's own form.
fn names_files(context: &LoweringContext<'_>, field: &str) -> bool {
    context.source.manifest_components.get(field).is_some_and(|kind| context.has_section(*kind))
}

/// Why the source host refuses parts of the manifest, by pointer; the first reason if there are several.
fn faults<'a>(context: &'a LoweringContext<'_>) -> BTreeMap<&'a str, &'a str> {
    let path = context.plugin.manifest.as_ref().map(|manifest| &manifest.path);
    let here = context.plugin.others.iter().filter(|other| Some(&other.path) == path);
    let faulty = here.filter_map(|other| Some((other.pointer.as_str(), other.fault.as_deref()?)));
    faulty.rev().collect()
}

/// The source's manifest without parts that the source host would refuse, files that it would read twice and plain-text
/// credentials; `None` if nothing needs to change.
fn cleaned(context: &LoweringContext<'_>, file: &SourceFile) -> Option<Json> {
    let clean = source_json::cleaned(context, file);
    let unchanged = clean.is_none();
    let mut document = clean.or_else(|| Some(crate::model::manifest::read_object(file).0?.to_json()));
    let before = document.clone().filter(|_| unchanged);
    if let Some(Json::Object(map)) = &mut document {
        let twice = |value: &Json| value.as_str().is_some_and(|path| read_anyway(context, path));
        for field in context.source.manifest_components.keys() {
            match map.get_mut(field) {
                Some(value) if twice(value) => drop(map.shift_remove(field)),
                Some(Json::Array(items)) => items.retain(|item| !twice(item)),
                _ => {}
            }
        }
    }
    document.filter(|document| before.as_ref() != Some(document))
}

/// The source's manifest without the paths of components that the bundle has in their default folders.
fn passed_manifest(context: &LoweringContext<'_>, filled: &Json) -> Json {
    let own = context.plugin.manifest.as_ref();
    let file = own.and_then(|manifest| context.project.tree.get(&manifest.path));
    let mut document = file
        .and_then(|file| cleaned(context, file))
        .unwrap_or_else(|| own.map_or(Json::Null, |manifest| manifest.node.to_json()));
    if let Json::Object(map) = &mut document {
        map.shift_remove("skills");
        for key in context.plugin.manifest.iter().flat_map(|manifest| &manifest.refused) {
            map.shift_remove(key);
        }
        if let Some(name) = filled.get("name") {
            map.insert("name".into(), name.clone());
        }
    }
    document
}

fn with_fields(mut document: Json, more: Map<String, Json>) -> Json {
    if let Json::Object(map) = &mut document {
        map.extend(more);
    }
    document
}

/// The document without folders that the plugin does not have: a manifest names only existing folders.
fn without_absent(context: &LoweringContext<'_>, mut filled: Json) -> Json {
    if let Json::Object(map) = &mut filled {
        map.retain(|_, value| {
            let folder = value.as_str().and_then(|text| text.strip_prefix("./")?.strip_suffix('/'));
            folder.is_none_or(|folder| context.places.files.values().any(|path| path.starts_with(folder)))
        });
    }
    filled
}

/// Merges the manifest into a source file at the same path, which keeps its other fields.
fn merged(context: &LoweringContext<'_>, filled: Json) -> (LoweredPart, Json) {
    let mut part = LoweredPart::default();
    let facts = &context.target.manifest;
    let path = context.plugin.root.join(&facts.path);
    let own = facts.path != context.source.manifest && context.plugin.files.kept.contains(&path);
    let Some(file) = context.project.tree.get(&path).filter(|_| own) else { return (part, filled) };
    let decision =
        Decision::for_file(&context.plugin.name, &path).placed_at(context.root().join(&facts.path).as_str());
    let (node, findings) = crate::model::manifest::read_object(file);
    let Some(Json::Object(mut own)) = node.map(|node| node.to_json()) else {
        part.diagnostics.extend(findings.into_iter().map(|finding| finding.host(&context.target.name)));
        let reason = "it cannot be read, and the host needs a file of that name";
        part.decisions.push(decision.with_outcome(RowOutcome::Dropped, reason));
        return (part, filled);
    };
    for key in &facts.remove {
        own.shift_remove(key);
    }
    for key in &facts.replace {
        if let Some(value) = filled.get(key) {
            own.insert(key.clone(), value.clone());
        }
    }
    let reason = "its entry point is replaced by the host's, and fields that name another one are removed; everything else stays";
    part.decisions.push(decision.with_outcome(RowOutcome::Mapped, reason));
    (part, Json::Object(own))
}

/// The value of a name in a manifest's document.
pub(super) fn lookup(plugin: &Plugin, name: &str) -> Option<Json> {
    match name {
        "plugin" => Some(plugin.name.as_str().into()),
        pointer if pointer.starts_with('/') => plugin.metadata(pointer).map(Tree::to_json),
        _ => None,
    }
}
