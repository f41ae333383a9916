//! A plugin that was made for another host and has no manifest of the source host: decides, field by field and file by
//! file, about everything that only that host reads.

use camino::Utf8PathBuf;
use globset::GlobMatcher;

use super::context::LoweringContext;
use super::decision::Decision;
use super::{field_leaves, own_manifest};
use crate::ledger::{ComponentKind, RowOutcome};
use crate::model::manifest;
use crate::read::frontmatter;
use crate::read::tree::Node;
use crate::source::{SourceFile, is_markdown};
use crate::target::Axis;

/// Why a field is not carried.
const UNREAD_MANIFEST: &str = "it is in another host's manifest, of which only the name is read";

/// The field that gives the plugin its name.
const NAME: &str = "/name";

/// The manifests of other hosts; the first one names the plugin.
fn manifests<'a>(context: &'a LoweringContext<'_>) -> impl Iterator<Item = (&'a str, &'a SourceFile)> {
    let paths = context.source.foreign_manifests.iter().filter(|_| context.plugin.manifest.is_none());
    paths.filter_map(|path| Some((path.as_str(), context.project.tree.get(context.plugin.root.join(path))?)))
}

/// The decision about each field of such manifests.
pub(super) fn manifest_fields(context: &LoweringContext<'_>) -> Vec<Decision> {
    let plugin = context.plugin;
    let mut out = Vec::new();
    for (path, file) in manifests(context) {
        let is_left_out =
            plugin.files.left_out.iter().any(|exclusion| file.path.starts_with(&exclusion.path));
        if !is_left_out || own_manifest::handles(context, &file.path) {
            continue;
        }
        if is_markdown(path) {
            out.extend(text_fields(context, file));
        } else if let (Some(node), _) = manifest::read_object(file) {
            out.extend(node.leaves().into_iter().map(|(pointer, at, value)| {
                let key = pointer.trim_start_matches('/');
                let field = Decision::new_kept(&plugin.name, ComponentKind::Field, key, &file.path);
                decide(context, field.in_file(file, at).pointer(&pointer), key, value)
            }));
        }
    }
    out
}

/// The fields of a manifest in Markdown: its text for the model, and its frontmatter.
fn text_fields(context: &LoweringContext<'_>, file: &SourceFile) -> Vec<Decision> {
    let name = &context.plugin.name;
    let document = frontmatter::parse(file.text().unwrap_or_default());
    let text =
        Decision::new_kept(name, ComponentKind::Field, "text", &file.path).in_file(file, document.body);
    let fields = field_leaves::all(name, file, &document).chain([("text", text)]);
    let decide = |(key, field): (&str, Decision)| match field.field() {
        Some(NAME) => names_plugin(context, field),
        _ => field.with_outcome(RowOutcome::Dropped, UNREAD_MANIFEST).loss(
            Axis::Components,
            (ComponentKind::Plugin, name),
            key,
        ),
    };
    fields.map(decide).collect()
}

/// The decision about a field with a value; a field that declares a part of the plugin is a loss.
fn decide(context: &LoweringContext<'_>, field: Decision, key: &str, value: &Node) -> Decision {
    let is_declared =
        context.source.foreign_fields.iter().any(|declaring| key.split('/').next() == Some(declaring));
    if field.field() == Some(NAME) {
        return names_plugin(context, field);
    }
    if is_declared && is_carried(context, value) {
        return field.with_outcome(RowOutcome::Mapped, "the components that it names are read in place");
    }
    let field = field.with_outcome(RowOutcome::Dropped, UNREAD_MANIFEST);
    match is_declared {
        true => field.loss(Axis::Components, (ComponentKind::Plugin, &context.plugin.name), key),
        false => field,
    }
}

fn names_plugin(context: &LoweringContext<'_>, field: Decision) -> Decision {
    let emitted = context.root().join(&context.target.manifest.path);
    field.placed_at(emitted.as_str()).with_outcome(RowOutcome::Mapped, "it names the plugin")
}

/// Whether every path that a field names is a component of the plugin, or a folder of some.
fn is_carried(context: &LoweringContext<'_>, field: &Node) -> bool {
    let named = own_manifest::paths(field);
    let inner = |path| context.plugin.relative_path(path);
    let lies_in =
        |named: &Utf8PathBuf| context.plugin.components.iter().any(|one| inner(&one.path).starts_with(named));
    !named.is_empty() && named.iter().all(lies_in)
}

/// The files that only the host of the plugin's manifest reads.
pub(super) struct ForeignParts {
    patterns: Vec<GlobMatcher>,
    /// Files and folders that the manifest names.
    named: Vec<Utf8PathBuf>,
}

impl ForeignParts {
    pub(super) fn new(context: &LoweringContext<'_>) -> Self {
        let (mut patterns, mut named) = (Vec::new(), Vec::new());
        if let Some((path, file)) = manifests(context).next() {
            let parts = context.source.foreign_parts.get(path).into_iter().flatten();
            let globs =
                parts.filter_map(|part| globset::GlobBuilder::new(part).literal_separator(true).build().ok());
            patterns.extend(globs.map(|glob| glob.compile_matcher()));
            if let (Some(node), _) = manifest::read_object(file) {
                let fields = node.entries().iter();
                let fields = fields.filter(|field| context.source.foreign_fields.contains(&field.key));
                named.extend(fields.flat_map(|field| own_manifest::paths(&field.node)));
            }
        }
        Self { patterns, named }
    }

    /// `decision` about `file`, as a loss if only that host reads it.
    pub(super) fn decide(
        &self,
        context: &LoweringContext<'_>,
        file: &SourceFile,
        decision: Decision,
    ) -> Decision {
        let inner = context.plugin.relative_path(&file.path);
        let is_part = self.patterns.iter().any(|pattern| pattern.is_match(inner))
            || self.named.iter().any(|named| inner.starts_with(named));
        if !is_part || context.places.skills.get(&file.path).is_some() {
            return decision;
        }
        let reason = "another host reads it as a part of the plugin; on this host, nothing reads it";
        let owner = (ComponentKind::File, inner.as_str());
        decision.with_outcome(RowOutcome::Degraded, reason).loss(Axis::Components, owner, "")
    }
}
