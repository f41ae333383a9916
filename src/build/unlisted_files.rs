//! Files in a bundle that its manifest does not list: hosts find skills, agents and commands by folder, so they load
//! these files too, although no build wrote them.

use std::collections::BTreeSet;
use std::path::Path;

use camino::Utf8PathBuf;

use super::BuildError;
use super::output::manifest_of;
use crate::bundle::BundleManifest;
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::disk::folder::Folder;
use crate::disk::foreign_files;

/// How to fix it.
pub const HELP: &str = "inspect the file, and move it elsewhere";

/// The unlisted files in the folders of a bundle that a host is given, sorted.
///
/// # Errors
/// When the folder cannot be listed.
pub fn unlisted(folder: &Folder, manifest: &BundleManifest) -> Result<Vec<String>, BuildError> {
    let files = manifest.files.iter().map(|file| &file.path);
    let helpers = manifest.helpers.iter().map(|helper| &helper.path);
    let listed: BTreeSet<Utf8PathBuf> = files.chain(helpers).map(Utf8PathBuf::from).collect();
    let tops: BTreeSet<&str> = listed
        .iter()
        .filter(|path| path.components().count() > 1)
        .filter_map(|path| path.iter().next())
        .collect();
    let is_given =
        |path: &Path| path.iter().next().and_then(|top| top.to_str()).is_some_and(|top| tops.contains(top));
    let found = foreign_files::unlisted(folder, &listed)?;
    Ok(found.iter().filter(|path| is_given(path)).map(|path| path.to_string_lossy().into_owned()).collect())
}

/// One finding per unlisted file; messages name the folder as `shown`.
///
/// # Errors
/// When the folder cannot be listed.
pub fn unlisted_findings(
    folder: &Folder,
    manifest: &BundleManifest,
    shown: &Path,
    severity: Severity,
) -> Result<Vec<Diagnostic>, BuildError> {
    let finding = |path: String| {
        let place = Utf8PathBuf::from(shown.join(path).to_string_lossy().into_owned());
        let message = format!("`{place}` is not in the manifest of its bundle, and hosts may load it");
        Diagnostic::for_file(&place, severity, RuleId::BUNDLE_UNLISTED, message).help(HELP)
    };
    Ok(unlisted(folder, manifest)?.into_iter().map(finding).collect())
}

/// The same for the bundle in `folder`; empty if there is no bundle.
///
/// # Errors
/// When its manifest cannot be read, or the folder cannot be listed.
pub fn unlisted_there(
    folder: &Path,
    shown: &Path,
    severity: Severity,
) -> Result<Vec<Diagnostic>, BuildError> {
    let (Some(manifest), Some(open)) = (manifest_of(folder)?, Folder::open_existing(folder)?) else {
        return Ok(Vec::new());
    };
    unlisted_findings(&open, &manifest, shown, severity)
}
