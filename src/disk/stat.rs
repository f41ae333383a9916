//! What stands at a path, on disk or in memory.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::{DiskError, memory};
use crate::order;

/// What stands at a path, links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A file, or anything else.
    File,
}

/// What stands at `path`; `None` when nothing does, or it cannot be known.
pub fn kind(path: &Path) -> Option<FileKind> {
    if let Some(place) = memory::place(path) {
        return place.entry().map(memory::MemoryNode::kind);
    }
    let meta = fs::symlink_metadata(path).ok()?;
    Some(if meta.is_dir() {
        FileKind::Folder
    } else if meta.is_symlink() {
        FileKind::Link
    } else {
        FileKind::File
    })
}

/// Whether `path` is a folder, through links.
pub fn is_folder(path: &Path) -> bool {
    match memory::place(path) {
        Some(place) => place.node().is_ok_and(|node| node.kind() == FileKind::Folder),
        None => fs::metadata(path).is_ok_and(|meta| meta.is_dir()),
    }
}

/// Whether `path` is a file, through links.
pub fn is_file(path: &Path) -> bool {
    match memory::place(path) {
        Some(place) => place.node().is_ok_and(|node| node.kind() == FileKind::File),
        None => fs::metadata(path).is_ok_and(|meta| meta.is_file()),
    }
}

/// The absolute path without links.
///
/// # Errors
/// When there is nothing at `path`.
pub fn canonical(path: &Path) -> Result<PathBuf, DiskError> {
    real(path).map_err(|error| DiskError::new("find", path, error))
}

/// The absolute path without links, with the system's own error.
pub(super) fn real(path: &Path) -> io::Result<PathBuf> {
    memory::place(path).map_or_else(|| fs::canonicalize(path), |place| place.real())
}

/// Whether `path` stays in `top`: by its names, and through the links of what is there of it.
pub fn is_inside(top: &Path, path: &Path) -> bool {
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
    let failed = |error| DiskError::new("list", folder, error);
    let mut names = Vec::new();
    if let Some(place) = memory::place(folder) {
        let inner = match place.node().map_err(failed)? {
            memory::MemoryNode::Folder(names) => names.clone(),
            _ => Vec::new(),
        };
        names.extend(inner.into_iter().map(|name| (name.clone(), is_folder(&folder.join(&name)))));
        order::sort(&mut names);
        return Ok(names);
    }
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

/// What the symbolic links directly below `folder` say; empty when it cannot be listed.
pub fn links(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let target = |entry: fs::DirEntry| fs::read_link(entry.path()).ok()?.into_os_string().into_string().ok();
    entries.filter_map(|entry| target(entry.ok()?)).collect()
}
