//! `polish cancel`: ends a polish early. Nothing is undone.

use std::path::{Path, PathBuf};

use super::envelope::{self, EnvelopeStatus};
use super::record::PolishRun;
use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;

pub use super::envelope::Response;

options! {
    /// End a polish early
    ///
    /// What was repaired stays, and so does everything else in the working tree. Items that were to be repaired
    /// and have no result count as not dispatched. A checklist that cannot be read does not matter: its items
    /// count as they were written. `--format text` prints the envelope.
    ///
    /// Exit codes: 0 ended; 2 wrong call; 3 state that this machine's helper did not write; 4 a malformed
    /// document of the helper; 5 it cannot be written, or git failed; 6 the run ended; 7 git took too long.
    pub struct Options {
        /// The run of `polish acquire --apply`
        pub(super) run: PathBuf = "--run <DIR>",
    }
    examples: ["plugcast-run polish cancel --run DIR"]
}

/// Runs the command.
///
/// # Errors
/// What the store refuses.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let run = PolishRun::open(environment, &options.run)?;
    run.must_be_open()?;
    // Works from any tree and commit, since it is the way out of a stuck run.
    match Repository::find(environment, Path::new(&run.record.tree)) {
        Ok(tree) => envelope::finish(&run, &tree, EnvelopeStatus::Partial, false),
        Err(failure) if matches!(failure.error.code, ErrorCode::NoFolder | ErrorCode::NotARepository) => {
            envelope::end_without_tree(&run, environment, &failure)
        }
        Err(failure) => Err(failure),
    }
}
