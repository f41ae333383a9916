//! `review abandon`: abandons a review that cannot continue, at any step and from any folder, and releases the working
//! tree.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::run_folder::{ReviewEnding, RunFolder};
use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::git::Repository;

options! {
    /// Abandon a review
    ///
    /// It has no result, and the next review may use the working tree. Works from any folder.
    ///
    /// Exit codes: 0 abandoned; 2 wrong call; 3 state that this machine's helper did not write; 4 no such run,
    /// or a malformed document; 5 a file or folder cannot be read or written; 6 it has ended already; 7 git
    /// took too long.
    pub struct Options {
        /// The folder of the run
        pub(super) run: PathBuf = "--run <DIR>",
    }
    examples: ["plugcast-run review abandon --run DIR"]
}

/// The answer of `review abandon`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// `abandoned`.
    pub status: AbandonStatus,
    /// The run's name.
    pub run_id: String,
    /// The working tree that was released.
    pub tree: String,
}

/// `review abandon` has no other answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AbandonStatus {
    /// Abandoned.
    Abandoned,
}

/// Runs the command.
///
/// # Errors
/// `finished`, `malformed_json`, `locked`, `state_unwritable`, `sandboxed`, and those of [`RunFolder::open`].
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let folder = RunFolder::open(environment, &options.run)?;
    folder.must_be_open()?;
    folder.close(environment, ReviewEnding::Abandoned, head_moved(&folder, environment))?;
    let RunFolder { record, .. } = folder;
    Ok(Delivery::from_answer(&Response {
        status: AbandonStatus::Abandoned,
        run_id: record.run_id,
        tree: record.tree,
    }))
}

/// Whether HEAD has moved since the beginning; the working tree may be gone.
pub(super) fn head_moved(folder: &RunFolder, environment: &Environment) -> bool {
    let head = Repository::find(environment, Path::new(&folder.record.tree))
        .and_then(|repository| repository.commit("HEAD"));
    head.ok().flatten().as_ref() != Some(&folder.record.head_sha)
}
