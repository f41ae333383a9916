//! One side of a comparison: a source, which is built in memory, or bundles on disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use camino::Utf8Path;

use super::inventory::{self, HostInventory, InventorySource};
use crate::build::{self, BuildError, SourceRequest};
use crate::compile::{self, Source};
use crate::diagnostic::{Diagnostic, HostId};
use crate::disk::folder::Folder;
use crate::disk::{self, Payload};
use crate::model::project::Project;
use crate::target::{Target, Targets};

/// One side.
#[derive(Debug)]
#[non_exhaustive]
pub enum ComparisonSide<'a> {
    /// A source.
    Source(&'a Project),
    /// The folder of each host's bundle.
    Bundles(&'a BTreeMap<HostId, PathBuf>),
}

/// Reads a source as the folder `name`.
///
/// # Errors
/// As [`Source::read`].
pub fn source(
    request: SourceRequest,
    name: &str,
    targets: &Targets,
) -> Result<(Project, Vec<Diagnostic>), BuildError> {
    let request = SourceRequest { folder_name: Some(name.to_owned()), ..request };
    let Source { project, findings, .. } = Source::read(&request, targets)?;
    Ok((project, findings))
}

/// The bundles in `folder`, by host: the folder itself, or those directly in it; empty if there are none.
///
/// # Errors
/// When a manifest of a bundle cannot be read.
pub fn bundles(folder: &Path) -> Result<BTreeMap<HostId, PathBuf>, BuildError> {
    let mut found = BTreeMap::new();
    if let Some(manifest) = build::manifest_of(folder)? {
        found.insert(manifest.target, folder.to_owned());
        return Ok(found);
    }
    if disk::is_folder(folder) {
        for (name, is_folder) in disk::list(folder)? {
            // Leftovers of a killed build are not bundles.
            let is_folder = is_folder && !name.starts_with('.');
            let inner = folder.join(name);
            if let Some(manifest) = is_folder.then(|| build::manifest_of(&inner)).transpose()?.flatten() {
                found.insert(manifest.target, inner);
            }
        }
    }
    Ok(found)
}

impl ComparisonSide<'_> {
    /// How many files it has; 0 for bundles, for which it is not yet known.
    pub(super) fn files(&self) -> usize {
        match self {
            ComparisonSide::Source(project) => project.tree.files().count(),
            ComparisonSide::Bundles(_) => 0,
        }
    }

    /// What users of `target` get from this side.
    ///
    /// # Errors
    /// When it cannot be built, or its bundle cannot be read.
    pub fn inventory(&self, target: &Target, targets: &Targets) -> Result<HostInventory, BuildError> {
        match self {
            ComparisonSide::Source(project) => {
                let bundle = compile::compared_bundle(project, target, targets)?;
                let by_path: BTreeMap<&str, &Payload> =
                    bundle.files.iter().map(|file| (file.path.as_str(), &file.payload)).collect();
                let text = |path: &str| match by_path.get(path)? {
                    Payload::Text(text) => Some(text.to_string()),
                    Payload::CopyOf { path, .. } => project.file_system.read_text_in_place(path).ok(),
                };
                Ok(inventory::from_bundle(&InventorySource {
                    target,
                    ledger: &bundle.record.ledger,
                    manifest: &bundle.record.manifest,
                    text: &text,
                }))
            }
            ComparisonSide::Bundles(folders) => {
                let Some(folder) = folders.get(&target.name) else { return Ok(HostInventory::default()) };
                let missing = |what: &str| BuildError::Document {
                    path: folder.clone(),
                    message: format!("it has no {what}, so the bundle is incomplete"),
                };
                let manifest = build::manifest_of(folder)?.ok_or_else(|| missing("manifest"))?;
                let opened = Folder::open(folder)?;
                if let Some(path) = build::unlisted(&opened, &manifest)?.first() {
                    let message = format!(
                        "`{path}` is not in the manifest of the bundle: inspect the file, and move it elsewhere"
                    );
                    return Err(BuildError::Document { path: folder.clone(), message });
                }
                let ledger = build::ledger_of(folder)?.ok_or_else(|| missing("ledger"))?;
                let text = |path: &str| disk::read_text_beneath(folder, Utf8Path::new(path)).ok();
                Ok(inventory::from_bundle(&InventorySource {
                    target,
                    ledger: &ledger,
                    manifest: &manifest,
                    text: &text,
                }))
            }
        }
    }
}
