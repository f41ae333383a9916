//! Removes plugcast's own trees through open folders: a folder swapped in meanwhile is not entered, and links are
//! removed, never followed.

use std::ffi::{CStr, OsStr};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Dir, FileType, fstat};

use super::OWN_FOLDER;
use crate::disk::folder::{self, MOST_DEPTH};
use crate::disk::{DiskError, fs_op};

/// The path that could not be removed, relative to the start of the removal, and why.
type RemovalFailure = (PathBuf, io::Error);

/// Removes a file, or a folder with its content, from an open folder at `path`. A missing one is not an error.
pub(in crate::disk) fn remove(at: impl AsFd, name: &str, path: &Path) -> Result<(), DiskError> {
    let Some(stat) = folder::stat(&at, name) else { return Ok(()) };
    let removed = match folder::kind(&stat) {
        FileType::Directory => open(&at, OsStr::new(name)).and_then(|tree| {
            empty_folder(tree, 0).map_err(|failed| below_folder(name.as_ref(), failed))?;
            fs_op::remove_folder(&at, name).map_err(|error| (name.into(), error))
        }),
        _ => fs_op::remove_file(&at, name).map_err(|error| (name.into(), error)),
    };
    removed.map_err(|(inner, error)| DiskError::new("remove", &path.join(inner), error))
}

/// The same for a folder, if it is still the one that is open as `tree`; anything else of this name is kept.
pub(super) fn remove_tree(at: impl AsFd, name: &str, tree: &impl AsFd, path: &Path) -> Result<(), DiskError> {
    if folder::is_same(&at, name, tree) { remove(at, name, path) } else { Ok(()) }
}

fn below_folder(name: &OsStr, (path, error): RemovalFailure) -> RemovalFailure {
    (Path::new(name).join(path), error)
}

fn open(at: impl AsFd, name: &OsStr) -> Result<OwnedFd, RemovalFailure> {
    let opened = folder::enter(&at, name).or_else(|error| match error.kind() {
        // A foreign folder may deny access even to its owner.
        io::ErrorKind::PermissionDenied => {
            fs_op::unlock_folder(&at, name).and_then(|()| folder::enter(&at, name))
        }
        _ => Err(error),
    });
    opened.map_err(|error| (name.into(), error))
}

/// Removes everything in an open folder.
fn empty_folder(tree: OwnedFd, depth: usize) -> Result<(), RemovalFailure> {
    let failed = |error: io::Error| (PathBuf::new(), error);
    if depth == MOST_DEPTH {
        let message = format!("it is more than {MOST_DEPTH} folders deep");
        return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, message)));
    }
    let mut dir = Dir::new(tree).map_err(|error| failed(error.into()))?;
    let mut names = folder::names(&mut dir).map_err(failed)?;
    // The folder that identifies the tree is removed last, so that a killed removal leaves a recognizable tree.
    names.sort_by_key(|(name, _)| depth == 0 && name.to_bytes() == OWN_FOLDER.as_bytes());
    let at = dir.fd().map_err(|error| failed(error.into()))?;
    for (name, kind) in names {
        let shown = OsStr::from_bytes(name.to_bytes());
        if kind == FileType::Directory {
            let inner = open(at, shown)?;
            empty_folder(inner, depth + 1).map_err(|failed| below_folder(shown, failed))?;
        }
        let removed = match remove_entry(at, &name, kind) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && !is_open(at) => {
                fs_op::set_mode(at, 0o700).and_then(|()| remove_entry(at, &name, kind))
            }
            removed => removed,
        };
        removed.map_err(|error| (shown.into(), error))?;
    }
    Ok(())
}

fn remove_entry(at: impl AsFd, name: &CStr, kind: FileType) -> io::Result<()> {
    match kind {
        FileType::Directory => fs_op::remove_folder(at, name),
        _ => fs_op::remove_file(at, name),
    }
}

/// Whether the owner of an open folder may change its content.
fn is_open(at: impl AsFd) -> bool {
    fstat(at).is_ok_and(|stat| stat.st_mode & 0o700 == 0o700)
}
