//! The pipeline: find the plugins of a source, read and model them, lower and emit them for a host, and read the
//! emitted files back. Writing is a separate step.

mod adjacent;
mod assemble;
pub mod cache;
mod catalogue;
mod command_objects;
mod config_fault;
mod config_file;
mod containment;
mod counts;
mod discover;
pub mod helper;
mod hidden_text;
mod layout;
mod linked_components;
mod listing;
mod losses;
mod output;
mod overrides;
mod pages;
mod request;
mod same_names;
mod tracked_files;
mod typed_names;
mod understand;
mod unlisted_files;

use std::path::PathBuf;

pub use crate::disk::lock::OutputFolder;
pub use crate::disk::walk::SkipPolicy;
pub use assemble::{BundleRecord, HostBundle};
pub(crate) use assemble::{Purpose, assemble, source_digest};
pub use config_file::{config_of, nearest_config, read_config, read_config_in};
pub use counts::PluginCounts;
pub(crate) use discover::discover;
pub use discover::{COMPONENT_FOLDERS, DiscoveredSource, README, is_source, must_be_there};
pub use hidden_text::hidden_text_findings;
pub use losses::{Denial, LossIds, UNMATCHED, denied_losses, ledger_of, loss_ids, unmatched};
pub use output::{
    WriteSummary, check_place, complete, manifest_of, must_be_finished, must_be_plain, plan_changes, write,
};
pub use pages::PAGES;
pub use request::SourceRequest;
pub(crate) use understand::model_source;
pub use unlisted_files::{unlisted, unlisted_findings, unlisted_there};

use crate::disk::DiskError;
use crate::disk::lock::LockError;
use crate::disk::walk::WalkError;
use crate::emit::markdown::MarkdownError;
use crate::target::Targets;

/// From this many files on, the message says how many were searched.
const COUNTED_FROM: usize = 1_000;

/// Why a source contains no plugin; for a large source, with the number of files searched.
fn none_of(files: usize) -> String {
    let wanted = "marketplace, manifest, skill, agent or command";
    match files {
        0..COUNTED_FROM => format!("it has no {wanted} at any depth"),
        many => format!("none of its {many} files is a {wanted}"),
    }
}

/// Why a build could not run. User mistakes in a source are diagnostics instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// SRC does not exist.
    #[error("the folder `{}` does not exist", .0.display())]
    NoSource(PathBuf),
    /// SRC contains no plugin.
    #[error("no plugin found in `{}`: {}", .src.display(), none_of(*.files))]
    NoPlugin {
        /// SRC.
        src: PathBuf,
        /// How many of its files were listed.
        files: usize,
    },
    /// SRC contains only the components of a project.
    #[error("no plugin found in `{}`, but `{}` contains the skills, agents or commands of a project", .src.display(), .project.display())]
    OnlyProject {
        /// SRC.
        src: PathBuf,
        /// The folder that can be built.
        project: PathBuf,
    },
    /// Every plugin of the marketplace comes from another repository.
    #[error("every plugin of the marketplace in `{}` comes from another repository", .0.display())]
    OnlyRemote(PathBuf),
    /// SRC is git's data folder.
    #[error("`{}` is git's internal data folder", .0.display())]
    GitDirectory(PathBuf),
    /// A configuration file cannot be used.
    #[error("{message}")]
    Config {
        /// The file.
        path: String,
        /// 1-based line.
        line: usize,
        /// 1-based column.
        column: usize,
        /// What is wrong.
        message: String,
        /// How to fix it.
        help: Option<String>,
    },
    /// A plugin ships the helper, which is not available.
    #[error("{message}")]
    Helper {
        /// What is wrong.
        message: String,
        /// How to fix it.
        help: String,
    },
    /// Files that plugcast did not write are where emitted files must go.
    #[error("`{}` contains files that plugcast did not write and would have to overwrite: {}", .folder.display(), .paths.join(", "))]
    Conflict {
        /// The output folder of the host.
        folder: PathBuf,
        /// The files, relative to it.
        paths: Vec<String>,
    },
    /// A bundle cannot be written to its output folder.
    #[error("`{}` {why}", .folder.display())]
    Place {
        /// The output folder, or the host's folder in it.
        folder: PathBuf,
        /// Why it is not usable.
        why: &'static str,
        /// How to fix it.
        help: &'static str,
    },
    /// A build was interrupted between two renames; only the next build may complete it.
    #[error("an interrupted build did not finish `{}`", .0.display())]
    Unfinished(PathBuf),
    /// A document of an earlier build cannot be trusted.
    #[error("`{}`: {message}", .path.display())]
    Document {
        /// The file.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// A file operation failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A walk could not start.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// Neither the command line nor the settings name a host.
    #[error("no host given")]
    NoHost {
        /// How to fix it.
        help: String,
    },
    /// A bundle that must be complete lacks what has errors in the source.
    #[error("the source has errors, the first at {path}:{line}: {message}")]
    Faulty {
        /// The file.
        path: String,
        /// 1-based line.
        line: usize,
        /// The first error.
        message: String,
    },
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// Another build is writing.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A target's template is wrong, or the lowering has a bug.
    #[error(transparent)]
    Emit(#[from] MarkdownError),
    /// A document cannot be written as TOML.
    #[error("`{0}` cannot be written as TOML: {1}")]
    Toml(String, String),
}

impl BuildError {
    /// The error of a command that was given no host.
    pub fn no_host(targets: &Targets) -> Self {
        Self::NoHost { help: format!("pass `--to` with some of: {}, all", targets.names().join(", ")) }
    }

    /// The error code, for scripts.
    pub fn code(&self) -> &'static str {
        match self {
            BuildError::NoSource(_) => "no-source",
            BuildError::OnlyRemote(_) => "no-plugin",
            BuildError::NoPlugin { .. } | BuildError::OnlyProject { .. } => "no-plugin",
            BuildError::GitDirectory(_) => "git-folder",
            BuildError::Config { .. } => "config",
            BuildError::Helper { .. } => "helper",
            BuildError::NoHost { .. } => "usage",
            BuildError::Faulty { .. } => "source",
            BuildError::Interrupted => "interrupted",
            BuildError::Conflict { .. } => "conflict",
            BuildError::Place { .. } => "place",
            BuildError::Unfinished(_) => "unfinished",
            BuildError::Document { .. } => "document",
            BuildError::Lock(LockError::Held { .. }) => "locked",
            BuildError::Walk(WalkError::Glob(..)) => "config",
            BuildError::Disk(_) | BuildError::Walk(_) | BuildError::Lock(_) => "io",
            BuildError::Emit(_) | BuildError::Toml(..) => "emit",
        }
    }

    /// How to fix it.
    pub fn help(&self) -> Option<&str> {
        match self {
            BuildError::NoSource(_) | BuildError::GitDirectory(_) => {
                Some("pass the folder of a plugin, of a marketplace or of skills")
            }
            BuildError::OnlyRemote(_) => Some("pass a checkout of the plugin's own repository"),
            BuildError::OnlyProject { .. } => Some("pass that folder to build a plugin from them"),
            BuildError::NoPlugin { .. } => Some("add `skills/<name>/SKILL.md`, or pass another folder"),
            BuildError::Config { help: Some(help), .. }
            | BuildError::Helper { help, .. }
            | BuildError::NoHost { help } => Some(help),
            BuildError::Faulty { .. } => Some("run `plugcast build` to see them all"),
            BuildError::Config { .. } => Some(
                "sections: [build] (to, out, name, marketplace, exclude, include, deny-loss), [targets.HOST] (rename, frontmatter, models, tools), [runtime] (helper, ship), [runtime.bin.NAME] (one path per platform), [check], [release], [[accept-loss]] (id, hosts, reason)",
            ),
            BuildError::Walk(WalkError::Glob(..)) => Some("write a glob such as `docs/**` or `*.bak`"),
            BuildError::Conflict { .. } => Some("move those files away, or pass another folder with `--out`"),
            BuildError::Place { help, .. } => Some(help),
            BuildError::Unfinished(_) => {
                Some("run `plugcast build` with this output folder: it completes the interrupted build")
            }
            BuildError::Document { .. } => {
                Some("remove the output folder, or use the plugcast that wrote it")
            }
            BuildError::Lock(LockError::Held { .. }) => Some("wait for it to finish, or stop it"),
            BuildError::Disk(error)
            | BuildError::Lock(LockError::Disk(error))
            | BuildError::Walk(WalkError::Disk(error)) => Some(error.help()),
            BuildError::Emit(MarkdownError::Template(_)) => Some("fix the template in its `target.toml`"),
            BuildError::Emit(MarkdownError::Overlap { .. })
            | BuildError::Toml(..)
            | BuildError::Interrupted => None,
        }
    }
}
