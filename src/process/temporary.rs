//! The folder for temporary files: what cannot be made there is no fault of the program that needs it.

use std::io;
use std::path::{Path, PathBuf};

/// What to do about it.
pub const HELP: &str = "set `TMPDIR` to a folder that exists and can be written";
/// What to do where it is full.
pub const FULL: &str = "free some space there, or set `TMPDIR` to another folder";
/// How the names begin of what this program makes there.
pub const PREFIX: &str = "plugcast-";

/// The folder for temporary files cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the folder for temporary files, `{}`, cannot be used: {reason}", .folder.display())]
pub struct UnusableFolder {
    folder: PathBuf,
    reason: String,
}

/// The result of making something in that folder; a failure names it.
///
/// # Errors
/// The failure of `result`.
pub fn temporary<T>(result: io::Result<T>) -> io::Result<T> {
    result.map_err(|error| {
        let folder = folder();
        // The path of the file that could not be made is a random one.
        let reason = error.to_string().split(" at path ").next().unwrap_or_default().to_owned();
        io::Error::new(error.kind(), UnusableFolder { folder, reason })
    })
}

/// The folder for temporary files.
pub fn folder() -> PathBuf {
    tempfile::env::temp_dir()
}

/// Whether this program made what lies at `path`, or a folder above it, in that folder.
pub fn is_ours(path: &Path) -> bool {
    let inner = path.strip_prefix(folder()).ok();
    let first = inner.and_then(|inner| inner.components().next()?.as_os_str().to_str());
    first.is_some_and(|name| name.starts_with(PREFIX))
}

/// Whether `error` is about that folder.
pub fn is_unusable(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<UnusableFolder>())
}
