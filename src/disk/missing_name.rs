//! A name that is missing is an answer, not a failure.

use std::io;

/// What was asked for by name; `None` where nothing has that name.
pub(super) fn existing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

/// The same for a path; `None` also where a part of it is no folder.
pub(super) fn existing_path<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
        result => existing(result),
    }
}

/// Checks that a name is gone: one that was missing before is no error.
pub(super) fn gone(result: io::Result<()>) -> io::Result<()> {
    existing(result).map(drop)
}
