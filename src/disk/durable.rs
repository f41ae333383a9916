//! Files that must survive a kill and a power cut: written beside their place, flushed, moved there in
//! one step, and the folder flushed, too. Readers see the old bytes or the new ones. Nothing is written
//! through a link.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use walkdir::WalkDir;

use super::{DiskError, step};

/// Gives the file at `path` these bytes, and makes its missing parent folders.
///
/// # Errors
/// When it cannot be written; what was there stays then.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    make_parents(path)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let new = path.with_file_name(format!(".{name}.plugcast-new"));
    let written = fresh(&new)
        .and_then(|mut file| step::write(&mut file, bytes).and_then(|()| file.sync_all()))
        .and_then(|()| step::rename(&new, path));
    written.and_then(|()| flush_folder(path)).map_err(|error| {
        // The first error is the one to report.
        let _ = step::remove_file(&new);
        DiskError::new("write", path, error)
    })
}

/// A new file; what an earlier run left there when it was killed goes, and a link is never followed.
fn fresh(path: &Path) -> io::Result<File> {
    if fs::symlink_metadata(path).is_ok() {
        step::remove_file(path)?;
    }
    step::create(path)
}

/// Makes a folder that is not there yet, and its missing parents; `false` when it is there already.
///
/// # Errors
/// When it cannot be made.
pub fn claim_folder(path: &Path) -> Result<bool, DiskError> {
    make_parents(path)?;
    match step::make_folder(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(DiskError::new("create", path, error)),
    }
}

/// Makes a folder with its missing parents; one that is there is no error.
///
/// # Errors
/// When it cannot be made.
pub fn make_folder(path: &Path) -> Result<(), DiskError> {
    claim_folder(path).map(drop)
}

fn make_parents(path: &Path) -> Result<(), DiskError> {
    let Some(parent) = path.parent() else { return Ok(()) };
    super::scratch::make_folder(parent).map_err(|error| DiskError::new("create", parent, error))
}

/// Removes a file; one that is not there is no error.
///
/// # Errors
/// When it is there and cannot be removed.
pub fn remove(path: &Path) -> Result<(), DiskError> {
    super::scratch::remove(path).map_err(|error| DiskError::new("remove", path, error))
}

/// Removes a folder with all it holds, links as links. The folder is renamed first, so that a kill
/// leaves nothing that looks whole.
///
/// # Errors
/// When something cannot be removed.
pub fn remove_folder(path: &Path) -> Result<(), DiskError> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let going = path.with_file_name(format!(".{name}.plugcast-old"));
    step::rename(path, &going).map_err(|error| DiskError::new("remove", path, error))?;
    empty(&going)
}

fn empty(folder: &Path) -> Result<(), DiskError> {
    for entry in WalkDir::new(folder).follow_root_links(false).contents_first(true).sort_by_file_name() {
        let entry = entry.map_err(|error| DiskError::walking("remove", folder, error))?;
        let removed = match entry.file_type().is_dir() {
            true => step::remove_folder(entry.path()),
            false => step::remove_file(entry.path()),
        };
        removed.map_err(|error| DiskError::new("remove", entry.path(), error))?;
    }
    Ok(())
}

/// Makes a new file that is filled piece by piece, such as the output of a child.
///
/// # Errors
/// When it cannot be made.
pub fn create(path: &Path) -> Result<Growing, DiskError> {
    make_parents(path)?;
    let file = fresh(path).map_err(|error| DiskError::new("write", path, error))?;
    Ok(Growing { file, path: path.to_owned() })
}

/// A file that grows.
#[derive(Debug)]
pub struct Growing {
    file: File,
    path: PathBuf,
}

impl Growing {
    /// A file that was just made at `path`.
    pub(super) fn new(file: File, path: PathBuf) -> Self {
        Self { file, path }
    }

    /// Adds bytes at the end.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        step::write(&mut self.file, bytes)
    }

    /// Flushes what was written.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn finish(self) -> Result<(), DiskError> {
        self.file.sync_all().map_err(|error| DiskError::new("write", &self.path, error))
    }
}

/// When a file or folder was changed last; `None` when it is not there.
pub fn changed(path: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(path).and_then(|meta| meta.modified()).ok()
}

/// Flushes the folder that holds `path`, where the system can.
fn flush_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(parent) = path.parent() {
        return File::open(parent)?.sync_all();
    }
    let _ = path;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_claims_and_removes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/state.json");
        replace(&path, b"old").unwrap();
        fs::write(path.with_file_name(".state.json.plugcast-new"), "half").unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing else is left");
        assert!(claim_folder(&folder.path().join("a/c")).unwrap());
        assert!(!claim_folder(&folder.path().join("a/c")).unwrap());
        remove_folder(&folder.path().join("a")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        remove(&path).unwrap();
    }

    /// The folder behind the link was once emptied.
    #[cfg(unix)]
    #[test]
    fn a_link_is_removed_and_what_it_leads_to_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (kept, link) = (folder.path().join("kept"), folder.path().join("link"));
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("file"), "").unwrap();
        std::os::unix::fs::symlink(&kept, &link).unwrap();
        remove_folder(&link).unwrap();
        assert!(kept.join("file").exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
