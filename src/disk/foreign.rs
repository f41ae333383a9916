//! What stands in an output folder without any build having written it: it is kept, and never
//! overwritten.
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};
use walkdir::WalkDir;

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

/// What stands in `folder` and is not `listed`, sorted: files, links, and folders that hold nothing listed.
///
/// # Errors
/// When `folder` cannot be listed.
pub fn unlisted(folder: &Path, listed: &BTreeSet<Utf8PathBuf>) -> Result<Vec<PathBuf>, DiskError> {
    let found = foreign(folder, listed)?;
    let folders: BTreeSet<&Path> = found
        .iter()
        .filter(|entry| matches!(entry.kind, Found::Folder))
        .map(|entry| entry.path.as_path())
        .collect();
    let top = |path: &Path| {
        let above = path.ancestors().filter(|above| folders.contains(above)).last();
        above.unwrap_or(path).to_owned()
    };
    let files = found.iter().filter(|entry| !matches!(entry.kind, Found::Folder));
    Ok(files.map(|entry| top(&entry.path)).collect::<BTreeSet<_>>().into_iter().collect())
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
    let mut walk = WalkDir::new(folder).sort_by_file_name().into_iter();
    while let Some(entry) = walk.next() {
        let entry = match entry {
            Ok(entry) if entry.depth() > 0 || super::is_folder(folder) => entry,
            Ok(_) => return Err(DiskError::new("list", folder, io::ErrorKind::NotADirectory.into())),
            // The output folder is not there yet, or somebody has just removed this.
            Err(error) if error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound) => {
                continue;
            }
            Err(error) => return Err(DiskError::walking("list", folder, error)),
        };
        if entry.depth() == 0 {
            continue;
        }
        let path = entry.path().strip_prefix(folder).unwrap_or(entry.path()).to_owned();
        let known = Utf8Path::from_path(&path);
        let is_folder = entry.file_type().is_dir();
        if known.is_some_and(|path| path == OWN_FOLDER || !is_folder && owned.contains(path)) {
            if is_folder {
                walk.skip_current_dir();
            }
            continue;
        }
        let holds_ours = known.is_some_and(|path| owned_folders.contains(path));
        match entry.path_is_symlink() {
            true => out.push(Foreign { path, kind: Found::Link }),
            false if !is_folder => out.push(Foreign { path, kind: Found::File }),
            false if !holds_ours => out.push(Foreign { path, kind: Found::Folder }),
            false => {}
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use std::fs;

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

    /// Sorted path by path, whatever order the system lists them in; what lies in a folder of others is theirs, too.
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
            foreign(out.path(), &owned).unwrap().into_iter().map(|entry| entry.path).collect();
        assert_eq!(found, ["a/theirs", "a-b", "b", "b/c", "b/c/d"].map(PathBuf::from));
        assert!(foreign(&out.path().join("none"), &owned).unwrap().is_empty());
    }

    #[test]
    fn a_path_that_cannot_be_listed_is_named_with_its_cause() {
        let out = tempfile::tempdir().unwrap();
        fs::write(out.path().join("file"), "").unwrap();
        for folder in ["file", "file/below"].map(|path| out.path().join(path)) {
            let error = foreign(&folder, &BTreeSet::new()).err().unwrap();
            assert_eq!((error.path, error.source.kind()), (folder, io::ErrorKind::NotADirectory));
        }
    }
}
