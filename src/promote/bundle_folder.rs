//! The folders of a repository that hold bundles, whose files a build writes again.

use std::collections::BTreeSet;

use camino::Utf8Path;

use crate::bundle::BundleManifest;
use crate::disk::replace::OWN_FOLDER;
use crate::source::{SourceFile, SourceTree};

/// The document that makes a folder a bundle.
const MANIFEST: &str = ".plugcast/manifest.json";

/// A folder with a bundle.
pub(super) struct BundleFolder<'a> {
    path: &'a Utf8Path,
    /// The files in its manifest; `None` if that cannot be read.
    listed: Option<BTreeSet<String>>,
}

impl<'a> BundleFolder<'a> {
    fn from_manifest(manifest: &'a SourceFile) -> Option<Self> {
        let path = manifest.path.parent()?.parent()?;
        let read: Option<BundleManifest> = serde_json::from_str(manifest.text().unwrap_or_default()).ok();
        let listed = read.map(|manifest| {
            let files = manifest.files.into_iter().map(|file| file.path);
            files.chain(manifest.helpers.into_iter().map(|helper| helper.path)).collect()
        });
        Some(Self { path, listed })
    }

    /// Whether the file at `path` is in it.
    pub(super) fn contains(&self, path: &Utf8Path) -> bool {
        path.starts_with(self.path)
    }

    /// Whether a build writes the file at `path` of it.
    pub(super) fn writes(&self, path: &Utf8Path) -> bool {
        let inner = path.strip_prefix(self.path).unwrap_or(path);
        let is_listed = |listed: &BTreeSet<String>| listed.contains(inner.as_str());
        inner.starts_with(OWN_FOLDER) || self.listed.as_ref().is_none_or(is_listed)
    }
}

/// All folders with a bundle.
pub(super) fn bundles(files: &SourceTree) -> Vec<BundleFolder<'_>> {
    let manifests = files.files().filter(|file| file.path.as_str().ends_with(MANIFEST));
    manifests.filter_map(BundleFolder::from_manifest).collect()
}
