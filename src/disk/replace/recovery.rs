//! The leftovers of a killed build next to an output folder: which folders have some, and how the change is completed.
//! A kill during the recovery also leaves one of the two trees complete, and the next build continues.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::super::folder::{self, is_folder, stat};
use super::super::{DiskError, fs_op};
use super::origin::is_own_output;
use super::removal::remove_tree;
use super::{OutputPlace, remove};

/// The staged tree, and after an exchange the old one.
pub(super) const NEW: &str = "new";
/// The old tree, if folders cannot be exchanged.
pub(super) const OLD_TREE: &str = "old";
/// The marker that the two renames have started.
pub(super) const SWAP: &str = "swap";

/// The name of a temporary sibling of the folder `name`.
pub(in crate::disk) fn sibling(name: &str, what: &str) -> String {
    format!(".{name}.plugcast-{what}")
}

/// The output folder of a sibling with this name.
fn folder_of(name: &str) -> Option<&str> {
    let (folder, what) = name.strip_prefix('.')?.rsplit_once(".plugcast-")?;
    (!folder.is_empty() && [NEW, OLD_TREE, SWAP].contains(&what)).then_some(folder)
}

/// The path of a temporary sibling of the folder at `path`.
fn sibling_of(path: &Path, what: &str) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(sibling(&name, what))
}

/// The output folders at, above and directly below `path` with an unfinished build, which is running or was killed.
pub fn unfinished_outputs(path: &Path) -> BTreeSet<PathBuf> {
    // A file with such a name is a leftover of the edit of a single file.
    let is_left = |folder: &Path| {
        let kind = |what| fs::symlink_metadata(sibling_of(folder, what));
        kind(SWAP).is_ok() || [NEW, OLD_TREE].iter().any(|what| kind(what).is_ok_and(|meta| meta.is_dir()))
    };
    let names: Vec<_> =
        fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
    let below = names.iter().filter_map(|name| Some(path.join(folder_of(name.to_str()?)?)));
    let around = path.ancestors().filter(|folder| folder.file_name().is_some()).map(Path::to_owned);
    around.chain(below).filter(|folder| is_left(folder)).collect()
}

/// Whether a killed build left both trees next to `folder` and none in its place. Other leftovers do no harm: `folder`
/// is complete.
pub fn is_displaced(folder: &Path) -> bool {
    let meta = |path: &Path| fs::symlink_metadata(path);
    meta(folder).is_err()
        && meta(&sibling_of(folder, SWAP)).is_ok()
        && [NEW, OLD_TREE].iter().any(|what| meta(&sibling_of(folder, what)).is_ok_and(|meta| meta.is_dir()))
}

/// Completes or undoes the change of a killed build. Call it under the lock, before the bundle is read.
///
/// # Errors
/// When a leftover cannot be moved or removed, or is not from a build.
pub fn recover(place: &OutputPlace<'_>) -> Result<(), DiskError> {
    let out = place.out;
    let [stage, old, marker] = [NEW, OLD_TREE, SWAP].map(|what| sibling(place.name, what));
    let swapping = stat(out, marker.as_str()).is_some();
    let displaced = swapping && stat(out, place.name).is_none();
    // A link is never a staged tree, whatever its target.
    let whole = [&stage, &old].into_iter().find(|tree| displaced && is_folder(out, tree.as_str()));
    let bundle = folder::enter(out, whole.map_or(place.name, String::as_str)).ok();
    let against = |name: &String| bundle.as_ref().filter(|_| whole != Some(name));
    let left = if swapping { &[&old, &marker, &stage][..] } else { &[&stage] };
    // Check everything before anything is changed.
    for name in left {
        must_be_ours(place, name, against(name))?;
    }
    if let Some(tree) = whole {
        fs_op::rename(out, tree.as_str(), out, place.name)
            .map_err(|error| DiskError::new("rename", &out.path().join(tree), error))?;
    }
    left.iter().try_for_each(|name| match must_be_ours(place, name, against(name))? {
        Some(tree) => remove_tree(out, name, &tree, out.path()),
        None => remove(out, name, out.path()),
    })
}

/// Checks that a leftover of this name is from a build, and returns it open if it is a folder. A link and an empty file
/// contain nothing to lose. `bundle` contains the foreign files of the old bundle.
fn must_be_ours(
    place: &OutputPlace<'_>,
    name: &str,
    bundle: Option<&OwnedFd>,
) -> Result<Option<OwnedFd>, DiskError> {
    let out = place.out;
    let failed = |error| DiskError::new("remove", &out.path().join(name), error);
    let Some(there) = stat(out, name) else { return Ok(None) };
    let ours = match folder::kind(&there) {
        FileType::Directory => {
            let tree = folder::enter(out, name).map_err(failed)?;
            if is_own_output(&tree, bundle).map_err(failed)? {
                return Ok(Some(tree));
            }
            false
        }
        FileType::Symlink => true,
        _ => there.st_size == 0,
    };
    let foreign = || io::Error::new(io::ErrorKind::AlreadyExists, "no build has written its content");
    if ours { Ok(None) } else { Err(failed(foreign())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::folder::Folder;
    use crate::disk::replace::OWN_FOLDER;

    /// An output folder in the state between the two renames.
    fn between(out: &Path) -> PathBuf {
        let folder = out.join("bundle");
        for (what, text) in [(NEW, "new"), (OLD_TREE, "old")] {
            fs::create_dir_all(sibling_of(&folder, what).join(OWN_FOLDER)).unwrap();
            fs::write(sibling_of(&folder, what).join("x"), text).unwrap();
        }
        fs::write(sibling_of(&folder, SWAP), "").unwrap();
        folder
    }

    fn recovered(out: &Path) {
        let out = Folder::open(out).unwrap();
        recover(&OutputPlace { out: &out, name: "bundle" }).unwrap();
    }

    #[test]
    fn a_killed_swap_is_completed() {
        let out = tempfile::tempdir().unwrap();
        let folder = between(out.path());
        recovered(out.path());
        assert_eq!(fs::read_to_string(folder.join("x")).unwrap(), "new");
        assert_eq!(fs::read_dir(out.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_not_finished_is_found_from_above_and_from_below() {
        let out = tempfile::tempdir().unwrap();
        let folder = between(out.path());
        for from in [out.path().to_owned(), folder.clone(), folder.join("plugins/p/x.md")] {
            assert_eq!(unfinished_outputs(&from), [folder.clone()].into(), "{}", from.display());
        }
        recovered(out.path());
        for name in [".plugcast-new", ".x.md.plugcast-new"] {
            fs::write(out.path().join(name), "").unwrap();
        }
        assert!(unfinished_outputs(&folder).is_empty() && unfinished_outputs(out.path()).is_empty());
    }
}
