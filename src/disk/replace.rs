//! Writes a whole output folder in one step: the new tree is staged beside the old one, files of
//! others are linked into it, the two are exchanged, and only then the old one goes. A kill at any
//! moment leaves one of the two trees, whole, and so does a full disk.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

mod recovery;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};

use self::recovery::{NEW, OLD, SWAP};
use super::foreign::{Found, foreign};
use super::{DiskError, Payload, step};

pub use self::recovery::{recover, unfinished};
pub(super) use self::recovery::{remove, sibling};

/// The folder of our own documents inside an output folder.
pub const OWN_FOLDER: &str = ".plugcast";

const FOLDER_MODE: u32 = 0o755;

/// One file of the new tree.
#[derive(Debug, Clone)]
pub struct OutputFile {
    /// Path relative to the output folder.
    pub path: Utf8PathBuf,
    /// Mode 0755 instead of 0644.
    pub executable: bool,
    /// The content.
    pub payload: Payload,
}

/// A change that a build would make to one file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// The file is not there yet.
    Added(Utf8PathBuf),
    /// Content or mode differ.
    Changed(Utf8PathBuf),
    /// The last build wrote it, this one does not.
    Removed(Utf8PathBuf),
}

impl Change {
    /// The file that changes.
    pub fn path(&self) -> &Utf8Path {
        match self {
            Change::Added(path) | Change::Changed(path) | Change::Removed(path) => path,
        }
    }
}

/// What writing `files` would change in `folder`, sorted by path. `owned` are the files that the
/// last build wrote.
///
/// # Errors
/// When a file that is there cannot be read.
pub fn changes(
    folder: &Path,
    files: &[OutputFile],
    owned: &BTreeSet<Utf8PathBuf>,
) -> Result<Vec<Change>, DiskError> {
    let mut out = Vec::new();
    if fs::symlink_metadata(folder).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        out.extend(files.iter().map(|file| Change::Added(file.path.clone())));
        out.sort();
        return Ok(out);
    }
    for file in files {
        let path = folder.join(&file.path);
        match fs::symlink_metadata(&path) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                out.push(Change::Added(file.path.clone()));
            }
            Err(error) => return Err(DiskError::new("read", &path, error)),
            Ok(meta) if !meta.is_file() || mode_differs(&meta, file.executable) => {
                out.push(Change::Changed(file.path.clone()))
            }
            Ok(meta) => {
                if !super::holds(&path, meta.len(), &file.payload)? {
                    out.push(Change::Changed(file.path.clone()));
                }
            }
        }
    }
    let new: BTreeSet<&Utf8Path> = files.iter().map(|file| file.path.as_path()).collect();
    for path in owned {
        if !new.contains(path.as_path()) && fs::symlink_metadata(folder.join(path)).is_ok() {
            out.push(Change::Removed(path.clone()));
        }
    }
    out.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(out)
}

/// Makes `folder` hold exactly `files`, our own documents among them, beside the files of others.
/// Call [`recover`] before.
///
/// # Errors
/// When anything cannot be written; the old tree stays then. When the old tree cannot be removed: the
/// new one is in its place then, and the next build removes what is left.
pub fn replace(folder: &Path, files: &[OutputFile], owned: &BTreeSet<Utf8PathBuf>) -> Result<(), DiskError> {
    let stage = sibling(folder, NEW);
    stage_tree(folder, &stage, files, owned).inspect_err(|_| {
        let _ = remove(&stage);
    })?;
    let swapped = swap(folder, &stage);
    // Where neither tree could be moved into its place, both are needed: the next command decides.
    // Else this is the new tree before the swap and the old one after it. The first error is the one
    // to report; what cannot be removed here is removed by the next command.
    let removed = if folder.exists() { remove(&stage) } else { Ok(()) };
    swapped.and(removed)
}

/// Builds the new tree in `stage`. An error names the place in `folder`, which is what a person knows.
fn stage_tree(
    folder: &Path,
    stage: &Path,
    files: &[OutputFile],
    owned: &BTreeSet<Utf8PathBuf>,
) -> Result<(), DiskError> {
    make_folder(stage).map_err(|error| DiskError::new("create", folder, error))?;
    let mut made = BTreeSet::new();
    for file in files {
        let failed = |error| DiskError::new("write", &folder.join(&file.path), error);
        make_folders(stage, file.path.as_std_path().parent(), &mut made).map_err(failed)?;
        write(&stage.join(&file.path), file).map_err(failed)?;
    }
    let mut modes = Vec::new();
    for entry in foreign(folder, owned)? {
        let (from, to) = (folder.join(&entry.path), stage.join(&entry.path));
        let failed = |error| DiskError::new("keep", &from, error);
        make_folders(stage, entry.path.parent(), &mut made).map_err(failed)?;
        match entry.kind {
            Found::Folder => {
                make_folders(stage, Some(&entry.path), &mut made).map_err(failed)?;
                modes.extend(mode_of(&from).filter(|mode| *mode != FOLDER_MODE).map(|mode| (from, to, mode)));
            }
            Found::Link => step::copy_symlink(&from, &to).map_err(failed)?,
            Found::File => keep(&from, &to).map_err(failed)?,
        }
    }
    // Only now: a folder that nobody may write to can still be filled before.
    for (from, to, mode) in modes.iter().rev() {
        step::set_mode(to, *mode).map_err(|error| DiskError::new("keep", from, error))?;
    }
    Ok(())
}

/// Makes `folder` and those above it, each once: `made` holds them as they are written, since telling
/// paths apart part by part is slow.
fn make_folders(stage: &Path, folder: Option<&Path>, made: &mut BTreeSet<OsString>) -> io::Result<()> {
    let Some(folder) = folder.filter(|folder| !made.contains(folder.as_os_str())) else { return Ok(()) };
    let parts: Vec<&Path> = folder.ancestors().collect();
    for part in parts.into_iter().rev().filter(|part| !part.as_os_str().is_empty()) {
        if made.insert(part.as_os_str().to_owned()) {
            make_folder(&stage.join(part))?;
        }
    }
    Ok(())
}

fn make_folder(path: &Path) -> io::Result<()> {
    step::make_folder(path)?;
    settle_mode(path, FOLDER_MODE)
}

fn write(path: &Path, file: &OutputFile) -> io::Result<()> {
    let mut to = step::create(path)?;
    match &file.payload {
        Payload::Bytes(bytes) => step::write(&mut to, bytes)?,
        Payload::CopyOf(from) => step::write_copy(&mut to, from)?,
    }
    settle_mode(path, if file.executable { 0o755 } else { 0o644 })
}

/// Sets the mode of something new, unless it was made with it: asking is cheaper than setting.
fn settle_mode(path: &Path, mode: u32) -> io::Result<()> {
    if mode_of(path) == Some(mode) { Ok(()) } else { step::set_mode(path, mode) }
}

/// Links a file of others into the new tree; on a file system without links, copies it.
fn keep(from: &Path, to: &Path) -> io::Result<()> {
    match step::link(from, to) {
        Err(error) if copying_helps(&error) && fs::symlink_metadata(from)?.is_file() => step::copy(from, to),
        result => result,
    }
}

fn copying_helps(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Unsupported
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::CrossesDevices
            | io::ErrorKind::TooManyLinks
    )
}

fn swap(folder: &Path, stage: &Path) -> Result<(), DiskError> {
    let failed = |error: io::Error| DiskError::new("replace", folder, error);
    if !folder.exists() {
        return step::rename(stage, folder).map_err(failed);
    }
    if step::exchange(stage, folder).map_err(failed)? {
        return Ok(());
    }
    let (old, marker) = (sibling(folder, OLD), sibling(folder, SWAP));
    step::create(&marker).map_err(failed)?;
    let moved = step::rename(folder, &old).and_then(|()| {
        step::rename(stage, folder).inspect_err(|_| {
            // If this fails too, the next build does it, since the marker stays.
            let _ = step::rename(&old, folder);
        })
    });
    let removed = if folder.exists() { remove(&old).and_then(|()| remove(&marker)) } else { Ok(()) };
    moved.map_err(failed).and(removed)
}

#[cfg(unix)]
pub(super) fn mode_differs(meta: &fs::Metadata, executable: bool) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o777 != if executable { 0o755 } else { 0o644 }
}

#[cfg(unix)]
fn mode_of(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    fs::symlink_metadata(path).ok().map(|meta| meta.permissions().mode() & 0o7777)
}

#[cfg(not(unix))]
pub(super) fn mode_differs(_: &fs::Metadata, _: bool) -> bool {
    false
}

#[cfg(not(unix))]
fn mode_of(_: &Path) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> OutputFile {
        OutputFile { path: path.into(), executable: false, payload: Payload::Bytes(text.as_bytes().into()) }
    }

    fn owned(paths: &[&str]) -> BTreeSet<Utf8PathBuf> {
        paths.iter().map(|path| Utf8PathBuf::from(*path)).collect()
    }

    #[test]
    fn keeps_files_of_others_and_removes_only_its_own() {
        let out = tempfile::tempdir().unwrap();
        let folder = out.path().join("bundle");
        replace(&folder, &[file("a/one", "1"), file("b", "2")], &owned(&[])).unwrap();
        fs::write(folder.join("a/mine"), "kept").unwrap();
        fs::create_dir(folder.join("empty")).unwrap();
        replace(&folder, &[file("a/two", "3")], &owned(&["a/one", "b"])).unwrap();
        assert_eq!(fs::read_to_string(folder.join("a/mine")).unwrap(), "kept");
        assert!(folder.join("empty").is_dir() && folder.join("a/two").is_file());
        assert!(!folder.join("a/one").exists() && !folder.join("b").exists());
        assert_eq!(fs::read_dir(out.path()).unwrap().count(), 1, "nothing is left beside the folder");
    }

    #[test]
    fn changes_compare_content_and_mode() {
        let out = tempfile::tempdir().unwrap();
        let folder = out.path().join("bundle");
        let files = [file("a", "1"), file("b", "2")];
        replace(&folder, &files, &owned(&[])).unwrap();
        assert_eq!(changes(&folder, &files, &owned(&["a", "b"])).unwrap(), []);
        let next = [file("a", "x"), file("c", "3")];
        let found = changes(&folder, &next, &owned(&["a", "b"])).unwrap();
        assert_eq!(
            found,
            [Change::Changed("a".into()), Change::Removed("b".into()), Change::Added("c".into())]
        );
    }
}
