//! Why a check could not do its work.

use std::io;

use crate::build::BuildError;
use crate::check::settings::UnknownWord;
use crate::disk::DiskError;
use crate::disk::edit::EditError;
use crate::git::GitError;
use crate::target::UnknownHost;

/// Why a source could not be checked. User mistakes in a source are diagnostics instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// `[check]` names a rule or a group that there is none of.
    #[error("unknown rule or group `{}` under `[check]`", .unknown.word)]
    Settings {
        /// The word.
        unknown: UnknownWord,
        /// File, line and column, where it was found there.
        place: Option<(String, usize, usize)>,
    },
    /// The options name a rule or a group that there is none of.
    #[error("unknown rule or group `{}`", .0.word)]
    UnknownRule(UnknownWord),
    /// The options or the settings name a host that there is none of.
    #[error(transparent)]
    UnknownHost(#[from] UnknownHost),
    /// The baseline cannot be used.
    #[error("{message}")]
    Baseline {
        /// What is wrong.
        message: String,
        /// File, line and column.
        place: Option<(String, usize, usize)>,
    },
    /// Git cannot tell what changed.
    #[error(transparent)]
    Since(#[from] GitError),
    /// The source or its settings cannot be read.
    #[error(transparent)]
    Source(#[from] BuildError),
    /// A file cannot be changed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// An interrupt came before the work was done.
    #[error(transparent)]
    Interrupted(io::Error),
}

impl From<DiskError> for CheckError {
    fn from(error: DiskError) -> Self {
        Self::Source(error.into())
    }
}
