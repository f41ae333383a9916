//! Plain access by path, for folders that plugcast created: reading, writing with a mode, links, and copying a tree.
//! Files of a repository are read and written by the other files of this module.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use camino::Utf8Path;
use rustix::fs::CWD;
use walkdir::WalkDir;

use super::missing_name::ok_if_missing;
use super::reader::{self, SizeLimit};
use super::{fs_op, open_beneath};
use crate::order;

/// Creates a folder with its parents; an existing one is not an error.
///
/// # Errors
/// When it cannot be made.
pub fn make_folder(path: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = path.ancestors().take_while(|part| !part.is_dir()).collect();
    for part in missing.into_iter().rev().filter(|part| !part.as_os_str().is_empty()) {
        match fs_op::make_folder(CWD, part) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && part.is_dir() => {}
            result => result?,
        }
    }
    Ok(())
}

/// Writes a file with mode 0644 or, if `executable`, 0755, and makes its parent folders.
///
/// # Errors
/// When the file cannot be written.
pub fn write(path: &Path, bytes: &[u8], executable: bool) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        make_folder(parent)?;
    }
    let mut file = fs_op::open(CWD, path)?;
    fs_op::set_size(&file, 0)?;
    fs_op::write(&mut file, bytes)?;
    fs_op::set_mode(&file, if executable { 0o755 } else { 0o644 })
}

/// Creates a separate file at `path`, even if the file system has an equivalent name there (such as one in another
/// case), and its parent folders.
///
/// # Errors
/// When it cannot be made.
pub fn create(path: &Path, bytes: &[u8], executable: bool) -> io::Result<()> {
    let mut file = create_new(path, || fs_op::create(CWD, path))?;
    fs_op::write(&mut file, bytes)?;
    if executable { fs_op::set_mode(&file, 0o755) } else { Ok(()) }
}

/// Creates a new file or link after removing what is in its place and creating its folder.
fn create_new<T>(path: &Path, make: impl Fn() -> io::Result<T>) -> io::Result<T> {
    match make() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => remove(path)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            path.parent().map(make_folder).transpose()?;
        }
        result => return result,
    }
    make()
}

/// Creates a symbolic link at `path` to `target`, and its parent folders.
///
/// # Errors
/// When it cannot be made.
pub fn link(path: &Path, target: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        make_folder(parent)?;
    }
    fs_op::symlink(target, CWD, path)
}

/// Removes a file; a missing one is not an error.
///
/// # Errors
/// When it exists and cannot be removed.
pub fn remove(path: &Path) -> io::Result<()> {
    ok_if_missing(fs_op::remove_file(CWD, path))
}

/// Reads a file as text; bytes that are not valid UTF-8 are replaced.
///
/// # Errors
/// When the file cannot be read.
pub fn read(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&read_bytes(path)?).into_owned())
}

/// Reads a file.
///
/// # Errors
/// When the file cannot be read.
pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    reader::read_file(&reader::open(path)?, SizeLimit::Program)
}

/// Whether a file or folder exists.
pub fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Whether the path is a link, whatever its target.
pub fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink())
}

/// Whether the path is a folder, following links.
pub fn is_folder(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// Whether the path is a regular file, following links.
pub fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_file())
}

/// The size of a regular file, following links.
pub fn size(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|meta| meta.len())
}

/// Whether the path is a regular file that any user may execute.
pub fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// The absolute path with every link resolved.
///
/// # Errors
/// When the path does not exist.
pub fn absolute(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// The names in a folder, sorted; empty if it is not a folder.
pub fn names_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    order::sort(&mut names);
    names
}

/// Copies a folder with everything in it; modes are kept, links are followed.
///
/// # Errors
/// When a file cannot be read or written, or a link points to a folder above it.
pub fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    for entry in WalkDir::new(from).follow_links(true).sort_by_file_name() {
        let entry = entry?;
        let target = to.join(entry.path().strip_prefix(from).unwrap_or(entry.path()));
        if entry.file_type().is_dir() {
            make_folder(&target)?;
        } else {
            fs_op::copy(&mut reader::open(entry.path())?, CWD, &target)?;
        }
    }
    Ok(())
}

/// Copies the regular file at `path` beneath `root`, following no links, and creates the parent folders of the copy.
/// Returns the sha256 of the copied bytes; `None` if there is no such file.
///
/// # Errors
/// When the copy cannot be written.
pub fn copy_beneath(root: &Path, path: &Utf8Path, to: &Path, executable: bool) -> io::Result<Option<String>> {
    let Ok(mut from) = open_beneath::open(root, path) else { return Ok(None) };
    if let Some(parent) = to.parent() {
        make_folder(parent)?;
    }
    let mut file = fs_op::create(CWD, to)?;
    let print = fs_op::write_copy(&mut file, &mut from, SizeLimit::Program.bytes())?;
    fs_op::set_mode(&file, if executable { 0o755 } else { 0o644 })?;
    Ok(Some(print.sha256))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_a_tree_with_modes() {
        let scratch = tempfile::tempdir().unwrap();
        let from = scratch.path().join("from");
        write(&from.join("bin/run"), b"#!/bin/sh\n", true).unwrap();
        write(&from.join("text"), b"words", false).unwrap();
        let to = scratch.path().join("to");
        copy_tree(&from, &to).unwrap();
        assert!(is_executable(&to.join("bin/run")) && !is_executable(&to.join("text")));
        assert_eq!(names_in(&to), ["bin", "text"]);
    }

    /// Regression test: an unlistable folder left an empty copy behind, and a link into itself never terminated.
    #[test]
    fn a_tree_that_cannot_be_copied_whole_is_an_error() {
        let scratch = tempfile::tempdir().unwrap();
        let to = scratch.path().join("to");
        let missing = copy_tree(&scratch.path().join("none"), &to).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        assert!(missing.to_string().contains("none"), "{missing}");
        let from = scratch.path().join("from/below");
        make_folder(&from).unwrap();
        link(&from.join("up"), scratch.path()).unwrap();
        let looping = copy_tree(&scratch.path().join("from"), &to).unwrap_err();
        assert!(looping.to_string().contains("up"), "{looping}");
    }
}
