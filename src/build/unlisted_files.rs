//! What lies in a bundle and is not listed by its manifest: hosts find skills, agents and commands by folder, so it is
//! loaded with the rest, and no build answers for it.

use std::collections::BTreeSet;
use std::path::Path;

use camino::Utf8PathBuf;

use super::BuildError;
use super::output::manifest_of;
use crate::bundle::BundleManifest;
use crate::diagnostic::{Diagnostic, Severity};
use crate::disk::folder::Folder;
use crate::disk::foreign_files;

/// What to do about it.
pub const HELP: &str = "look at it, and move it away";

/// What lies beside the listed files of a bundle in the folders that a host is given, sorted.
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

/// A finding for each of them; messages name the folder as `shown`.
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
        Diagnostic::whole(&place, severity, "bundle-unlisted", message).help(HELP)
    };
    Ok(unlisted(folder, manifest)?.into_iter().map(finding).collect())
}

/// The same for the bundle that stands in `folder`; none where no bundle stands there.
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
