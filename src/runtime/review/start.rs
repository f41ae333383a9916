//! `review start`: creates the folder of a review, and claims the working tree if the review may change files.

use schemars::JsonSchema;
use serde::Serialize;

use super::ReviewMode;
use super::run_folder::{ReviewRecord, RunFolder};
use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::git::Repository;

options! {
    /// Begin a review that may change files
    ///
    /// Creates a folder for it and claims the working tree, until `review finish`. A review in `report-only`
    /// does neither: it leaves no trace.
    ///
    /// Exit codes: 0 begun; 2 wrong call; 3 state that this machine's helper did not write; 4 a malformed
    /// document of the helper; 5 no repository, or no folder can be written: a review may continue without one;
    /// 6 another review has this working tree: `--take-over` ends that one; 7 git took too long.
    pub struct Options {
        /// How the review runs
        mode: ReviewMode = "--mode <MODE>" { default: Some("interactive") },
        /// The commit to compare with
        base_sha: Option<String> = "--base-sha <COMMIT>",
        /// End the review that has this working tree
        take_over: bool = "--take-over",
    }
    examples: ["plugcast-run review start --mode headless"]
}

/// The answer of `review start`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether there is a folder.
    pub status: StartStatus,
    /// The run's name.
    pub run_id: Option<String>,
    /// Its folder, absolute.
    pub run_dir: Option<String>,
    /// The folder of all runs and records.
    pub state_root: Option<String>,
    /// Its mode.
    pub mode: ReviewMode,
    /// The branch; none for a detached HEAD.
    pub branch: Option<String>,
    /// The commit.
    pub head_sha: String,
    /// The run that was ended for this one.
    pub abandoned: Option<String>,
}

/// Whether there is a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StartStatus {
    /// There is a folder.
    Started,
    /// There is no folder: the review leaves no trace.
    Untraced,
}

/// Runs the command.
///
/// # Errors
/// `taken`, `locked`, `malformed_json`, `state_unwritable`, `sandboxed`, `not_a_repository`, `bad_ref`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let root = environment.root();
    let repository = Repository::find(environment, &environment.folder)?;
    let mut record = ReviewRecord::new(String::new(), options.mode, environment);
    record.branch = repository.branch()?;
    record.head_sha = repository.must_commit("HEAD")?;
    record.base_sha.clone_from(&options.base_sha);
    record.tree = repository.top.display().to_string();
    if options.mode == ReviewMode::ReportOnly {
        let (branch, head_sha) = (record.branch, record.head_sha);
        return Ok(Delivery::from_answer(&Response {
            status: StartStatus::Untraced,
            run_id: None,
            run_dir: None,
            state_root: None,
            mode: options.mode,
            branch,
            head_sha,
            abandoned: None,
        }));
    }
    let (folder, abandoned) = RunFolder::claim(&repository, root, record, options.take_over)?;
    Ok(Delivery::from_answer(&Response {
        status: StartStatus::Started,
        run_id: Some(folder.record.run_id),
        run_dir: Some(folder.path.display().to_string()),
        state_root: Some(folder.store.root.display().to_string()),
        mode: options.mode,
        branch: folder.record.branch,
        head_sha: folder.record.head_sha,
        abandoned,
    }))
}
