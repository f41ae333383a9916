//! The source that bundles are compared with: the one that is named, the one that was just built, or a folder around a
//! bundle whose files are those that the bundle was built from.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::build::{self, SourceRequest};
use crate::cli::Failure;
use crate::cli::build::config_of;
use crate::drivers::loaded;
use crate::drivers::source::{self, Against, Renames};
use crate::process::activity;
use crate::target::Targets;

/// What is known of the source.
pub struct Wanted<'a> {
    /// The folder that the command line names.
    pub named: Option<&'a Path>,
    /// The folder that was just built.
    pub built: Option<&'a Path>,
    /// The bundles.
    pub bundles: &'a [PathBuf],
}

/// The source that was found, if any, and what to remark about it.
#[derive(Default)]
pub struct Found {
    /// The source.
    pub against: Option<Against>,
    /// Why no source is compared, or what is odd about it.
    pub note: Option<String>,
}

/// Finds the source.
///
/// # Errors
/// When the folder that the command line names cannot be read as a source.
pub fn find(wanted: &Wanted<'_>, targets: &Targets) -> Result<Found> {
    let digests = wanted.bundles.iter().map(|bundle| Ok(loaded::manifest(bundle)?.source_digest));
    let digests: Vec<String> = digests.collect::<Result<_>>()?;
    if let Some(folder) = wanted.named.or(wanted.built) {
        activity::set(format!("reading `{}`", folder.display()));
        let (digest, renames) = read(folder, wanted.bundles, targets)?;
        let changed = digests.iter().any(|known| *known != digest);
        let note =
            changed.then(|| format!("`{}` has changed since a bundle was built from it", folder.display()));
        return Ok(Found { against: Some(Against::new(folder, renames)), note });
    }
    let Some(bundle) = wanted.bundles.first() else { return Ok(Found::default()) };
    let mut note = None;
    for folder in around(bundle, targets) {
        activity::set(format!("reading `{}`", folder.display()));
        match read(&folder, wanted.bundles, targets) {
            Ok((digest, renames)) if digests.iter().all(|known| *known == digest) => {
                return Ok(Found { against: Some(Against::new(&folder, renames)), note: None });
            }
            Ok(_) => {
                let changed = format!(
                    "not compared with the source host: `{}` is not what the bundle was built from; pass `--against SRC`",
                    folder.display()
                );
                note.get_or_insert(changed);
            }
            // It is no source after all.
            Err(_) => {}
        }
    }
    Ok(Found { against: None, note })
}

/// Folders around a bundle that may be its source: up to the top of their repository; without one, the folder of all
/// bundles and the one around it.
fn around(bundle: &Path, targets: &Targets) -> Vec<PathBuf> {
    let Ok(bundle) = crate::disk::canonical(bundle) else { return Vec::new() };
    let above: Vec<&Path> = bundle.ancestors().skip(1).collect();
    let top = above.iter().position(|folder| folder.join(".git").exists());
    let above = &above[..top.map_or(2, |top| top + 1).min(above.len())];
    above
        .iter()
        .filter(|folder| build::is_source(folder, targets))
        .map(|folder| (*folder).to_owned())
        .collect()
}

/// The digest of a source's files, and the names that its settings change.
fn read(folder: &Path, bundles: &[PathBuf], targets: &Targets) -> Result<(String, Renames)> {
    let (config, _) = config_of(folder)?;
    let out = bundles.iter().filter_map(|bundle| bundle.parent()).map(Path::to_path_buf);
    let outputs = bundles.iter().cloned().chain(out).collect();
    // A name that nothing gives changes neither.
    let name = Some("source".to_owned()).filter(|_| config.build.name.is_none());
    let mut request =
        SourceRequest { src: folder.to_owned(), name, outputs, config, ..SourceRequest::default() };
    request.config.build.marketplace.get_or_insert_with(|| "source".to_owned());
    let gathered = build::gather(&request, targets).map_err(Failure::from)?;
    let digest = build::digest(&gathered).map_err(Failure::from)?;
    let (project, _) = build::understand(gathered, &request, targets).map_err(Failure::from)?;
    Ok((digest, source::renames(&project)))
}
