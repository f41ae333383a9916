//! What stands in an output folder without any build having written it: it is kept, and never
//! overwritten.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};

use super::DiskError;
use super::replace::{OWN_FOLDER, OutputFile};

/// Files of others that stand where an emitted file or one of its folders must go, sorted.
///
/// # Errors
/// When `folder` cannot be listed.
pub fn conflicts(
    folder: &Path,
    files: &[OutputFile],
    owned: &BTreeSet<Utf8PathBuf>,
) -> Result<Vec<Utf8PathBuf>, DiskError> {
    let foreign = foreign(folder, owned)?;
    if foreign.is_empty() {
        return Ok(Vec::new());
    }
    let new: BTreeSet<&Utf8Path> = files.iter().map(|file| file.path.as_path()).collect();
    let folders: BTreeSet<&Utf8Path> = new.iter().flat_map(|path| path.ancestors().skip(1)).collect();
    let blocks = |entry: &Foreign| match entry.kind {
        Found::Folder => entry.is_in(&new),
        _ => entry.is_in(&new) || entry.is_in(&folders),
    };
    Ok(foreign
        .into_iter()
        .filter(|entry| blocks(entry))
        .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.path).ok())
        .collect())
}

/// What an entry is.
pub(super) enum Found {
    /// A file, or anything else that is neither folder nor link.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
}

/// An entry that no build wrote.
pub(super) struct Foreign {
    /// Relative to the output folder.
    pub(super) path: PathBuf,
    /// What it is.
    pub(super) kind: Found,
}

impl Foreign {
    fn is_in(&self, paths: &BTreeSet<&Utf8Path>) -> bool {
        Utf8Path::from_path(&self.path).is_some_and(|path| paths.contains(path))
    }
}

/// Everything in `folder` that no build wrote, sorted; folders only when they are empty or hold
/// files of others.
pub(super) fn foreign(folder: &Path, owned: &BTreeSet<Utf8PathBuf>) -> Result<Vec<Foreign>, DiskError> {
    let mut out = Vec::new();
    let owned_folders: BTreeSet<&Utf8Path> = owned.iter().flat_map(|path| path.ancestors().skip(1)).collect();
    let mut open = vec![PathBuf::new()];
    while let Some(at) = open.pop() {
        let here = folder.join(&at);
        let entries = match fs::read_dir(&here) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(DiskError::new("list", &here, error)),
        };
        for entry in entries {
            let entry = entry.map_err(|error| DiskError::new("list", &here, error))?;
            let path = at.join(entry.file_name());
            let known = Utf8Path::from_path(&path);
            if known.is_some_and(|path| path == OWN_FOLDER || owned.contains(path)) {
                continue;
            }
            let ours = known.is_some_and(|path| owned_folders.contains(path));
            let kind = entry.file_type().map_err(|error| DiskError::new("read", &entry.path(), error))?;
            if kind.is_dir() {
                open.push(path.clone());
                if !ours {
                    out.push(Foreign { path, kind: Found::Folder });
                }
            } else {
                out.push(Foreign { path, kind: if kind.is_symlink() { Found::Link } else { Found::File } });
            }
        }
    }
    out.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Payload;

    fn file(path: &str) -> OutputFile {
        OutputFile { path: path.into(), executable: false, payload: Payload::Text("".into()) }
    }

    #[test]
    fn names_conflicts_with_files_of_others() {
        let out = tempfile::tempdir().unwrap();
        fs::write(out.path().join("a"), "").unwrap();
        fs::create_dir(out.path().join("b")).unwrap();
        let found = conflicts(out.path(), &[file("a/x"), file("b"), file("c")], &BTreeSet::new()).unwrap();
        assert_eq!(found, ["a", "b"]);
        assert!(conflicts(out.path(), &[file("a")], &BTreeSet::from(["a".into()])).unwrap().is_empty());
    }
}
