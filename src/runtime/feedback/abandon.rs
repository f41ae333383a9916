//! `feedback abandon`: ends a run that cannot continue, from any folder, and releases the working tree. Replies that are
//! posted stay.

use std::path::PathBuf;

use super::record::FeedbackRun;
use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::review::abandon::AbandonStatus;

pub use crate::runtime::review::abandon::Response;

options! {
    /// Abandon a run
    ///
    /// Nothing that was posted is undone, and the next run may use the working tree. Works from any folder.
    ///
    /// Exit codes: 0 abandoned; 2 wrong call; 3 state that this machine's helper did not write; 4 no such run,
    /// or a malformed document; 5 a file or folder cannot be read or written; 6 it has ended already; 7 git
    /// took too long.
    pub struct Options {
        /// The folder of the run
        run: PathBuf = "--run <DIR>",
    }
    examples: ["plugcast-run feedback abandon --run DIR"]
}

/// Runs the command.
///
/// # Errors
/// `finished`, and those of the store.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let run = FeedbackRun::open_unfinished(environment, &options.run)?;
    run.end(environment, "abandoned", Vec::new())?;
    let (run_id, tree) = (run.record.run_id, run.record.tree);
    Ok(Delivery::from_answer(&Response { status: AbandonStatus::Abandoned, run_id, tree }))
}
