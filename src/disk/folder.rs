//! An open folder. All operations in it are relative to the open handle and follow no links, so that a concurrently
//! swapped name cannot redirect them.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use camino::Utf8Path;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, Stat, fstat, openat, statat};
use rustix::io::Errno;
use rustix::path::Arg;

use super::missing_name::{existing_path, none_if_missing, ok_if_missing};
use super::reader::{self, SizeLimit};
use super::{DiskError, fs_op, open_beneath};
use crate::source::UNFINISHED_ENDING;

/// The maximum depth of a tree: each level keeps one folder open.
pub(super) const MOST_DEPTH: usize = 128;

/// An open folder, and its path for messages.
#[derive(Debug)]
pub struct Folder {
    handle: OwnedFd,
    path: PathBuf,
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

impl From<Folder> for OwnedFd {
    fn from(folder: Folder) -> Self {
        folder.handle
    }
}

impl Folder {
    /// Opens the folder at `path`, following links, since the user named it.
    ///
    /// # Errors
    /// When it does not exist, is not a folder, or access is denied.
    pub fn open(path: &Path) -> Result<Self, DiskError> {
        let named = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let opened = openat(CWD, named, open_beneath::NAMED_FOLDER, Mode::empty());
        let handle = opened.map_err(|error| DiskError::new("open", path, error.into()))?;
        Ok(Self { handle, path: path.to_owned() })
    }

    /// The same; `None` if it does not exist.
    ///
    /// # Errors
    /// When it is not a folder, or access is denied.
    pub fn open_existing(path: &Path) -> Result<Option<Self>, DiskError> {
        match Self::open(path) {
            Err(error) if error.source.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// A folder that was just opened.
    pub(super) fn new(handle: OwnedFd, path: PathBuf) -> Self {
        Self { handle, path }
    }

    /// The path at which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of this name in it; `None` if it does not exist.
    ///
    /// # Errors
    /// When it is a link, not a folder, or access is denied.
    pub fn subfolder(&self, name: &str) -> Result<Option<Self>, DiskError> {
        let path = self.path.join(name);
        let opened =
            none_if_missing(enter(self, name)).map_err(|error| DiskError::new("open", &path, error))?;
        Ok(opened.map(|handle| Self { handle, path }))
    }

    /// The folder that contains `path`, and its name there.
    ///
    /// # Errors
    /// When a part of it is a link, `..` or not a folder.
    pub(super) fn parent_of<'a>(&self, path: &'a Utf8Path) -> io::Result<(OwnedFd, &'a str)> {
        let (Some(parent), Some(name), true) =
            (path.parent(), path.file_name(), open_beneath::is_inner(path))
        else {
            return Err(open_beneath::outside_error());
        };
        let parent = if parent.as_str().is_empty() { Utf8Path::new(".") } else { parent };
        Ok((open_beneath::folder_in(self.as_fd(), parent)?, name))
    }

    /// Reads a whole file as text; `None` if it does not exist.
    ///
    /// # Errors
    /// When it is not a regular file, reached through a link, larger than 64 MiB, or not UTF-8.
    pub fn read_text(&self, path: &Utf8Path) -> Result<Option<String>, DiskError> {
        let full = self.path.join(path);
        let bytes = open_beneath::open_in(&self.handle, path)
            .and_then(|(file, _)| reader::read_file(&file, SizeLimit::Document));
        let bytes = existing_path(bytes).map_err(|error| DiskError::unread("read", &full, error))?;
        bytes.map(|bytes| super::text(&full, bytes)).transpose()
    }

    /// Replaces the content of the file of this name in one step, with mode 0644.
    ///
    /// # Errors
    /// When it cannot be written; the old file is kept then.
    pub fn replace_file(&self, name: &str, bytes: &[u8]) -> Result<(), DiskError> {
        replace(self, name, bytes, 0o644)
            .map_err(|error| DiskError::new("write", &self.path.join(name), error))
    }

    /// Removes a file or link; a missing one is not an error.
    ///
    /// # Errors
    /// When it exists and cannot be removed.
    pub fn remove_file(&self, name: &str) -> Result<(), DiskError> {
        ok_if_missing(fs_op::remove_file(self, name))
            .map_err(|error| DiskError::new("remove", &self.path.join(name), error))
    }
}

/// Opens a folder inside another one; links are rejected.
pub(super) fn enter(at: impl AsFd, name: impl Arg) -> io::Result<OwnedFd> {
    openat(at, name, open_beneath::FOLDER, Mode::empty()).map_err(|error| match error {
        // A link also causes `ENOTDIR`, which says less.
        Errno::NOTDIR => io::Error::new(io::ErrorKind::NotADirectory, "it is a link or a file, not a folder"),
        error => error.into(),
    })
}

/// The metadata of a name in a folder; `None` if it does not exist or is unknown.
pub(super) fn stat(at: impl AsFd, name: impl Arg) -> Option<Stat> {
    statat(at, name, AtFlags::SYMLINK_NOFOLLOW).ok()
}

/// The file type in the metadata.
pub(super) fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// Whether a name in a folder is a folder.
pub(super) fn is_folder(at: impl AsFd, name: impl Arg) -> bool {
    stat(at, name).is_some_and(|stat| kind(&stat) == FileType::Directory)
}

/// Whether a name in a folder refers to an open file or folder.
pub(super) fn is_same(at: impl AsFd, name: impl Arg, open: impl AsFd) -> bool {
    match (stat(at, name), fstat(open)) {
        (Some(named), Ok(open)) => (named.st_dev, named.st_ino) == (open.st_dev, open.st_ino),
        _ => false,
    }
}

/// The names in an open folder with their types, in the order of the system.
pub(super) fn names(dir: &mut Dir) -> io::Result<Vec<(CString, FileType)>> {
    let mut found = Vec::new();
    while let Some(entry) = dir.read() {
        let entry = entry?;
        let name = entry.file_name();
        if is_itself(name) {
            continue;
        }
        let kind = match entry.file_type() {
            // Some file systems do not report the type.
            FileType::Unknown => stat(dir.fd()?, name).map_or(FileType::Unknown, |stat| kind(&stat)),
            kind => kind,
        };
        found.push((name.to_owned(), kind));
    }
    Ok(found)
}

fn is_itself(name: &CStr) -> bool {
    matches!(name.to_bytes(), b"." | b"..")
}

/// The temporary name of a file while it is written, before it replaces `name`.
fn temporary_name(name: &str) -> String {
    format!(".{name}{UNFINISHED_ENDING}")
}

/// Writes a temporary file and renames it to its final name.
pub(super) fn replace(at: impl AsFd, name: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
    let new = temporary_name(name);
    let written =
        create_new(&at, &new, bytes, mode).and_then(|()| fs_op::rename(&at, new.as_str(), &at, name));
    written.inspect_err(|_| {
        // The first error is the one to report.
        let _ = fs_op::remove_file(&at, new.as_str());
    })
}

/// Creates a file with these bytes; replaces a leftover of a killed run, and never follows a link.
pub(super) fn create_new(at: impl AsFd, name: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
    if stat(&at, name).is_some() {
        fs_op::remove_file(&at, name)?;
    }
    let mut file = fs_op::create(&at, name)?;
    fs_op::write(&mut file, bytes)?;
    fs_op::set_mode(&file, mode)
}
