//! Converts errors about missing names to results.

use std::io;

/// The result of a lookup by name; `None` if the name does not exist.
pub(super) fn none_if_missing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

/// The same for a path; `None` also if a part of it is not a folder.
pub(super) fn existing_path<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
        result => none_if_missing(result),
    }
}

/// The result of a removal: a name that was already missing is not an error.
pub(super) fn ok_if_missing(result: io::Result<()>) -> io::Result<()> {
    none_if_missing(result).map(drop)
}
