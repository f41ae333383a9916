//! Writes a whole output folder in one step: the new tree is staged beside the old one, files of
//! others are linked into it, the two are exchanged, and only then the old one goes. A kill at any
//! moment leaves one of the two trees, whole, and so does a full disk.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

mod recovery;
mod stage;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};

use self::recovery::{NEW, OLD, SWAP};
use super::{DiskError, Payload, beneath, step};

pub use self::recovery::{is_displaced, recover, unfinished};
pub(super) use self::recovery::{remove, sibling};

/// The folder of our own documents inside an output folder.
pub const OWN_FOLDER: &str = ".plugcast";

/// One file of the new tree.
#[derive(Debug, Clone)]
pub struct OutputFile {
    /// Path relative to the output folder.
    pub path: Utf8PathBuf,
    /// Mode 0755 instead of 0644.
    pub executable: bool,
    /// The content.
    pub payload: Payload,
}

/// A change that a build would make to one file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// The file is not there yet.
    Added(Utf8PathBuf),
    /// Content or mode differ.
    Changed(Utf8PathBuf),
    /// The last build wrote it, this one does not.
    Removed(Utf8PathBuf),
}

impl Change {
    /// The file that changes.
    pub fn path(&self) -> &Utf8Path {
        match self {
            Change::Added(path) | Change::Changed(path) | Change::Removed(path) => path,
        }
    }
}

/// What writing `files` would change in `folder`, sorted by path. `owned` are the files that the
/// last build wrote.
///
/// # Errors
/// When a file that is there cannot be read.
pub fn changes(
    folder: &Path,
    files: &[OutputFile],
    owned: &BTreeSet<Utf8PathBuf>,
) -> Result<Vec<Change>, DiskError> {
    let mut out = Vec::new();
    if fs::symlink_metadata(folder).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        out.extend(files.iter().map(|file| Change::Added(file.path.clone())));
        out.sort();
        return Ok(out);
    }
    let root =
        beneath::open_folder(folder, "".into()).map_err(|error| DiskError::new("open", folder, error))?;
    for file in files {
        let as_it_is = beneath::open_in(&root, &file.path).and_then(|(mut there, meta)| {
            Ok(!mode_differs(&meta, file.executable) && super::holds(&mut there, meta.len(), &file.payload)?)
        });
        let error = match as_it_is {
            Ok(true) => continue,
            Ok(false) => {
                out.push(Change::Changed(file.path.clone()));
                continue;
            }
            Err(error) => error,
        };
        let path = folder.join(&file.path);
        let other = || fs::symlink_metadata(&path).is_ok_and(|meta| mode_differs(&meta, file.executable));
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                out.push(Change::Added(file.path.clone()));
            }
            // A link, a folder or a special file, or one that is closed.
            io::ErrorKind::InvalidInput | io::ErrorKind::IsADirectory => {
                out.push(Change::Changed(file.path.clone()));
            }
            io::ErrorKind::PermissionDenied if other() => out.push(Change::Changed(file.path.clone())),
            _ => return Err(DiskError::new("read", &path, error)),
        }
    }
    let new: BTreeSet<&Utf8Path> = files.iter().map(|file| file.path.as_path()).collect();
    for path in owned {
        // A build writes files: whatever lists a folder has not written it.
        let is_file = fs::symlink_metadata(folder.join(path)).is_ok_and(|meta| !meta.is_dir());
        if !new.contains(path.as_path()) && is_file {
            out.push(Change::Removed(path.clone()));
        }
    }
    out.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(out)
}

/// Makes `folder` hold exactly `files`, our own documents among them, beside the files of others.
/// Call [`recover`] before.
///
/// # Errors
/// When anything cannot be written; the old tree stays then. When the old tree cannot be removed: the
/// new one is in its place then, and the next build removes what is left.
pub fn replace(folder: &Path, files: &[OutputFile], owned: &BTreeSet<Utf8PathBuf>) -> Result<(), DiskError> {
    let stage = sibling(folder, NEW);
    stage::fill(folder, &stage, files, owned).inspect_err(|_| {
        let _ = remove(&stage);
    })?;
    let swapped = swap(folder, &stage);
    // Where neither tree could be moved into its place, both are needed: the next command decides.
    // Else this is the new tree before the swap and the old one after it. The first error is the one
    // to report; what cannot be removed here is removed by the next command.
    let removed = if folder.exists() { remove(&stage) } else { Ok(()) };
    swapped.and(removed)
}

fn swap(folder: &Path, stage: &Path) -> Result<(), DiskError> {
    let failed = |error: io::Error| DiskError::new("replace", folder, error);
    if !folder.exists() {
        return step::rename(stage, folder).map_err(failed);
    }
    if step::exchange(stage, folder).map_err(failed)? {
        return Ok(());
    }
    let (old, marker) = (sibling(folder, OLD), sibling(folder, SWAP));
    step::create(&marker).map_err(failed)?;
    let moved = step::rename(folder, &old).and_then(|()| {
        step::rename(stage, folder).inspect_err(|_| {
            // If this fails too, the next build does it, since the marker stays.
            let _ = step::rename(&old, folder);
        })
    });
    let removed = if folder.exists() { remove(&old).and_then(|()| remove(&marker)) } else { Ok(()) };
    moved.map_err(failed).and(removed)
}

#[cfg(unix)]
pub(super) fn mode_differs(meta: &fs::Metadata, executable: bool) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o777 != if executable { 0o755 } else { 0o644 }
}

#[cfg(not(unix))]
pub(super) fn mode_differs(_: &fs::Metadata, _: bool) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> OutputFile {
        OutputFile { path: path.into(), executable: false, payload: Payload::Text(text.into()) }
    }

    fn owned(paths: &[&str]) -> BTreeSet<Utf8PathBuf> {
        paths.iter().map(|path| Utf8PathBuf::from(*path)).collect()
    }

    #[test]
    fn keeps_files_of_others_and_removes_only_its_own() {
        let out = tempfile::tempdir().unwrap();
        let folder = out.path().join("bundle");
        replace(&folder, &[file("a/one", "1"), file("b", "2")], &owned(&[])).unwrap();
        fs::write(folder.join("a/mine"), "kept").unwrap();
        fs::create_dir(folder.join("empty")).unwrap();
        replace(&folder, &[file("a/two", "3")], &owned(&["a/one", "b"])).unwrap();
        assert_eq!(fs::read_to_string(folder.join("a/mine")).unwrap(), "kept");
        assert!(folder.join("empty").is_dir() && folder.join("a/two").is_file());
        assert!(!folder.join("a/one").exists() && !folder.join("b").exists());
        assert_eq!(fs::read_dir(out.path()).unwrap().count(), 1, "nothing is left beside the folder");
    }

    #[test]
    fn changes_compare_content_and_mode() {
        let out = tempfile::tempdir().unwrap();
        let folder = out.path().join("bundle");
        let files = [file("a", "1"), file("b", "2")];
        replace(&folder, &files, &owned(&[])).unwrap();
        assert_eq!(changes(&folder, &files, &owned(&["a", "b"])).unwrap(), []);
        let next = [file("a", "x"), file("c", "3")];
        let found = changes(&folder, &next, &owned(&["a", "b"])).unwrap();
        assert_eq!(
            found,
            [Change::Changed("a".into()), Change::Removed("b".into()), Change::Added("c".into())]
        );
    }
}
