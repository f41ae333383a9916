//! The folder for temporary files, with errors that name it as the cause.

use std::io;
use std::path::{Path, PathBuf};

/// How to fix it.
pub const HELP: &str = "set `TMPDIR` to a folder that exists and can be written";
/// How to fix it if it is full.
pub const DISK_FULL_HELP: &str = "free some space there, or set `TMPDIR` to another folder";
/// The prefix of this program's files there.
pub const PREFIX: &str = "plugcast-";

/// The folder for temporary files cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the folder for temporary files, `{}`, cannot be used: {reason}", .folder.display())]
pub struct UnusableFolder {
    folder: PathBuf,
    reason: String,
}

/// Converts the result of creating a file in that folder; an error names the folder.
///
/// # Errors
/// The failure of `result`.
pub fn temporary<T>(result: io::Result<T>) -> io::Result<T> {
    result.map_err(|error| {
        let folder = folder();
        // Drop the random path of the file.
        let reason = error.to_string().split(" at path ").next().unwrap_or_default().to_owned();
        io::Error::new(error.kind(), UnusableFolder { folder, reason })
    })
}

/// The folder for temporary files.
pub fn folder() -> PathBuf {
    tempfile::env::temp_dir()
}

/// Whether `path` is inside of a file or folder that this program created there.
pub fn is_own_temporary(path: &Path) -> bool {
    let inner = path.strip_prefix(folder()).ok();
    let first = inner.and_then(|inner| inner.components().next()?.as_os_str().to_str());
    first.is_some_and(|name| name.starts_with(PREFIX))
}

/// Whether `error` is about that folder.
pub fn is_unusable(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<UnusableFolder>())
}
