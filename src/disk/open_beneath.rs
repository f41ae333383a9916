//! Opens paths beneath a folder, one name at a time and never through a link: if a folder or file is swapped for a link
//! during a read, the result is an error and never a file from elsewhere.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use camino::{Utf8Component, Utf8Path};
use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, openat};
use rustix::io::Errno;
use rustix::path::Arg;

use super::reader;

/// The flags to open a folder that the user named.
pub(super) const NAMED_FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// The flags to open any other folder.
pub(super) const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// The flags to open a file, without blocking on a pipe or a device.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Whether `path` stays below the folder to which it is relative, lexically.
pub fn is_inner(path: &Utf8Path) -> bool {
    !path.as_str().is_empty() && path.components().all(|part| matches!(part, Utf8Component::Normal(_)))
}

/// Opens the regular file at `path`, relative to `root`, for reading. `root` itself may be a link.
///
/// # Errors
/// When a part of `path` is a link or `..`, or it is not a regular file.
pub fn open(root: &Path, path: &Utf8Path) -> io::Result<File> {
    Ok(open_in(&open_folder(root, "".into())?, path)?.0)
}

/// The same in an open folder, with the metadata of the file.
///
/// # Errors
/// When a part of `path` is a link or `..`, or it is not a regular file.
pub fn open_in(root: impl AsFd, path: &Utf8Path) -> io::Result<(File, Metadata)> {
    if !is_inner(path) {
        return Err(outside_error());
    }
    let file = File::from(without_following(root.as_fd(), path.as_std_path(), FILE).map_err(without_links)?);
    let meta = reader::must_be_regular(&file)?;
    Ok((file, meta))
}

/// Opens the regular file of this name in an open folder for reading.
///
/// # Errors
/// When it is a link or not a regular file.
pub(super) fn open_one(at: impl AsFd, name: impl Arg) -> io::Result<File> {
    let file = File::from(openat(at, name, FILE, Mode::empty()).map_err(without_links)?);
    reader::must_be_regular(&file)?;
    Ok(file)
}

/// Opens the regular file at `path` for reading, which had no link in it when it was found; a link in it now was put
/// there since. Also returns the metadata of the file.
///
/// # Errors
/// When a part of `path` is a link, or it is not a regular file.
pub fn open_in_place(path: &Path) -> io::Result<(File, Metadata)> {
    let file = File::from(without_following(CWD, path, FILE).map_err(replaced_error)?);
    let meta = reader::must_be_regular(&file)?;
    Ok((file, meta))
}

/// The names in the folder at `path`, which had no link in it when it was found, with the type of each.
///
/// # Errors
/// When a part of `path` is a link, or it is not a folder.
pub fn list_in_place(path: &Path) -> io::Result<Vec<(OsString, FileType)>> {
    let folder = without_following(CWD, path, FOLDER).map_err(replaced_error)?;
    let mut names = Vec::new();
    for entry in Dir::new(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push((OsStr::from_bytes(name).to_owned(), entry.file_type()));
        }
    }
    Ok(names)
}

/// Opens the folder at `path`, which has no `..`, in an open one.
///
/// # Errors
/// When a part of `path` is a link or not a folder.
pub(super) fn folder_in(root: BorrowedFd<'_>, path: &Utf8Path) -> io::Result<OwnedFd> {
    without_following(root, path.as_std_path(), FOLDER).map_err(without_links)
}

/// Opens `path`, which has no `..`, without following a link in any part of it.
fn without_following(at: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    #[cfg(target_os = "linux")]
    match rustix::fs::openat2(at, path, flags, Mode::empty(), rustix::fs::ResolveFlags::NO_SYMLINKS) {
        // An old kernel, or a sandbox that does not support this call.
        Err(Errno::NOSYS | Errno::PERM) => {}
        opened => return opened,
    }
    part_by_part(at, path, flags)
}

fn part_by_part(at: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let start = if path.has_root() { "/" } else { "." };
    let mut folder = openat(at, start, FOLDER, Mode::empty())?;
    let mut parts = path.components().filter(|part| matches!(part, Component::Normal(_))).peekable();
    while let Some(part) = parts.next() {
        let flags = if parts.peek().is_some() { FOLDER } else { flags };
        folder = openat(&folder, part.as_os_str(), flags, Mode::empty())?;
    }
    Ok(folder)
}

/// A link causes `ELOOP`, or `ENOTDIR` where a folder is expected; a socket cannot be opened at all.
fn replaced_error(error: Errno) -> io::Error {
    match error {
        Errno::LOOP | Errno::NOTDIR => io::Error::new(io::ErrorKind::InvalidInput, LinkInPlace),
        error => reader::unopened(error.into()),
    }
}

/// Why a file that existed before cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("a link took its place")]
pub struct LinkInPlace;

/// Opens the folder at `path`, relative to `root`; `root` itself for an empty path.
///
/// # Errors
/// When a part of `path` is a link, `..`, or not a folder.
pub fn open_folder(root: &Path, path: &Utf8Path) -> io::Result<OwnedFd> {
    if !path.as_str().is_empty() && !is_inner(path) {
        return Err(outside_error());
    }
    let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    let mut folder = openat(CWD, root, NAMED_FOLDER, Mode::empty())?;
    for part in path.components() {
        folder = openat(&folder, part.as_str(), FOLDER, Mode::empty()).map_err(without_links)?;
    }
    Ok(folder)
}

pub(super) fn outside_error() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the path leads out of its folder")
}

/// A link causes `ELOOP`, or `ENOTDIR` where a folder is expected.
fn without_links(error: Errno) -> io::Error {
    if error == Errno::LOOP {
        return io::Error::new(io::ErrorKind::InvalidInput, "it is a link, which is not followed here");
    }
    reader::unopened(error.into())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn nothing_is_opened_through_a_link_or_outside() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/b/x"), "x").unwrap();
        fs::write(folder.path().join("secret"), "s").unwrap();
        symlink("../secret", root.join("file")).unwrap();
        symlink("..", root.join("folder")).unwrap();
        symlink("a", root.join("inner")).unwrap();
        assert!(open(&root, "a/b/x".into()).is_ok());
        for path in ["file", "folder/secret", "inner/b/x", "../secret", "a/../a/b/x", "a/b", "a/none", ""] {
            assert!(open(&root, path.into()).is_err(), "{path}");
        }
        let folder_of_root = open_folder(&root, "".into()).unwrap();
        for path in ["a/b/x", "file", "folder/secret", "inner/b/x", "a/none"] {
            let (at, path) = (folder_of_root.as_fd(), Path::new(path));
            let slow = part_by_part(at, path, FILE);
            assert_eq!(slow.is_ok(), without_following(at, path, FILE).is_ok(), "{}", path.display());
        }
        let real = root.canonicalize().unwrap();
        assert!(
            open_in_place(&real.join("a/b/x")).is_ok()
                && part_by_part(CWD, &real.join("a/b/x"), FILE).is_ok()
        );
        assert!(
            open_in_place(&real.join("inner/b/x")).is_err() && list_in_place(&real.join("inner")).is_err()
        );
        assert_eq!(list_in_place(&real.join("a")).unwrap(), [("b".into(), FileType::Directory)]);
        assert!(open_folder(&root, "".into()).is_ok() && open_folder(&root, "a/b".into()).is_ok());
        assert!(open_folder(&root, "inner".into()).is_err());
        assert!(open_folder(&root, "folder".into()).is_err());
    }
}
