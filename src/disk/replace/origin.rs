//! Whether a file next to an output folder is a leftover of a killed build. Anybody may create a file with such a name,
//! and only plugcast's own files may be moved or removed.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Dir, FileType, Stat, readlinkat};

use super::super::folder::{self, MOST_DEPTH};
use super::OWN_FOLDER;

/// Whether a build wrote the open `tree`: it contains the folder of plugcast's own documents, which is written first
/// and removed last, or nothing would be lost, since `place`, the bundle, contains everything in it.
pub(super) fn is_own_output(tree: &OwnedFd, place: Option<&OwnedFd>) -> io::Result<bool> {
    if folder::is_folder(tree, OWN_FOLDER) {
        return Ok(true);
    }
    is_kept(tree, place, 0)
}

/// Whether everything in `tree` is also in `place`: a build has linked the foreign files of the old bundle there.
fn is_kept(tree: &OwnedFd, place: Option<&OwnedFd>, depth: usize) -> io::Result<bool> {
    if depth == MOST_DEPTH {
        return Ok(false);
    }
    let mut dir = Dir::read_from(tree)?;
    for (name, kind) in folder::names(&mut dir)? {
        let kept = match kind {
            FileType::Directory => {
                let (inner, other) =
                    (folder::enter(tree, &name), place.map(|place| folder::enter(place, &name)));
                is_kept(&inner?, other.transpose().ok().flatten().as_ref(), depth + 1)?
            }
            FileType::Symlink => place.is_some_and(|place| is_same_link(tree, place, &name)),
            _ => place.is_some_and(|place| is_same_file(tree, place, &name)),
        };
        if !kept {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_same_file(tree: impl AsFd, place: impl AsFd, name: &CStr) -> bool {
    let id = |stat: Stat| (stat.st_dev, stat.st_ino);
    let there = folder::stat(tree, name).map(id);
    there.is_some() && there == folder::stat(place, name).map(id)
}

fn is_same_link(tree: impl AsFd, place: impl AsFd, name: &CStr) -> bool {
    let there = readlinkat(tree, name, Vec::new());
    there.is_ok_and(|there| readlinkat(place, name, Vec::new()).is_ok_and(|other| other == there))
}
