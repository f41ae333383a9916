//! Compares the files of a bundle with its manifest before a host is started: every byte, every link, and unlisted
//! files. The host loads a copy of exactly the compared bytes.

use anyhow::{Context, Result};
use camino::Utf8Path;

use super::loaded_bundle::LoadedBundle;
use crate::build;
use crate::disk::folder::Folder;
use crate::disk::plain_files;
use crate::process::temporary;
use crate::temp_dir::TempFolder;

/// A copy of the files that match the manifest, and the faults of the others.
pub struct CheckedCopy {
    /// Every listed file that matches the manifest, and nothing else.
    pub folder: TempFolder,
    /// Paths in the bundle, each with a message.
    pub faults: Vec<(String, String)>,
}

impl CheckedCopy {
    /// Copies the listed files of a bundle and compares exactly the copied bytes.
    ///
    /// # Errors
    /// When the copy cannot be written, or the bundle cannot be listed.
    pub fn new(bundle: &LoadedBundle) -> Result<Self> {
        let folder = TempFolder::new()?;
        let files =
            bundle.manifest.files.iter().map(|file| (&file.path, &file.sha256, file.mode.is_executable()));
        let helpers = bundle.manifest.helpers.iter().map(|helper| (&helper.path, &helper.sha256, true));
        let mut faults = Vec::new();
        for (path, sha256, executable) in files.chain(helpers) {
            let to = folder.path().join(path);
            let copied = plain_files::copy_beneath(&bundle.root, Utf8Path::new(path), &to, executable)
                .with_context(|| format!("cannot copy `{path}` to `{}`", temporary::folder().display()))?;
            if copied.as_ref() != Some(sha256) {
                plain_files::remove(&to)?;
                let sentence = format!("`{path}` does not match the manifest; build the bundle again");
                faults.push((path.clone(), sentence));
            }
        }
        for path in build::unlisted(&Folder::open(&bundle.root)?, &bundle.manifest)? {
            let sentence = format!("`{path}` is not in the manifest; move it away");
            faults.push((path, sentence));
        }
        // A plugin may have lost all its files.
        for plugin in &bundle.plugins {
            folder.folder(&format!("plugins/{}", plugin.name))?;
        }
        Ok(Self { folder, faults })
    }
}
