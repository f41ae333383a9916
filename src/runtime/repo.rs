//! `repo`: what a skill needs to know about the repository it works in, and about the project inside.

pub mod base;
pub mod ide;
pub mod package_manager;
pub mod port;
pub mod project;
pub mod project_kind;
pub mod size;
pub mod surfaces;

use std::path::{Path, PathBuf};

use super::answer::{CallFailure, USAGE};
use super::error_code::ErrorCode;
use super::git::Repository;
use crate::disk;

/// A folder given on the command line, relative to the working directory, with links resolved; it must be inside the
/// repository.
///
/// # Errors
/// `no_folder` if it does not exist, `outside_repository` if it is elsewhere.
pub fn confined_folder(repository: &Repository, given: &Path) -> Result<PathBuf, CallFailure> {
    let path = repository.environment().path(given);
    let found = disk::canonical(&path).ok().filter(|path| disk::is_folder(path)).ok_or_else(|| {
        CallFailure::environment(
            ErrorCode::NoFolder,
            format!("`{}` is not a folder", given.display()),
            "check the path",
        )
    })?;
    if found.starts_with(&repository.top) {
        Ok(found)
    } else {
        let message = format!("`{}` is outside the repository", given.display());
        Err(CallFailure::new(USAGE, ErrorCode::OutsideRepository, message, "name a folder inside it"))
    }
}
