//! Why a check could not run.

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
    /// `[check]` names an unknown rule or group.
    #[error("unknown rule or group `{}` under `[check]`", .unknown.word)]
    Settings {
        /// The word.
        unknown: UnknownWord,
        /// File, line and column, if it was found in the file.
        place: Option<(String, usize, usize)>,
    },
    /// The options name an unknown rule or group.
    #[error("unknown rule or group `{}`", .0.word)]
    UnknownRule(UnknownWord),
    /// The options or the settings name an unknown host.
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
    /// No folder has labels.
    #[error("no labelled tree was found")]
    NoLabels,
    /// The labels of a tree cannot be read.
    #[error("{message}")]
    Labels {
        /// What is wrong.
        message: String,
        /// File, line and column.
        place: (String, usize, usize),
    },
    /// Git could not determine the changes.
    #[error(transparent)]
    Since(#[from] GitError),
    /// The source or its settings cannot be read.
    #[error(transparent)]
    Source(#[from] BuildError),
    /// A file cannot be changed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The check was interrupted.
    #[error(transparent)]
    Interrupted(io::Error),
}

impl From<DiskError> for CheckError {
    fn from(error: DiskError) -> Self {
        Self::Source(error.into())
    }
}
