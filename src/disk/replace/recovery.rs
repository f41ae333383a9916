//! What a killed build left beside an output folder: which folders have something, and how it is
//! completed. A kill while it is completed leaves one of the two trees whole as well, and the next
//! build goes on.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::super::{DiskError, step};

/// The tree that is staged, and after an exchange the old one.
pub(super) const NEW: &str = "new";
/// The old tree, where folders cannot be exchanged.
pub(super) const OLD: &str = "old";
/// Says that two renames have begun.
pub(super) const SWAP: &str = "swap";

/// Where something of `folder` lies while it is replaced.
pub(in crate::disk) fn sibling(folder: &Path, what: &str) -> PathBuf {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    folder.with_file_name(format!(".{name}.plugcast-{what}"))
}

/// The output folder beside which something of this name lies.
fn folder_of(name: &str) -> Option<&str> {
    let (folder, what) = name.strip_prefix('.')?.rsplit_once(".plugcast-")?;
    (!folder.is_empty() && [NEW, OLD, SWAP].contains(&what)).then_some(folder)
}

/// The output folders at, above and right below `path` that a build has not finished: it runs, or it
/// was killed.
pub fn unfinished(path: &Path) -> BTreeSet<PathBuf> {
    // A file of such a name is what an edit of one file left.
    let is_left = |folder: &Path| {
        let kind = |what| fs::symlink_metadata(sibling(folder, what));
        kind(SWAP).is_ok() || [NEW, OLD].iter().any(|what| kind(what).is_ok_and(|meta| meta.is_dir()))
    };
    let names: Vec<_> =
        fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
    let below = names.iter().filter_map(|name| Some(path.join(folder_of(name.to_str()?)?)));
    let around = path.ancestors().filter(|folder| folder.file_name().is_some()).map(Path::to_owned);
    around.chain(below).filter(|folder| is_left(folder)).collect()
}

/// Whether a killed build left both trees beside `folder` and none in its place. What else it leaves is in nobody's way:
/// `folder` is whole.
pub fn is_displaced(folder: &Path) -> bool {
    let meta = |path: &Path| fs::symlink_metadata(path);
    meta(folder).is_err()
        && meta(&sibling(folder, SWAP)).is_ok()
        && [NEW, OLD].iter().any(|what| meta(&sibling(folder, what)).is_ok_and(|meta| meta.is_dir()))
}

/// Completes or undoes what a killed build left beside `folder`. Call it under the lock, before the
/// folder is read.
///
/// # Errors
/// When a leftover cannot be moved or removed.
pub fn recover(folder: &Path) -> Result<(), DiskError> {
    let (stage, old, marker) = (sibling(folder, NEW), sibling(folder, OLD), sibling(folder, SWAP));
    if fs::symlink_metadata(&marker).is_ok() {
        // A link is no tree of ours, wherever it leads.
        let is_tree = |tree: &Path| fs::symlink_metadata(tree).is_ok_and(|meta| meta.is_dir());
        let whole = [&stage, &old].into_iter().find(|tree| is_tree(tree));
        if let (Err(_), Some(tree)) = (fs::symlink_metadata(folder), whole) {
            step::rename(tree, folder).map_err(|error| DiskError::new("rename", tree, error))?;
        }
        remove(&old)?;
        remove(&marker)?;
    }
    remove(&stage)
}

/// Removes a file, or a folder with all it holds; links are removed, not followed.
pub(in crate::disk) fn remove(path: &Path) -> Result<(), DiskError> {
    let failed = |error| DiskError::new("remove", path, error);
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => {
            let entries = fs::read_dir(path).or_else(|_| {
                // A folder of others may be closed even to its owner.
                step::set_mode(path, 0o700).and_then(|()| fs::read_dir(path))
            });
            let entries: io::Result<Vec<fs::DirEntry>> = entries.and_then(Iterator::collect);
            for entry in entries.map_err(failed)? {
                match remove(&entry.path()) {
                    Err(error) if error.source.kind() == io::ErrorKind::PermissionDenied => {
                        step::set_mode(path, 0o700).map_err(failed)?;
                        remove(&entry.path())?;
                    }
                    result => result?,
                }
            }
            step::remove_folder(path).map_err(failed)
        }
        Ok(_) => step::remove_file(path).map_err(failed),
        Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An output folder as it is between the two renames.
    fn between(out: &Path) -> PathBuf {
        let folder = out.join("bundle");
        for (what, text) in [(NEW, "new"), (OLD, "old")] {
            fs::create_dir(sibling(&folder, what)).unwrap();
            fs::write(sibling(&folder, what).join("x"), text).unwrap();
        }
        fs::write(sibling(&folder, SWAP), "").unwrap();
        folder
    }

    #[test]
    fn a_killed_swap_is_completed() {
        let out = tempfile::tempdir().unwrap();
        let folder = between(out.path());
        recover(&folder).unwrap();
        assert_eq!(fs::read_to_string(folder.join("x")).unwrap(), "new");
        assert_eq!(fs::read_dir(out.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_not_finished_is_found_from_above_and_from_below() {
        let out = tempfile::tempdir().unwrap();
        let folder = between(out.path());
        for from in [out.path().to_owned(), folder.clone(), folder.join("plugins/p/x.md")] {
            assert_eq!(unfinished(&from), [folder.clone()].into(), "{}", from.display());
        }
        recover(&folder).unwrap();
        for name in [".plugcast-new", ".x.md.plugcast-new"] {
            fs::write(out.path().join(name), "").unwrap();
        }
        assert!(unfinished(&folder).is_empty() && unfinished(out.path()).is_empty());
    }
}
