//! Writes a whole output folder in one step: the new tree is staged next to the old one, foreign files are linked into
//! it, the two are exchanged, and only then the old one is removed. A kill at any time, or a full disk, leaves one of
//! the two trees complete.

mod origin;
mod recovery;
mod removal;
mod stage;
mod trail;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::PathBuf;

use camino::{Utf8Path, Utf8PathBuf};

use self::recovery::{NEW, OLD_TREE, SWAP};
use self::removal::remove_tree;
use self::stage::StagedTree;
use super::folder::{self, Folder};
use super::{DiskError, Payload, fs_op, open_beneath};
use crate::progress::Progress;

pub use self::recovery::{is_displaced, recover, unfinished_outputs};
pub(super) use self::{recovery::sibling, removal::remove};

/// The folder of plugcast's own documents inside an output folder.
pub const OWN_FOLDER: &str = ".plugcast";

/// The place of a bundle: a name in an open folder.
#[derive(Debug, Clone, Copy)]
pub struct OutputPlace<'a> {
    /// The folder above it.
    pub out: &'a Folder,
    /// Its name there.
    pub name: &'a str,
}

impl OutputPlace<'_> {
    /// Its path.
    pub fn path(&self) -> PathBuf {
        self.out.path().join(self.name)
    }

    /// The existing bundle; `None` if there is none.
    ///
    /// # Errors
    /// When it is a link, not a folder, or access is denied.
    pub fn open(&self) -> Result<Option<Folder>, DiskError> {
        self.out.subfolder(self.name)
    }
}

/// Another process has moved the written or the replaced tree.
#[derive(Debug, thiserror::Error)]
#[error("something else took its place while it was written")]
struct PathDisplaced;

pub(super) fn is_displaced_error(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|error| error.is::<PathDisplaced>())
}

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
pub enum FileChange {
    /// The file is new.
    Added(Utf8PathBuf),
    /// Content or mode differ.
    Changed(Utf8PathBuf),
    /// The last build wrote it, but this one does not.
    Removed(Utf8PathBuf),
}

impl FileChange {
    /// The file that changes.
    pub fn path(&self) -> &Utf8Path {
        match self {
            FileChange::Added(path) | FileChange::Changed(path) | FileChange::Removed(path) => path,
        }
    }
}

/// The changes that writing `files` would make in `folder`, sorted by path; `None` means that there is no folder yet.
/// `owned` are the files that the last build wrote.
///
/// # Errors
/// When an existing file cannot be read.
pub fn changes(
    folder: Option<&Folder>,
    files: &[OutputFile],
    owned: &BTreeSet<Utf8PathBuf>,
) -> Result<Vec<FileChange>, DiskError> {
    let mut out = Vec::new();
    let Some(folder) = folder else {
        out.extend(files.iter().map(|file| FileChange::Added(file.path.clone())));
        out.sort();
        return Ok(out);
    };
    for file in files {
        let as_it_is = open_beneath::open_in(folder, &file.path).and_then(|(mut there, meta)| {
            Ok(!mode_differs(&meta, file.executable)
                && super::has_content(&mut there, meta.len(), &file.payload)?)
        });
        let error = match as_it_is {
            Ok(true) => continue,
            Ok(false) => {
                out.push(FileChange::Changed(file.path.clone()));
                continue;
            }
            Err(error) => error,
        };
        let other = || {
            let parent = folder.parent_of(&file.path).ok();
            let there = parent.and_then(|(parent, name)| folder::stat(parent, name));
            there.is_some_and(|stat| stat.st_mode & 0o777 != mode(file.executable))
        };
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                out.push(FileChange::Added(file.path.clone()));
            }
            // A link, a folder, a special file, or a file without read access.
            io::ErrorKind::InvalidInput | io::ErrorKind::IsADirectory => {
                out.push(FileChange::Changed(file.path.clone()));
            }
            io::ErrorKind::PermissionDenied if other() => out.push(FileChange::Changed(file.path.clone())),
            _ => return Err(DiskError::unread("read", &folder.path().join(&file.path), error)),
        }
    }
    let new: BTreeSet<&Utf8Path> = files.iter().map(|file| file.path.as_path()).collect();
    for path in owned.iter().filter(|path| !new.contains(path.as_path())) {
        // Builds own only files: a listed folder was not written by one.
        let there = folder.parent_of(path).ok().and_then(|(parent, name)| folder::stat(parent, name));
        if there.is_some_and(|stat| folder::kind(&stat) != rustix::fs::FileType::Directory) {
            out.push(FileChange::Removed(path.clone()));
        }
    }
    out.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(out)
}

/// Replaces the folder at `place`, which is currently open as `old`, by exactly `files`, including plugcast's own
/// documents, next to foreign files. Call [`recover`] before. `progress` receives each file.
///
/// # Errors
/// When anything cannot be written; the old tree is kept then. When the old tree cannot be removed: the new one is
/// already in place then, and the next build removes the rest.
pub fn replace(
    place: &OutputPlace<'_>,
    old: Option<&Folder>,
    files: &[OutputFile],
    owned: &BTreeSet<Utf8PathBuf>,
    progress: &Progress,
) -> Result<(), DiskError> {
    let (out, path) = (place.out, place.path());
    let new = sibling(place.name, NEW);
    let mut stage = StagedTree::make(out, &new).map_err(|error| DiskError::new("create", &path, error))?;
    stage.build_tree(&path, files, old, owned, progress).inspect_err(|_| {
        let _ = remove_tree(out, &new, &stage.root, out.path());
    })?;
    let swapped = swap(place, old, &new, &stage);
    // If neither tree could be moved into place, both are kept: the next command decides. Otherwise the staged name
    // refers to the new tree before the swap and to the old one after it, unless something else was put there. Only the
    // first error is reported; the next command removes what cannot be removed here.
    let removed = match old.filter(|_| swapped.is_ok()) {
        _ if folder::stat(out, place.name).is_none() => Ok(()),
        Some(old) => remove_tree(out, &new, old, out.path()),
        None => remove_tree(out, &new, &stage.root, out.path()),
    };
    swapped.and(removed)
}

/// Moves the staged tree into place, and the old one to the staged name or aside. Anything else that appeared under one
/// of these names is moved back.
fn swap(
    place: &OutputPlace<'_>,
    old: Option<&Folder>,
    new: &str,
    stage: &StagedTree,
) -> Result<(), DiskError> {
    let (out, name) = (place.out, place.name);
    let failed = |error: io::Error| DiskError::new("replace", &place.path(), error);
    let displaced = || failed(io::Error::other(PathDisplaced));
    let is_ours = |name: &str| folder::is_same(out, name, &stage.root);
    // Names are compared afterwards, because they could still change before.
    let take_place = || {
        fs_op::rename(out, new, out, name)?;
        if is_ours(name) {
            return Ok(());
        }
        fs_op::rename(out, name, out, new)?;
        Err(io::Error::other(PathDisplaced))
    };
    let Some(old) = old else {
        return if folder::stat(out, name).is_some() {
            Err(displaced())
        } else {
            take_place().map_err(failed)
        };
    };
    let is_old = |name: &str| folder::is_same(out, name, old);
    if fs_op::exchange(out, name, new).map_err(failed)? {
        if is_ours(name) && is_old(new) {
            return Ok(());
        }
        fs_op::exchange(out, name, new).map_err(failed)?;
        return Err(displaced());
    }
    let (aside, marker) = (sibling(name, OLD_TREE), sibling(name, SWAP));
    fs_op::create(out, marker.as_str()).map_err(failed)?;
    let moved = fs_op::rename(out, name, out, aside.as_str()).and_then(|()| {
        let moved = if is_old(&aside) { take_place() } else { Err(io::Error::other(PathDisplaced)) };
        moved.inspect_err(|_| {
            // If this fails too, the next build does it, since the marker is kept.
            let _ = fs_op::rename(out, aside.as_str(), out, name);
        })
    });
    let removed = if folder::stat(out, name).is_some() {
        remove_tree(out, &aside, old, out.path()).and_then(|()| remove(out, &marker, out.path()))
    } else {
        Ok(())
    };
    moved.map_err(failed).and(removed)
}

/// The permission bits of an emitted file.
fn mode(executable: bool) -> u32 {
    if executable { 0o755 } else { 0o644 }
}

/// Whether the permission bits of a file differ from those of an emitted one.
pub(super) fn mode_differs(meta: &fs::Metadata, executable: bool) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o777 != mode(executable)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test looks at what was written")]
mod tests {
    use std::path::Path;

    use super::*;

    fn file(path: &str, text: &str) -> OutputFile {
        OutputFile { path: path.into(), executable: false, payload: Payload::Text(text.into()) }
    }

    fn owned(paths: &[&str]) -> BTreeSet<Utf8PathBuf> {
        paths.iter().map(|path| Utf8PathBuf::from(*path)).collect()
    }

    fn replaced(out: &Path, files: &[OutputFile], owned: &BTreeSet<Utf8PathBuf>) {
        let out = Folder::open(out).unwrap();
        let place = OutputPlace { out: &out, name: "bundle" };
        replace(&place, place.open().unwrap().as_ref(), files, owned, &Progress::default()).unwrap();
    }

    #[test]
    fn keeps_files_of_others_and_removes_only_its_own() {
        let out = tempfile::tempdir().unwrap();
        let folder = out.path().join("bundle");
        replaced(out.path(), &[file("a/one", "1"), file("b", "2")], &owned(&[]));
        fs::write(folder.join("a/mine"), "kept").unwrap();
        fs::create_dir(folder.join("empty")).unwrap();
        replaced(out.path(), &[file("a/two", "3")], &owned(&["a/one", "b"]));
        assert_eq!(fs::read_to_string(folder.join("a/mine")).unwrap(), "kept");
        assert!(folder.join("empty").is_dir() && folder.join("a/two").is_file());
        assert!(!folder.join("a/one").exists() && !folder.join("b").exists());
        assert_eq!(fs::read_dir(out.path()).unwrap().count(), 1, "nothing is left beside the folder");
    }

    #[test]
    fn changes_compare_content_and_mode() {
        let out = tempfile::tempdir().unwrap();
        let files = [file("a", "1"), file("b", "2")];
        replaced(out.path(), &files, &owned(&[]));
        let folder = Folder::open(&out.path().join("bundle")).unwrap();
        assert_eq!(changes(Some(&folder), &files, &owned(&["a", "b"])).unwrap(), []);
        let next = [file("a", "x"), file("c", "3")];
        let found = changes(Some(&folder), &next, &owned(&["a", "b"])).unwrap();
        assert_eq!(
            found,
            [FileChange::Changed("a".into()), FileChange::Removed("b".into()), FileChange::Added("c".into())]
        );
    }
}
