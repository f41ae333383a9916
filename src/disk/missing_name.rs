//! Converts errors about missing names to results.

use std::io;

/// The result of a lookup by name; `None` if the name does not exist.
pub(super) fn existing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

/// The same for a path; `None` also if a part of it is not a folder.
pub(super) fn existing_path<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
        result => existing(result),
    }
}

/// The result of a removal: a name that was already missing is not an error.
pub(super) fn gone(result: io::Result<()>) -> io::Result<()> {
    existing(result).map(drop)
}
