//! The only owner of files: reads a source, writes a bundle in one step, keeps the lock. Everything
//! else gets data.
#![expect(clippy::disallowed_methods, reason = "this module and its children are the one owner of files")]

pub mod beneath;
pub mod durable;
pub mod edit;
pub mod foreign;
pub mod lock;
pub mod reader;
pub mod replace;
pub mod root;
pub mod scratch;
mod step;
pub mod together;
pub mod walk;

use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::source::Text;
use reader::SizeLimit;

/// What a file to be written holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// This text.
    Text(Text),
    /// The bytes of that file, copied without being held in memory.
    CopyOf(PathBuf),
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
    /// The file or folder.
    pub path: PathBuf,
    /// The system's error.
    pub source: io::Error,
}

impl DiskError {
    fn new(verb: &'static str, path: &Path, source: io::Error) -> Self {
        Self { verb, path: path.to_owned(), source }
    }

    /// What stopped a walk below `folder`: where, and why.
    fn walking(verb: &'static str, folder: &Path, error: walkdir::Error) -> Self {
        let path = error.path().unwrap_or(folder).to_owned();
        let into_itself = || io::Error::other("a link leads back into a folder above it");
        Self { verb, path, source: error.into_io_error().unwrap_or_else(into_itself) }
    }

    /// What to do.
    pub fn help(&self) -> &'static str {
        let reading = matches!(self.verb, "read" | "list" | "find");
        match self.source.kind() {
            io::ErrorKind::FileTooLarge if reading => "make it smaller, or check the path",
            io::ErrorKind::InvalidInput if reading => "put a regular file there",
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                "free some space, or pass another folder with `--out`"
            }
            io::ErrorKind::NotFound => "check the path",
            io::ErrorKind::PermissionDenied if reading => "make it readable",
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                "make the folder writable, or pass another one with `--out`"
            }
            io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
                "move what is there away, or pass another folder with `--out`"
            }
            _ if reading => "check the disk, then try again",
            _ => "check the disk, or pass another folder with `--out`",
        }
    }
}

/// Reads a whole file as text; `None` if there is no such file.
///
/// # Errors
/// When it exists and is no regular file, cannot be read, is larger than 64 MiB, or is no UTF-8.
pub fn read_text(path: &Path) -> Result<Option<String>, DiskError> {
    read_bytes(path)?.map(|bytes| text(path, bytes)).transpose()
}

/// Reads a file of settings as text; `None` if there is no such file.
///
/// # Errors
/// As [`read_text`], and when it is larger than 4 MiB.
pub fn read_settings(path: &Path) -> Result<Option<String>, DiskError> {
    reader::read(path, SizeLimit::Settings)?.map(|bytes| text(path, bytes)).transpose()
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String, DiskError> {
    String::from_utf8(bytes).map_err(|_| {
        let error = io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8");
        DiskError::new("read", path, error)
    })
}

/// Reads a whole file; `None` if there is no such file.
///
/// # Errors
/// When it exists and is no regular file, cannot be read, or is larger than 64 MiB.
pub fn read_bytes(path: &Path) -> Result<Option<Vec<u8>>, DiskError> {
    reader::read(path, SizeLimit::Document)
}

/// What stands at a path, links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A file, or anything else.
    File,
}

/// What stands at `path`; `None` when nothing does, or it cannot be known.
pub fn kind(path: &Path) -> Option<Kind> {
    let meta = fs::symlink_metadata(path).ok()?;
    Some(if meta.is_dir() {
        Kind::Folder
    } else if meta.is_symlink() {
        Kind::Link
    } else {
        Kind::File
    })
}

/// Whether `path` is a folder, through links.
pub fn is_folder(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// Whether `path` is a file, through links.
pub fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_file())
}

/// The absolute path without links.
///
/// # Errors
/// When there is nothing at `path`.
pub fn canonical(path: &Path) -> Result<PathBuf, DiskError> {
    fs::canonicalize(path).map_err(|error| DiskError::new("find", path, error))
}

/// Whether `path` stays in `top`: by its names, and through the links of what is there of it.
pub fn is_inside(top: &Path, path: &Path) -> bool {
    let top = if top.as_os_str().is_empty() { Path::new(".") } else { top };
    let Ok(real_top) = fs::canonicalize(top) else { return false };
    let mut depth = 0_usize;
    for part in path.strip_prefix(top).unwrap_or(path).components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            _ => return false,
        }
    }
    let there = path.ancestors().find(|part| fs::symlink_metadata(part).is_ok());
    there.is_some_and(|part| fs::canonicalize(part).is_ok_and(|real| real.starts_with(&real_top)))
}

/// Names directly below `folder` with whether each is a folder (through links), sorted; names that
/// are no UTF-8 are left out.
///
/// # Errors
/// When `folder` cannot be listed.
pub fn list(folder: &Path) -> Result<Vec<(String, bool)>, DiskError> {
    let failed = |error| DiskError::new("list", folder, error);
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
    names.sort();
    Ok(names)
}

/// What the symbolic links directly below `folder` say; empty when it cannot be listed.
pub fn links(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let target = |entry: fs::DirEntry| fs::read_link(entry.path()).ok()?.into_os_string().into_string().ok();
    entries.filter_map(|entry| target(entry.ok()?)).collect()
}

/// Size and hash of `payload`.
///
/// # Errors
/// When a file to copy cannot be read.
pub fn fingerprint(payload: &Payload) -> Result<Fingerprint, DiskError> {
    match payload {
        Payload::Text(text) => Ok(Fingerprint { size: text.len() as u64, sha256: sha256(text.as_bytes()) }),
        Payload::CopyOf(path) => fingerprint_file(path).map_err(|error| DiskError::new("read", path, error)),
    }
}

/// Whether the file at `path`, of `size` bytes, holds exactly `payload`.
///
/// # Errors
/// When one of the files cannot be read.
pub(crate) fn holds(path: &Path, size: u64, payload: &Payload) -> Result<bool, DiskError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| DiskError::new("read", &path, error)
    };
    match payload {
        Payload::Text(text) => {
            if size != text.len() as u64 {
                return Ok(false);
            }
            let mut buffer = Vec::new();
            let mut file = reader::open(path).map_err(failed(path))?;
            Ok(read_whole(&mut file, size, &mut buffer).map_err(failed(path))? == text.as_bytes())
        }
        Payload::CopyOf(from) => {
            let meta = fs::metadata(from).map_err(failed(from))?;
            if size != meta.len() {
                return Ok(false);
            }
            Ok(fingerprint_file(path).map_err(failed(path))?
                == fingerprint_file(from).map_err(failed(from))?)
        }
    }
}

/// Whether `path` is a plain file with these bytes and this mode.
///
/// # Errors
/// When it is there and cannot be read.
pub fn is_as_written(path: &Path, executable: bool, print: &Fingerprint) -> Result<bool, DiskError> {
    let failed = |error| DiskError::new("read", path, error);
    let meta = match fs::symlink_metadata(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(false);
        }
        meta => meta.map_err(failed)?,
    };
    if !meta.is_file() || meta.len() != print.size || replace::mode_differs(&meta, executable) {
        return Ok(false);
    }
    const HELD: u64 = 1024 * 1024;
    if print.size > HELD {
        return Ok(fingerprint_file(path).map_err(failed)? == *print);
    }
    let mut buffer = Vec::new();
    let mut file = reader::open(path).map_err(failed)?;
    let there = read_whole(&mut file, print.size, &mut buffer).map_err(failed)?;
    Ok(sha256(there) == print.sha256)
}

/// Reads a file that is about `size` bytes long into `buffer`, which only grows, so that many files
/// need one; one call is enough when the file is not longer.
fn read_whole<'a>(file: &mut fs::File, size: u64, buffer: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
    let room = usize::try_from(size).unwrap_or(0) + 1;
    if buffer.len() < room {
        buffer.resize(room, 0);
    }
    let mut filled = 0;
    loop {
        match file.read(&mut buffer[filled..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
            // Fewer bytes than there is room for: the file ends here.
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

fn fingerprint_file(path: &Path) -> io::Result<Fingerprint> {
    fingerprint_of(&mut reader::open(path)?, |_| Ok(()))
}

/// Size and hash of the rest of an open file, each piece of which is `passed` on.
fn fingerprint_of(
    file: &mut fs::File,
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
