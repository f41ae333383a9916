//! Why two states cannot be compared.

use crate::build::BuildError;
use crate::diagnostic::Diagnostic;
use crate::disk::DiskError;
use crate::git::GitError;
use crate::target::UnknownHost;

/// Why two states cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ComparisonError {
    /// A source or a bundle cannot be read.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A host is unknown.
    #[error(transparent)]
    UnknownHost(#[from] UnknownHost),
    /// The source of a commit cannot be read.
    #[error("{}", .error.to_string().replace(.folder, .label))]
    Commit {
        /// Why.
        error: Box<BuildError>,
        /// The state, as the user names it.
        label: String,
        /// Its folder in memory.
        folder: String,
    },
    /// A state is neither a folder nor a commit.
    #[error("the folder `{label}` does not exist; {error}")]
    NoState {
        /// The state, as the user names it.
        label: String,
        /// What git says about it.
        error: GitError,
    },
    /// A source without a readable plugin; otherwise everything would be reported as removed.
    #[error("no plugin of `{label}` can be read: {}", .first.message)]
    NoPlugin {
        /// The state, as the user names it.
        label: String,
        /// The first error in it.
        first: Box<Diagnostic>,
    },
    /// `REF:FOLDER` names a folder outside of the repository.
    #[error("`{label}` is not a folder of the repository")]
    NotInside {
        /// The state, as the user names it.
        label: String,
    },
    /// The states are bundles of different hosts.
    #[error("the two sides have no host in common")]
    NoHost {
        /// The hosts of each.
        help: String,
    },
}

impl ComparisonError {
    /// How to fix it.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Build(error) => error.help(),
            Self::Commit { error, .. } => error.help(),
            Self::Git(error) | Self::NoState { error, .. } => Some(&error.help),
            Self::UnknownHost(_) => None,
            Self::NoPlugin { first, .. } => first.help.as_deref(),
            Self::NotInside { .. } => {
                Some("write `REF:path/to/plugin`, counted from the top of the repository")
            }
            Self::NoHost { help } => Some(help),
        }
    }
}

impl From<DiskError> for ComparisonError {
    fn from(error: DiskError) -> Self {
        Self::Build(error.into())
    }
}
