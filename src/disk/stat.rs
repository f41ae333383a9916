//! The kind of file at a path on disk.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::DiskError;
use crate::order;

/// The kind of file at a path, not following links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A file, or anything else.
    File,
}

/// The kind of file at `path`; `None` if it does not exist or is unknown.
pub fn kind(path: &Path) -> Option<FileKind> {
    let meta = fs::symlink_metadata(path).ok()?;
    Some(if meta.is_dir() {
        FileKind::Folder
    } else if meta.is_symlink() {
        FileKind::Link
    } else {
        FileKind::File
    })
}

/// Whether `path` is a link.
pub(super) fn is_link(path: &Path) -> io::Result<bool> {
    Ok(fs::symlink_metadata(path)?.is_symlink())
}

/// Whether `path` is a folder, following links.
pub fn is_folder(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// Whether `path` is a file, following links.
pub fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_file())
}

/// The absolute path with links resolved.
///
/// # Errors
/// When `path` does not exist.
pub fn canonical(path: &Path) -> Result<PathBuf, DiskError> {
    real(path).map_err(|error| DiskError::unread("find", path, error))
}

/// The absolute path with links resolved; returns the error of the system.
pub(super) fn real(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// Whether `path` stays in `top`: lexically, and after the links of its existing part are resolved.
pub fn is_inside(top: &Path, path: &Path) -> bool {
    is_inside_by(top, path, kind, real)
}

/// The same, with `kind` and `real` to inspect the file system.
pub(super) fn is_inside_by(
    top: &Path,
    path: &Path,
    kind: impl Fn(&Path) -> Option<FileKind>,
    real: impl Fn(&Path) -> io::Result<PathBuf>,
) -> bool {
    let top = if top.as_os_str().is_empty() { Path::new(".") } else { top };
    let Ok(real_top) = real(top) else { return false };
    let mut depth = 0_usize;
    for part in path.strip_prefix(top).unwrap_or(path).components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            _ => return false,
        }
    }
    let there = path.ancestors().find(|part| kind(part).is_some());
    there.is_some_and(|part| real(part).is_ok_and(|real| real.starts_with(&real_top)))
}

/// Names directly below `folder` with whether each is a folder (through links), sorted; names that
/// are not valid UTF-8 are left out.
///
/// # Errors
/// When `folder` cannot be listed.
pub fn list(folder: &Path) -> Result<Vec<(String, bool)>, DiskError> {
    let failed = |error| DiskError::unread("list", folder, error);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if let Ok(name) = entry.file_name().into_string() {
            let folder = match entry.file_type() {
                Ok(kind) if !kind.is_symlink() => kind.is_dir(),
                _ => is_folder(&entry.path()),
            };
            names.push((name, folder));
        }
    }
    order::sort(&mut names);
    Ok(names)
}

/// The targets of the symbolic links directly below `folder`; empty if it cannot be listed.
pub fn links(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let target = |entry: fs::DirEntry| fs::read_link(entry.path()).ok()?.into_os_string().into_string().ok();
    entries.filter_map(|entry| target(entry.ok()?)).collect()
}
