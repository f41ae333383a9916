//! Opens what lies beneath a folder, one name at a time and never through a link: whoever swaps a folder or a file
//! for a link while it is read gets an error and no file from elsewhere.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use camino::{Utf8Component, Utf8Path};
use rustix::fs::{CWD, Mode, OFlags, openat};

use super::reader;

/// What a folder is opened with.
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// What a file is opened with: a pipe or a device is not waited for.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Whether `path` leads below the folder that it counts from, by its names alone.
pub fn is_inner(path: &Utf8Path) -> bool {
    !path.as_str().is_empty() && path.components().all(|part| matches!(part, Utf8Component::Normal(_)))
}

/// Opens the regular file at `path`, relative to `root`, for reading. `root` itself may be a link.
///
/// # Errors
/// When a part of `path` is a link or `..`, or it is no regular file.
pub fn open(root: &Path, path: &Utf8Path) -> io::Result<File> {
    let Some(name) = path.file_name().filter(|_| is_inner(path)) else { return Err(outside()) };
    let folder = open_folder(root, path.parent().unwrap_or(Utf8Path::new("")))?;
    let file = File::from(openat(&folder, name, FILE, Mode::empty()).map_err(without_links)?);
    reader::must_be_regular(&file)?;
    Ok(file)
}

/// Opens the folder at `path`, relative to `root`; `root` itself for an empty path.
///
/// # Errors
/// When a part of `path` is a link, `..`, or no folder.
pub fn open_folder(root: &Path, path: &Utf8Path) -> io::Result<OwnedFd> {
    if !path.as_str().is_empty() && !is_inner(path) {
        return Err(outside());
    }
    let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    let mut folder = openat(CWD, root, FOLDER.difference(OFlags::NOFOLLOW), Mode::empty())?;
    for part in path.components() {
        folder = openat(&folder, part.as_str(), FOLDER, Mode::empty()).map_err(without_links)?;
    }
    Ok(folder)
}

/// Sees that `path`, relative to `root`, is a folder that no link leads to, as far as it is there.
///
/// # Errors
/// When a part of it is a link or no folder.
pub fn must_be_folder(root: &Path, path: &Utf8Path) -> io::Result<()> {
    match open_folder(root, path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result.map(drop),
    }
}

fn outside() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the path leads out of its folder")
}

/// A link answers `ELOOP`, or `ENOTDIR` where a folder is wanted.
fn without_links(error: rustix::io::Errno) -> io::Error {
    if error == rustix::io::Errno::LOOP {
        return io::Error::new(io::ErrorKind::InvalidInput, "it is a link, which is not followed here");
    }
    error.into()
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
        assert!(open_folder(&root, "".into()).is_ok() && open_folder(&root, "a/b".into()).is_ok());
        assert!(open_folder(&root, "inner".into()).is_err());
        assert!(must_be_folder(&root, "none/at/all".into()).is_ok());
        assert!(must_be_folder(&root, "folder".into()).is_err());
    }
}
