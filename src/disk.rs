//! The only module with access to files: reads a source, writes a bundle in one step, takes the lock. All other modules
//! work on data.
#![expect(clippy::disallowed_methods, reason = "this module and its children are the one owner of files")]

pub mod durable;
pub mod edit;
mod file_system;
pub mod folder;
pub mod foreign_files;
mod fs_op;
pub mod lock;
pub mod memory;
mod missing_name;
pub mod open_beneath;
mod patience;
pub mod plain_files;
pub mod reader;
mod remedy;
pub mod replace;
pub mod root;
mod special_files;
mod stat;
pub mod transaction;
pub mod walk;
mod work_tree;

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use camino::Utf8Path;
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::process::temporary;
use crate::source::SharedText;
use reader::SizeLimit;

pub use file_system::FileSystem;
pub use fs_op::renew_times;
pub use remedy::{remedy, remedy_in};
pub use special_files::{SPECIAL, special_file_for, special_file_in};
pub use stat::{FileKind, canonical, is_file, is_folder, is_inside, kind, links, list};
pub use work_tree::{is_repository, is_work_tree_of};

/// The content of a file to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// This text.
    Text(SharedText),
    /// The bytes of a file, copied without being held in memory.
    CopyOf {
        /// The file, absolute, with symlinks resolved.
        path: PathBuf,
        /// The fingerprint of its bytes when they were hashed: if they have changed, nothing is written.
        fingerprint: Fingerprint,
    },
}

/// Size and sha256 (hexadecimal) of what would be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// Size in bytes.
    pub size: u64,
    /// sha256 in hexadecimal.
    pub sha256: String,
}

/// A file operation that failed, with the path it failed on.
#[derive(Debug, thiserror::Error)]
#[error("cannot {verb} `{}`: {source}", .path.display())]
pub struct DiskError {
    verb: &'static str,
    /// Whether it only reads.
    is_read: bool,
    /// The file or folder.
    pub path: PathBuf,
    /// The system's error.
    pub source: io::Error,
}

impl DiskError {
    fn new(verb: &'static str, path: &Path, source: io::Error) -> Self {
        Self { verb, is_read: false, path: path.to_owned(), source }
    }

    /// The failure of an operation that only reads.
    fn unread(verb: &'static str, path: &Path, source: io::Error) -> Self {
        Self { is_read: true, ..Self::new(verb, path, source) }
    }

    /// How to fix it.
    pub fn help(&self) -> &'static str {
        let reading = self.is_read;
        if is_changed(&self.source) {
            return "wait until nothing changes the source, then build again";
        }
        if replace::is_displaced_error(&self.source) {
            return "wait until nothing else changes the output folder, then build again";
        }
        match self.source.kind() {
            io::ErrorKind::FileTooLarge if reading => "make it smaller, or check the path",
            io::ErrorKind::InvalidInput if reading => "put a regular file there",
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
                if temporary::is_own_temporary(&self.path) =>
            {
                temporary::DISK_FULL_HELP
            }
            io::ErrorKind::NotFound => "check the path",
            io::ErrorKind::PermissionDenied if reading => "make it readable",
            io::ErrorKind::PermissionDenied => "make the folder writable, or pass another one with `--out`",
            io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
                "move it away, or pass another folder with `--out`"
            }
            _ if reading => "check the disk, then try again",
            kind => match remedy(kind) {
                Some(remedy) if temporary::is_own_temporary(&self.path) => remedy.alone,
                Some(remedy) => remedy.or_out,
                None => "check the disk, or pass another folder with `--out`",
            },
        }
    }
}

/// Reads a whole file as text; `None` if there is no such file.
///
/// # Errors
/// When it exists and is not a regular file, cannot be read, is larger than 64 MiB, or is not valid UTF-8.
pub fn read_text(path: &Path) -> Result<Option<String>, DiskError> {
    read_bytes(path)?.map(|bytes| text(path, bytes)).transpose()
}

/// Reads a file of settings; `None` if there is no such file.
///
/// # Errors
/// When it exists and is not a regular file, cannot be read, or is larger than 4 MiB.
pub fn read_settings(path: &Path) -> Result<Option<Vec<u8>>, DiskError> {
    reader::read(path, SizeLimit::Settings)
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String, DiskError> {
    String::from_utf8(bytes).map_err(|_| {
        let error = io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8");
        DiskError::unread("read", path, error)
    })
}

/// Reads a whole file; `None` if there is no such file.
///
/// # Errors
/// When it exists and is not a regular file, cannot be read, or is larger than 64 MiB.
pub fn read_bytes(path: &Path) -> Result<Option<Vec<u8>>, DiskError> {
    reader::read(path, SizeLimit::Document)
}

/// Size and hash of `payload`.
pub fn fingerprint(payload: &Payload) -> Fingerprint {
    match payload {
        Payload::Text(text) => Fingerprint { size: text.len() as u64, sha256: sha256(text.as_bytes()) },
        Payload::CopyOf { fingerprint, .. } => fingerprint.clone(),
    }
}

/// Size and hash of the file at `path`, which had no link in it when it was found; `size` is its size at that time, if
/// known.
///
/// # Errors
/// When it cannot be read, a link has replaced it, or its size differs.
pub fn hash_in_place(path: &Path, size: Option<u64>) -> Result<Fingerprint, DiskError> {
    let hashed = open_beneath::open_in_place(path).and_then(|(mut file, meta)| {
        let size = size.unwrap_or(meta.len());
        let hashed = fingerprint_of(&mut file, size, |_| Ok(()))?;
        if hashed.size == size { Ok(hashed) } else { Err(changed_error()) }
    });
    hashed.map_err(|error| DiskError::unread("read", path, error))
}

/// Reads the file at `path`, which had no link in it when it was found, as text.
///
/// # Errors
/// As [`read_text`], and when a link has replaced it.
pub fn read_text_in_place(path: &Path) -> Result<String, DiskError> {
    let bytes = reader::read_in_place(path, SizeLimit::Document);
    text(path, bytes.map_err(|error| DiskError::unread("read", path, error))?)
}

/// Reads the file at `path` in `folder` as text, following no links.
///
/// # Errors
/// As [`read_text`], and when `path` goes through a link or out of the folder.
pub fn read_text_beneath(folder: &Path, path: &Utf8Path) -> Result<String, DiskError> {
    let full = folder.join(path);
    let file =
        open_beneath::open(folder, path).and_then(|file| reader::read_file(&file, SizeLimit::Document));
    text(&full, file.map_err(|error| DiskError::unread("read", &full, error))?)
}

/// Size and hash of the file at `path` in `folder`; `None` if it does not exist.
///
/// # Errors
/// When it cannot be read, is not a regular file, or is reached through a link.
pub fn hash_beneath(folder: &Path, path: &Utf8Path) -> Option<io::Result<Fingerprint>> {
    let hashed = open_beneath::open(folder, path)
        .and_then(|mut file| fingerprint_of(&mut file, SizeLimit::Program.bytes(), |_| Ok(())));
    missing_name::existing_path(hashed).transpose()
}

/// Why a file is not written: it has changed since it was hashed.
#[derive(Debug, thiserror::Error)]
#[error("it changed while it was being read")]
struct ContentMismatch;

fn changed_error() -> io::Error {
    io::Error::other(ContentMismatch)
}

fn is_changed(error: &io::Error) -> bool {
    error
        .get_ref()
        .is_some_and(|error| error.is::<ContentMismatch>() || error.is::<open_beneath::LinkInPlace>())
}

/// Whether the open `file` of `size` bytes contains exactly `payload`.
fn has_content(file: &mut fs::File, size: u64, payload: &Payload) -> io::Result<bool> {
    match payload {
        Payload::Text(text) => {
            let mut buffer = Vec::new();
            Ok(size == text.len() as u64 && read_whole(file, size, &mut buffer)? == text.as_bytes())
        }
        Payload::CopyOf { fingerprint, .. } => {
            Ok(size == fingerprint.size && fingerprint_of(file, u64::MAX, |_| Ok(()))? == *fingerprint)
        }
    }
}

/// Whether `path` in the open `folder` is a plain file with these bytes and this mode, not reached through a link.
///
/// # Errors
/// When it exists and cannot be read.
pub fn is_as_written(
    folder: &folder::Folder,
    path: &Utf8Path,
    executable: bool,
    print: &Fingerprint,
) -> Result<bool, DiskError> {
    let failed = |error| DiskError::unread("read", path.as_std_path(), error);
    let Ok((mut file, meta)) = open_beneath::open_in(folder, path) else { return Ok(false) };
    if meta.len() != print.size || replace::mode_differs(&meta, executable) {
        return Ok(false);
    }
    const READ_AT_ONCE: u64 = 1024 * 1024;
    if print.size > READ_AT_ONCE {
        return Ok(fingerprint_of(&mut file, u64::MAX, |_| Ok(())).map_err(failed)? == *print);
    }
    let mut buffer = Vec::new();
    let there = read_whole(&mut file, print.size, &mut buffer).map_err(failed)?;
    Ok(sha256(there) == print.sha256)
}

/// Reads a file of about `size` bytes into `buffer`, which only grows, so that many files can share one; a single read
/// call is enough if the file is not longer.
fn read_whole<'a>(file: &mut impl Read, size: u64, buffer: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
    let room = usize::try_from(size).unwrap_or(0) + 1;
    if buffer.len() < room {
        buffer.resize(room, 0);
    }
    let mut filled = 0;
    loop {
        match file.read(&mut buffer[filled..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
            // A short read: this is the end of the file.
            Ok(read) if filled + read < buffer.len() => {
                let ended = read == 0 || (filled + read) as u64 == size;
                filled += read;
                if ended {
                    return Ok(&buffer[..filled]);
                }
            }
            Ok(read) => {
                filled += read;
                buffer.resize(filled * 2, 0);
            }
        }
    }
}

/// Size and hash of the rest of an open file; each chunk is `passed` on. A file with more than `most` bytes has grown,
/// and may never end.
fn fingerprint_of(
    file: &mut fs::File,
    most: u64,
    mut passed: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<Fingerprint> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    let mut size = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(Fingerprint { size, sha256: hex(&hasher.finalize()) });
        }
        size += read as u64;
        if size > most {
            return Err(changed_error());
        }
        hasher.update(&buffer[..read]);
        passed(&buffer[..read])?;
    }
}

/// Bytes in lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

/// sha256 of `bytes` in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
