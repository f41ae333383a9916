//! A plugin that was made for another host, and has no manifest of the source host: what that host reads and nothing
//! here does, field by field and file by file.

use camino::Utf8PathBuf;
use globset::GlobMatcher;

use super::{Cast, Scene, fields, own_manifest, rows};
use crate::ledger::{Kind, Outcome, Row};
use crate::model::manifest;
use crate::read::frontmatter;
use crate::read::tree::Node;
use crate::source::SourceFile;
use crate::target::Axis;

/// Why a field is not carried.
const UNREAD: &str = "it stands in another host's manifest, of which nothing but the name is read";

/// The manifests of other hosts that name the plugin: the first gives the name.
fn manifests<'a>(scene: &'a Scene<'_>) -> impl Iterator<Item = (&'a str, &'a SourceFile)> {
    let paths = scene.source.foreign_manifests.iter().filter(|_| scene.plugin.manifest.is_none());
    paths.filter_map(|path| Some((path.as_str(), scene.project.tree.get(scene.plugin.root.join(path))?)))
}

/// Rows for what such manifests say.
pub(super) fn manifest_rows(scene: &Scene<'_>, cast: &mut Cast) {
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
            let text = Row::kept(&plugin.name, Kind::Field, "text", &file.path)
                .at(rows::span(file, document.body))
                .became(Outcome::Dropped, UNREAD);
            let rows = fields::plain(&plugin.name, file, &document, Some(UNREAD), None);
            // What it says to the model, and when.
            let axis = Axis::Components;
            let is_name = |row: &Row| row.pointer.as_deref() == Some("/name");
            found.extend(rows.into_iter().chain([text]).map(|row| match is_name(&row) {
                true => row,
                false => {
                    let key = row.name.clone();
                    row.loss(axis.id(), axis.floor(), (Kind::Plugin, &plugin.name), &key)
                }
            }));
        } else if let (Some(node), _) = manifest::read_object(file) {
            found.extend(leaves(scene, file, &node));
        }
        cast.rows.extend(found.into_iter().map(|row| match row.pointer.as_deref() {
            Some("/name") => row.to(&*emitted).became(Outcome::Mapped, "it names the plugin"),
            _ => row,
        }));
    }
}

/// A row for each leaf; what declares a part of the plugin is a loss.
fn leaves(scene: &Scene<'_>, file: &SourceFile, node: &Node) -> Vec<Row> {
    let (plugin, declaring) = (scene.plugin, &scene.source.foreign_fields);
    let rows = node.leaves().into_iter().map(|(pointer, at, _)| {
        let key = pointer.trim_start_matches('/');
        let row = Row::kept(&plugin.name, Kind::Field, key, &file.path)
            .at(rows::span(file, at))
            .pointer(&pointer)
            .became(Outcome::Dropped, UNREAD);
        let axis = Axis::Components;
        match declaring.iter().any(|field| key.split('/').next() == Some(field)) {
            true => row.loss(axis.id(), axis.floor(), (Kind::Plugin, &plugin.name), key),
            false => row,
        }
    });
    rows.collect()
}

/// The files that only the host of the plugin's manifest reads.
pub(super) struct ForeignParts {
    patterns: Vec<GlobMatcher>,
    /// Files and folders that the manifest names.
    named: Vec<Utf8PathBuf>,
}

impl ForeignParts {
    pub(super) fn new(scene: &Scene<'_>) -> Self {
        let (mut patterns, mut named) = (Vec::new(), Vec::new());
        if let Some((path, file)) = manifests(scene).next() {
            let parts = scene.source.foreign_parts.get(path).into_iter().flatten();
            let globs =
                parts.filter_map(|part| globset::GlobBuilder::new(part).literal_separator(true).build().ok());
            patterns.extend(globs.map(|glob| glob.compile_matcher()));
            if let (Some(node), _) = manifest::read_object(file) {
                let fields = node.entries().iter();
                let fields = fields.filter(|field| scene.source.foreign_fields.contains(&field.key));
                fields.for_each(|field| paths(&field.node, &mut named));
            }
        }
        Self { patterns, named }
    }

    /// `row` of `file`, as a loss where that host alone reads it.
    pub(super) fn row(&self, scene: &Scene<'_>, file: &SourceFile, row: Row) -> Row {
        let inner = scene.plugin.inner(&file.path);
        let is_part = self.patterns.iter().any(|pattern| pattern.is_match(inner))
            || self.named.iter().any(|named| inner.starts_with(named));
        if !is_part {
            return row;
        }
        let reason = "another host reads it as a part of the plugin; here it is a file that nothing reads";
        let axis = Axis::Components;
        row.became(Outcome::Degraded, reason).loss(axis.id(), axis.floor(), (Kind::File, inner.as_str()), "")
    }
}

/// The paths within the plugin that a field is, or lists.
fn paths(node: &Node, named: &mut Vec<Utf8PathBuf>) {
    if let Some(items) = node.items() {
        items.iter().for_each(|item| paths(item, named));
    }
    if let Some(text) = node.as_str() {
        let path = text.trim_start_matches("./").trim_end_matches('/');
        named.extend((!path.is_empty() && path != ".").then(|| path.into()));
    }
}
