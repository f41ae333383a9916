//! Files in an output folder that no build wrote: they are kept, and never overwritten.
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{Dir, FileType};

use super::DiskError;
use super::folder::{self, Folder, MOST_DEPTH};
use super::missing_name::none_if_missing;
use super::replace::{OWN_FOLDER, OutputFile};
use crate::order;

/// Foreign files at the path of an emitted file or of one of its folders, sorted.
///
/// # Errors
/// When `folder` cannot be listed.
pub fn conflicts(
    folder: &Folder,
    files: &[OutputFile],
    owned: &BTreeSet<Utf8PathBuf>,
) -> Result<Vec<Utf8PathBuf>, DiskError> {
    let foreign = foreign(folder, owned)?;
    if foreign.is_empty() {
        return Ok(Vec::new());
    }
    let new: BTreeSet<&Utf8Path> = files.iter().map(|file| file.path.as_path()).collect();
    let folders: BTreeSet<&Utf8Path> = new.iter().flat_map(|path| path.ancestors().skip(1)).collect();
    let blocks = |entry: &ForeignEntry| match entry.kind {
        ForeignKind::Folder => entry.is_in(&new),
        _ => entry.is_in(&new) || entry.is_in(&folders),
    };
    Ok(foreign
        .into_iter()
        .filter(|entry| blocks(entry))
        .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.path).ok())
        .collect())
}

/// Everything in `folder` that is not `listed`, sorted: files, links, and folders without listed files.
///
/// # Errors
/// When `folder` cannot be listed.
pub fn unlisted(folder: &Folder, listed: &BTreeSet<Utf8PathBuf>) -> Result<Vec<PathBuf>, DiskError> {
    let found = foreign(folder, listed)?;
    let folders: BTreeSet<&Path> = found
        .iter()
        .filter(|entry| matches!(entry.kind, ForeignKind::Folder))
        .map(|entry| entry.path.as_path())
        .collect();
    let top = |path: &Path| {
        let above = path.ancestors().filter(|above| folders.contains(above)).last();
        above.unwrap_or(path).to_owned()
    };
    let files = found.iter().filter(|entry| !matches!(entry.kind, ForeignKind::Folder));
    Ok(files.map(|entry| top(&entry.path)).collect::<BTreeSet<_>>().into_iter().collect())
}

/// The kind of an entry.
pub(super) enum ForeignKind {
    /// A file, or anything else that is neither folder nor link.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
}

/// An entry that no build wrote.
pub(super) struct ForeignEntry {
    /// Relative to the output folder.
    pub(super) path: PathBuf,
    /// Its kind.
    pub(super) kind: ForeignKind,
}

impl ForeignEntry {
    fn is_in(&self, paths: &BTreeSet<&Utf8Path>) -> bool {
        Utf8Path::from_path(&self.path).is_some_and(|path| paths.contains(path))
    }
}

/// Everything in `folder` that no build wrote, sorted; folders only if they are empty or contain foreign files.
pub(super) fn foreign(
    folder: &Folder,
    owned: &BTreeSet<Utf8PathBuf>,
) -> Result<Vec<ForeignEntry>, DiskError> {
    let folders = owned.iter().flat_map(|path| path.ancestors().skip(1)).map(Utf8Path::as_str).collect();
    let owned = owned.iter().map(|path| path.as_str()).collect();
    let mut search = ForeignSearch { owned, folders, found: Vec::new() };
    let failed = |path: &Path, error| DiskError::unread("list", &folder.path().join(path), error);
    // Opened again, because the position of a listing is part of the handle.
    let root = folder::enter(folder, ".").map_err(|error| failed(Path::new(""), error))?;
    search.list(root, &mut PathBuf::new(), 0).map_err(|(path, error)| failed(&path, error))?;
    Ok(search.found)
}

struct ForeignSearch<'a> {
    // As strings, which compare faster than paths: all of them are normalized.
    owned: BTreeSet<&'a str>,
    /// The folders that contain owned files.
    folders: BTreeSet<&'a str>,
    found: Vec<ForeignEntry>,
}

impl ForeignSearch<'_> {
    /// Searches the open folder at `path`. An error names the folder that cannot be listed.
    fn list(&mut self, open: OwnedFd, path: &mut PathBuf, depth: usize) -> Result<(), (PathBuf, io::Error)> {
        let failed = |path: &Path, error: io::Error| (path.to_owned(), error);
        if depth == MOST_DEPTH {
            let message = format!("it is more than {MOST_DEPTH} folders deep");
            return Err(failed(path, io::Error::new(io::ErrorKind::InvalidInput, message)));
        }
        let mut dir = Dir::new(open).map_err(|error| failed(path, error.into()))?;
        let mut names = folder::names(&mut dir).map_err(|error| failed(path, error))?;
        order::sort_by(&mut names, |(one, _), (other, _)| one.cmp(other));
        for (name, kind) in names {
            let name = OsStr::from_bytes(name.to_bytes());
            path.push(name);
            let known = path.to_str();
            let is_folder = kind == FileType::Directory;
            let is_ours =
                known.is_some_and(|path| path == OWN_FOLDER || !is_folder && self.owned.contains(path));
            let holds_ours = known.is_some_and(|path| self.folders.contains(path));
            let kind = match kind {
                _ if is_ours => None,
                FileType::Symlink => Some(ForeignKind::Link),
                FileType::Directory => (!holds_ours).then_some(ForeignKind::Folder),
                _ => Some(ForeignKind::File),
            };
            self.found.extend(kind.map(|kind| ForeignEntry { path: path.clone(), kind }));
            if is_folder && !is_ours {
                let inner = dir.fd().map_err(io::Error::from).and_then(|at| folder::enter(at, name));
                // If there is none, it has just been removed.
                if let Some(inner) = none_if_missing(inner).map_err(|error| failed(path, error))? {
                    self.list(inner, path, depth + 1)?;
                }
            }
            path.pop();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::disk::Payload;

    fn file(path: &str) -> OutputFile {
        OutputFile { path: path.into(), executable: false, payload: Payload::Text("".into()) }
    }

    fn open(path: &Path) -> Folder {
        Folder::open(path).unwrap()
    }

    #[test]
    fn names_conflicts_with_files_of_others() {
        let out = tempfile::tempdir().unwrap();
        fs::write(out.path().join("a"), "").unwrap();
        fs::create_dir(out.path().join("b")).unwrap();
        let found =
            conflicts(&open(out.path()), &[file("a/x"), file("b"), file("c")], &BTreeSet::new()).unwrap();
        assert_eq!(found, ["a", "b"]);
        let folder = open(out.path());
        let twice = || conflicts(&folder, &[file("b")], &BTreeSet::new()).unwrap();
        assert_eq!((twice(), twice()), (vec!["b".into()], vec!["b".into()]));
        assert!(
            conflicts(&open(out.path()), &[file("a")], &BTreeSet::from(["a".into()])).unwrap().is_empty()
        );
    }

    /// The result is sorted, regardless of the order of the system, and files in a foreign folder are foreign, too.
    #[test]
    fn finds_what_no_build_wrote() {
        let out = tempfile::tempdir().unwrap();
        for path in ["a/own", "a/theirs", "a-b", "b/c/d", ".plugcast/x", "own"] {
            let path = out.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let owned = BTreeSet::from(["a/own".into(), "own".into()]);
        let found: Vec<_> =
            foreign(&open(out.path()), &owned).unwrap().into_iter().map(|entry| entry.path).collect();
        assert_eq!(found, ["a/theirs", "a-b", "b", "b/c", "b/c/d"].map(PathBuf::from));
    }

    #[test]
    fn a_folder_that_is_too_deep_is_named_with_its_cause() {
        let out = tempfile::tempdir().unwrap();
        fs::create_dir_all(out.path().join("a/".repeat(MOST_DEPTH))).unwrap();
        let error = foreign(&open(out.path()), &BTreeSet::new()).err().unwrap();
        assert!(error.to_string().ends_with("it is more than 128 folders deep"), "{error}");
    }
}
