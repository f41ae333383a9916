//! Writes a whole output folder in one step: the new tree is staged beside the old one, files of
//! others are linked into it, the two are exchanged, and only then the old one goes. A kill at any
//! moment leaves one of the two trees, whole.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};

use super::{DiskError, Payload};

/// The folder of our own documents inside an output folder.
pub const OWN_FOLDER: &str = ".plugcast";

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
            Ok(_) => {
                let there = super::fingerprint(&Payload::CopyOf(path))?;
                if there != super::fingerprint(&file.payload)? {
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

/// Makes `folder` hold exactly `files`, our own documents among them, beside the files of others.
///
/// # Errors
/// When anything cannot be written; the old tree stays then.
pub fn replace(folder: &Path, files: &[OutputFile], owned: &BTreeSet<Utf8PathBuf>) -> Result<(), DiskError> {
    recover(folder)?;
    let stage = sibling(folder, "new");
    remove(&stage)?;
    let staged = stage_tree(folder, &stage, files, owned);
    if let Err(error) = staged.and_then(|()| swap(folder, &stage)) {
        // The first error is the one to report; what is left here is removed by the next build.
        let _ = remove(&stage);
        return Err(error);
    }
    remove(&stage)
}

/// Completes or undoes what a killed build left beside `folder`. Call it under the lock, before the
/// folder is read.
///
/// # Errors
/// When a leftover cannot be moved or removed.
pub fn recover(folder: &Path) -> Result<(), DiskError> {
    let (stage, old, marker) = (sibling(folder, "new"), sibling(folder, "old"), sibling(folder, "swap"));
    if marker.exists() {
        if !folder.exists() && stage.exists() {
            fs::rename(&stage, folder).map_err(|error| DiskError::new("rename", &stage, error))?;
        }
        remove(&old)?;
        remove(&marker)?;
    }
    remove(&stage)
}

fn sibling(folder: &Path, what: &str) -> PathBuf {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    folder.with_file_name(format!(".{name}.plugcast-{what}"))
}

fn remove(path: &Path) -> Result<(), DiskError> {
    let result = match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => return Ok(()),
    };
    result.map_err(|error| DiskError::new("remove", path, error))
}

fn stage_tree(
    folder: &Path,
    stage: &Path,
    files: &[OutputFile],
    owned: &BTreeSet<Utf8PathBuf>,
) -> Result<(), DiskError> {
    make_folder(stage)?;
    let mut made = BTreeSet::new();
    for file in files {
        let path = stage.join(&file.path);
        make_folders(stage, file.path.parent(), &mut made)?;
        write(&path, file).map_err(|error| DiskError::new("write", &path, error))?;
    }
    for entry in foreign(folder, owned)? {
        let (from, to) = (folder.join(&entry.path), stage.join(&entry.path));
        if let Some(parent) = to.parent().filter(|parent| !parent.is_dir()) {
            make_folder(parent)?;
        }
        let linked = match entry.kind {
            Found::Folder => {
                make_folder(&to)?;
                continue;
            }
            Found::Link => relink(&from, &to),
            Found::File => fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(drop)),
        };
        linked.map_err(|error| DiskError::new("keep", &from, error))?;
    }
    Ok(())
}

fn make_folders(
    stage: &Path,
    folder: Option<&Utf8Path>,
    made: &mut BTreeSet<Utf8PathBuf>,
) -> Result<(), DiskError> {
    let mut missing: Vec<&Utf8Path> =
        folder.into_iter().flat_map(Utf8Path::ancestors).filter(|part| !part.as_str().is_empty()).collect();
    missing.reverse();
    for part in missing {
        if made.insert(part.to_owned()) && !stage.join(part).is_dir() {
            make_folder(&stage.join(part))?;
        }
    }
    Ok(())
}

fn make_folder(path: &Path) -> Result<(), DiskError> {
    fs::create_dir_all(path)
        .and_then(|()| set_mode(path, 0o755))
        .map_err(|error| DiskError::new("create", path, error))
}

fn write(path: &Path, file: &OutputFile) -> io::Result<()> {
    match &file.payload {
        Payload::Bytes(bytes) => fs::File::create_new(path)?.write_all(bytes)?,
        Payload::CopyOf(from) => {
            let mut to = fs::File::create_new(path)?;
            io::copy(&mut fs::File::open(from)?, &mut to)?;
        }
    }
    set_mode(path, if file.executable { 0o755 } else { 0o644 })
}

fn swap(folder: &Path, stage: &Path) -> Result<(), DiskError> {
    let failed = |error: io::Error| DiskError::new("replace", folder, error);
    if !folder.exists() {
        return fs::rename(stage, folder).map_err(failed);
    }
    if exchange(stage, folder) {
        return Ok(());
    }
    let (old, marker) = (sibling(folder, "old"), sibling(folder, "swap"));
    fs::write(&marker, "").map_err(failed)?;
    fs::rename(folder, &old).map_err(failed)?;
    fs::rename(stage, folder).map_err(failed)?;
    remove(&old)?;
    remove(&marker)
}

/// Exchanges two folders in one step; `false` where the system cannot.
#[cfg(target_os = "linux")]
fn exchange(a: &Path, b: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> bool {
    false
}

enum Found {
    File,
    Folder,
    Link,
}

struct Foreign {
    path: PathBuf,
    kind: Found,
}

impl Foreign {
    fn is_in(&self, paths: &BTreeSet<&Utf8Path>) -> bool {
        Utf8Path::from_path(&self.path).is_some_and(|path| paths.contains(path))
    }
}

/// Everything in `folder` that no build wrote, sorted; folders only when they are empty or hold
/// files of others.
fn foreign(folder: &Path, owned: &BTreeSet<Utf8PathBuf>) -> Result<Vec<Foreign>, DiskError> {
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
        for entry in entries.filter_map(Result::ok) {
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

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(unix)]
fn mode_differs(meta: &fs::Metadata, executable: bool) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o777 != if executable { 0o755 } else { 0o644 }
}

#[cfg(unix)]
fn relink(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(fs::read_link(from)?, to)
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn mode_differs(_: &fs::Metadata, _: bool) -> bool {
    false
}

#[cfg(not(unix))]
fn relink(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> OutputFile {
        OutputFile { path: path.into(), executable: false, payload: Payload::Bytes(text.into()) }
    }

    fn owned(paths: &[&str]) -> BTreeSet<Utf8PathBuf> {
        paths.iter().map(|path| Utf8PathBuf::from(*path)).collect()
    }

    #[test]
    fn keeps_files_of_others_and_removes_only_its_own() {
        let out = tempfile::tempdir().unwrap();
        let folder = out.path().join("codex");
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
    fn names_conflicts_with_files_of_others() {
        let out = tempfile::tempdir().unwrap();
        fs::write(out.path().join("a"), "").unwrap();
        fs::create_dir(out.path().join("b")).unwrap();
        let found =
            conflicts(out.path(), &[file("a/x", ""), file("b", ""), file("c", "")], &owned(&[])).unwrap();
        assert_eq!(found, ["a", "b"]);
        assert!(conflicts(out.path(), &[file("a", "")], &owned(&["a"])).unwrap().is_empty());
    }

    #[test]
    fn a_killed_swap_is_completed() {
        let out = tempfile::tempdir().unwrap();
        let folder = out.path().join("codex");
        fs::create_dir(sibling(&folder, "new")).unwrap();
        fs::write(sibling(&folder, "new").join("x"), "new").unwrap();
        fs::create_dir(sibling(&folder, "old")).unwrap();
        fs::write(sibling(&folder, "swap"), "").unwrap();
        recover(&folder).unwrap();
        assert_eq!(fs::read_to_string(folder.join("x")).unwrap(), "new");
        assert_eq!(fs::read_dir(out.path()).unwrap().count(), 1);
    }

    #[test]
    fn changes_compare_content_and_mode() {
        let out = tempfile::tempdir().unwrap();
        let folder = out.path().join("codex");
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
