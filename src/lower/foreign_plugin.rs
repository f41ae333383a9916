//! A plugin that was made for another host, and has no manifest of the source host: what that host reads and nothing
//! here does, field by field and file by file.

use camino::Utf8PathBuf;
use globset::GlobMatcher;

use super::{LoweredBundle, LoweringContext, fields, own_manifest, rows};
use crate::ledger::{ComponentKind, LedgerRow, RowOutcome};
use crate::model::manifest;
use crate::read::frontmatter;
use crate::read::tree::Node;
use crate::source::SourceFile;
use crate::target::Axis;

/// Why a field is not carried.
const UNREAD: &str = "it stands in another host's manifest, of which nothing but the name is read";

/// The manifests of other hosts that name the plugin: the first gives the name.
fn manifests<'a>(scene: &'a LoweringContext<'_>) -> impl Iterator<Item = (&'a str, &'a SourceFile)> {
    let paths = scene.source.foreign_manifests.iter().filter(|_| scene.plugin.manifest.is_none());
    paths.filter_map(|path| Some((path.as_str(), scene.project.tree.get(scene.plugin.root.join(path))?)))
}

/// Rows for what such manifests say.
pub(super) fn manifest_rows(scene: &LoweringContext<'_>, cast: &mut LoweredBundle) {
    let plugin = scene.plugin;
    let emitted = format!("plugins/{}/{}", plugin.name, scene.target.manifest.path);
    for (path, file) in manifests(scene) {
        let is_left_out =
            plugin.files.left_out.iter().any(|exclusion| file.path.starts_with(&exclusion.path));
        if !is_left_out || own_manifest::handles(scene, &file.path) {
            continue;
        }
        let mut found = Vec::new();
        if path.ends_with(".md") {
            let document = frontmatter::parse(file.text().unwrap_or_default());
            let text = LedgerRow::kept(&plugin.name, ComponentKind::Field, "text", &file.path)
                .at(rows::span(file, document.body))
                .became(RowOutcome::Dropped, UNREAD);
            let rows = fields::plain(&plugin.name, file, &document, Some(UNREAD), None);
            // What it says to the model, and when.
            let axis = Axis::Components;
            let is_name = |row: &LedgerRow| row.pointer.as_deref() == Some("/name");
            found.extend(rows.into_iter().chain([text]).map(|row| match is_name(&row) {
                true => row,
                false => {
                    let key = row.name.clone();
                    row.loss(axis.id(), axis.floor(), (ComponentKind::Plugin, &plugin.name), &key)
                }
            }));
        } else if let (Some(node), _) = manifest::read_object(file) {
            found.extend(leaves(scene, file, &node));
        }
        cast.rows.extend(found.into_iter().map(|row| match row.pointer.as_deref() {
            Some("/name") => row.to(&*emitted).became(RowOutcome::Mapped, "it names the plugin"),
            _ => row,
        }));
    }
}

/// A row for each leaf; what declares a part of the plugin is a loss.
fn leaves(scene: &LoweringContext<'_>, file: &SourceFile, node: &Node) -> Vec<LedgerRow> {
    let (plugin, declaring) = (scene.plugin, &scene.source.foreign_fields);
    let rows = node.leaves().into_iter().map(|(pointer, at, value)| {
        let key = pointer.trim_start_matches('/');
        let is_declared = declaring.iter().any(|field| key.split('/').next() == Some(field));
        let row = LedgerRow::kept(&plugin.name, ComponentKind::Field, key, &file.path)
            .at(rows::span(file, at))
            .pointer(&pointer);
        if is_declared && is_carried(scene, value) {
            return row.became(RowOutcome::Mapped, "the components that it names are read where they lie");
        }
        let (axis, row) = (Axis::Components, row.became(RowOutcome::Dropped, UNREAD));
        match is_declared {
            true => row.loss(axis.id(), axis.floor(), (ComponentKind::Plugin, &plugin.name), key),
            false => row,
        }
    });
    rows.collect()
}

/// Whether every path that a field names is a component of the plugin, or a folder of some.
fn is_carried(scene: &LoweringContext<'_>, field: &Node) -> bool {
    let named = paths(field);
    let inner = |path| scene.plugin.inner(path);
    let lies_in =
        |named: &Utf8PathBuf| scene.plugin.components.iter().any(|one| inner(&one.path).starts_with(named));
    !named.is_empty() && named.iter().all(lies_in)
}

/// The files that only the host of the plugin's manifest reads.
pub(super) struct ForeignParts {
    patterns: Vec<GlobMatcher>,
    /// Files and folders that the manifest names.
    named: Vec<Utf8PathBuf>,
}

impl ForeignParts {
    pub(super) fn new(scene: &LoweringContext<'_>) -> Self {
        let (mut patterns, mut named) = (Vec::new(), Vec::new());
        if let Some((path, file)) = manifests(scene).next() {
            let parts = scene.source.foreign_parts.get(path).into_iter().flatten();
            let globs =
                parts.filter_map(|part| globset::GlobBuilder::new(part).literal_separator(true).build().ok());
            patterns.extend(globs.map(|glob| glob.compile_matcher()));
            if let (Some(node), _) = manifest::read_object(file) {
                let fields = node.entries().iter();
                let fields = fields.filter(|field| scene.source.foreign_fields.contains(&field.key));
                named.extend(fields.flat_map(|field| paths(&field.node)));
            }
        }
        Self { patterns, named }
    }

    /// `row` of `file`, as a loss where that host alone reads it.
    pub(super) fn row(&self, scene: &LoweringContext<'_>, file: &SourceFile, row: LedgerRow) -> LedgerRow {
        let inner = scene.plugin.inner(&file.path);
        let is_part = self.patterns.iter().any(|pattern| pattern.is_match(inner))
            || self.named.iter().any(|named| inner.starts_with(named));
        if !is_part || scene.places.skills.get(&file.path).is_some() {
            return row;
        }
        let reason = "another host reads it as a part of the plugin; here it is a file that nothing reads";
        let axis = Axis::Components;
        row.became(RowOutcome::Degraded, reason).loss(
            axis.id(),
            axis.floor(),
            (ComponentKind::File, inner.as_str()),
            "",
        )
    }
}

/// The paths within the plugin that a field is, or lists.
pub(super) fn paths(field: &Node) -> Vec<Utf8PathBuf> {
    let texts = field.items().unwrap_or(std::slice::from_ref(field)).iter().filter_map(Node::as_str);
    let paths = texts.map(|text| text.trim_start_matches("./").trim_end_matches('/'));
    paths.filter(|path| !path.is_empty() && *path != ".").map(Utf8PathBuf::from).collect()
}
