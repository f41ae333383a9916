//! Why a release could not be checked.

use crate::build::BuildError;
use crate::check_session::CheckError;
use crate::disk::DiskError;
use crate::disk::edit::EditError;
use crate::git::GitError;

/// Why a release could not be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A source or a bundle cannot be read.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A rule cannot be run, or a host is unknown.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// A fix cannot be written.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A file cannot be read.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The configuration is invalid.
    #[error("{message}")]
    Config {
        /// What is wrong.
        message: String,
        /// How to fix it.
        help: String,
    },
}
