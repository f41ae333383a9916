//! The source that bundles are compared with: the one given, the one just built, or a folder around a bundle whose
//! files are those that the bundle was built from.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use camino::Utf8Path;

use super::loaded_bundle;
use super::source::{self, ComparisonSource, HostRenames};
use crate::build::{self, SourceRequest};
use crate::bundle::BundleManifest;
use crate::compile::Discovery;
use crate::disk::{self, open_beneath};
use crate::git::Git;
use crate::progress::Progress;
use crate::target::Targets;

/// What is known about the source.
#[derive(Clone, Copy)]
pub(super) struct WantedSource<'a> {
    /// The folder that the command line names.
    pub(super) named: Option<&'a Path>,
    /// The folder that was just built.
    pub(super) built: Option<&'a Path>,
    /// The bundles.
    pub(super) bundles: &'a [PathBuf],
    /// Git in a folder.
    pub(super) git: &'a dyn Fn(&Path) -> Git,
    /// All hosts.
    pub(super) targets: &'a Targets,
    /// Receives the progress.
    pub(super) progress: &'a Progress,
}

/// The source that was found, if any, and a remark about it.
#[derive(Default)]
pub(super) struct FoundSource {
    /// The source.
    pub(super) against: Option<ComparisonSource>,
    /// Why no source is compared, or a warning about it.
    pub(super) note: Option<String>,
}

/// Finds the source.
///
/// # Errors
/// When the folder that the command line names cannot be read as a source.
pub(super) fn find(wanted: &WantedSource<'_>) -> Result<FoundSource> {
    let manifests: Vec<BundleManifest> =
        wanted.bundles.iter().map(|bundle| loaded_bundle::manifest(bundle)).collect::<Result<_>>()?;
    let digests: Vec<&str> = manifests.iter().map(|manifest| manifest.source_digest.as_str()).collect();
    if let Some(folder) = wanted.named.or(wanted.built) {
        wanted.progress.set(format!("reading `{}`", folder.display()));
        let (digest, renames) = read(folder, wanted)?;
        let changed = digests.iter().any(|known| *known != digest);
        let note =
            changed.then(|| format!("`{}` has changed since a bundle was built from it", folder.display()));
        return Ok(FoundSource { against: Some(ComparisonSource::new(folder, renames)), note });
    }
    let (Some(bundle), Some(manifest)) = (wanted.bundles.first(), manifests.first()) else {
        return Ok(FoundSource::default());
    };
    let mut note = None;
    for folder in candidate_folders(bundle, manifest, wanted.targets) {
        wanted.progress.set(format!("reading `{}`", folder.display()));
        match read(&folder, wanted) {
            Ok((digest, renames)) if digests.iter().all(|known| *known == digest) => {
                return Ok(FoundSource {
                    against: Some(ComparisonSource::new(&folder, renames)),
                    note: None,
                });
            }
            Ok(_) => {
                let changed = format!(
                    "not compared with the source host: `{}` is not what the bundle was built from; pass `--against SRC`",
                    folder.display()
                );
                note.get_or_insert(changed);
            }
            // Not a source after all.
            Err(_) => {}
        }
    }
    Ok(FoundSource { against: None, note })
}

/// Folders around a bundle that may be its source: up to the top of their repository; without one, the folder of all
/// bundles and the one around it.
fn candidate_folders(bundle: &Path, manifest: &BundleManifest, targets: &Targets) -> Vec<PathBuf> {
    let Ok(bundle) = disk::canonical(bundle) else { return Vec::new() };
    let above: Vec<&Path> = bundle.ancestors().skip(1).collect();
    let top = above.iter().position(|folder| disk::kind(&folder.join(".git")).is_some());
    let above = &above[..top.map_or(2, |top| top + 1).min(above.len())];
    above
        .iter()
        .filter(|folder| holds_most(folder, manifest) && build::is_source(folder, targets))
        .map(|folder| (*folder).to_owned())
        .collect()
}

/// Whether most of the source files that the bundle lists are in `folder`. Only then is it read completely: the folder
/// around a bundle may be `/tmp` or the root of the file system.
fn holds_most(folder: &Path, manifest: &BundleManifest) -> bool {
    let named: BTreeSet<&str> = manifest.files.iter().filter_map(|file| file.from.as_deref()).collect();
    let is_there =
        |path: &&&str| open_beneath::is_inner(Utf8Path::new(path)) && disk::is_file(&folder.join(path));
    named.iter().filter(is_there).count() * 2 > named.len()
}

/// The digest of a source's files, and the names that its settings change.
fn read(folder: &Path, wanted: &WantedSource<'_>) -> Result<(String, HostRenames)> {
    let (mut request, _) = SourceRequest::load(folder)?;
    let out = wanted.bundles.iter().filter_map(|bundle| bundle.parent()).map(Path::to_path_buf);
    request.outputs = wanted.bundles.iter().cloned().chain(out).collect();
    // A default name changes neither.
    request.name = Some("source".to_owned()).filter(|_| request.config.build.name.is_none());
    request.config.build.marketplace.get_or_insert_with(|| "source".to_owned());
    request.git = Some((wanted.git)(folder));
    request.progress = wanted.progress.clone();
    let discovery = Discovery::new(&request, wanted.targets)?;
    let digest = discovery.digest()?;
    let source = discovery.read()?;
    Ok((digest, source::renames(&source.project)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::plain_files;

    #[test]
    fn a_folder_around_a_bundle_is_read_only_where_it_holds_what_the_bundle_was_built_from() {
        let top = tempfile::tempdir().unwrap();
        let targets = Targets::embedded().unwrap();
        // A folder of plugins, like `/tmp`.
        plain_files::write(&top.path().join("other/SKILL.md"), b"Text.", false).unwrap();
        let manifest: BundleManifest = serde_json::from_value(serde_json::json!({
            "schema": "", "plugcast": "", "target": "codex", "source_digest": "", "digest": "", "helpers": [],
            "files": [
                { "path": "a", "mode": "0644", "size": 0, "sha256": "", "from": "skills/plan/SKILL.md" },
                { "path": "b", "mode": "0644", "size": 0, "sha256": "", "from": "../other/SKILL.md" },
                { "path": "c", "mode": "0644", "size": 0, "sha256": "", "from": "skills/plan/notes.md" },
                { "path": "d", "mode": "0644", "size": 0, "sha256": "" },
            ],
        }))
        .unwrap();
        let bundle = top.path().join("codex");
        plain_files::write(&bundle.join(".plugcast/manifest.json"), b"{}", false).unwrap();
        let found = || candidate_folders(&bundle, &manifest, &targets);
        assert_eq!(found(), Vec::<PathBuf>::new());
        plain_files::write(&top.path().join("skills/plan/SKILL.md"), b"Text.", false).unwrap();
        assert_eq!(found(), Vec::<PathBuf>::new());
        plain_files::write(&top.path().join("skills/plan/notes.md"), b"Text.", false).unwrap();
        assert_eq!(found(), [disk::canonical(top.path()).unwrap()]);
    }
}
