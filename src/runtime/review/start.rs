//! `review start`: makes the folder of a review, and takes the working tree for it where it will change files.

use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Mode;
use super::run_folder::{self, Ending, Record, WORKFLOW, parsed, text};
use crate::disk;
use crate::runtime::answer::{CONTENDED, Failure, Said};
use crate::runtime::git::Repository;
use crate::runtime::moment::Moment;
use crate::runtime::store::{self, Step, Store};
use crate::runtime::surroundings::Surroundings;

/// How long a review may hold a working tree without an end, in seconds.
const PATIENCE: u64 = 60 * 60;

/// Begin a review that may change files
///
/// Makes a new folder for it and takes the working tree, until `review finish`. A review in `report-only`
/// gets neither: it leaves no trace.
///
/// Exit codes: 0 begun; 2 wrong call; 5 no repository, or no folder can be written: a review may go on
/// without one; 6 another review has this working tree: `--take-over` ends that one.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  plugcast-run review start --mode headless")]
pub struct Options {
    /// How the review runs
    #[arg(long, value_enum, default_value_t = Mode::Interactive)]
    mode: Mode,
    /// The commit that it is compared with
    #[arg(long, value_name = "COMMIT")]
    base_sha: Option<String>,
    /// End the review that has this working tree
    #[arg(long)]
    take_over: bool,
}

/// The answer of `review start`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// Whether there is a folder.
    pub status: Status,
    /// The run's name.
    pub run_id: Option<String>,
    /// Its folder, absolute.
    pub run_dir: Option<String>,
    /// The folder of all runs and records.
    pub state_root: Option<String>,
    /// How it runs.
    pub mode: Mode,
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
pub enum Status {
    /// There is.
    Started,
    /// There is none: the review leaves no trace.
    Untraced,
}

/// Who has a working tree.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Taken {
    /// The run.
    pub run_id: String,
    /// Since when.
    pub started_at: String,
}

/// Where it stands who has a working tree, relative to the store's folder.
pub fn taken_at(worktree: &str) -> PathBuf {
    let hash = disk::sha256(worktree.as_bytes());
    Path::new("local").join("locks").join(format!("review-{}.json", &hash[..16]))
}

/// Runs the command.
///
/// # Errors
/// `taken`, `locked`, `state_unwritable`, `sandboxed`, `not_a_repository`.
pub fn run(options: &Options, surroundings: &Surroundings, root: Option<PathBuf>) -> Result<Said, Failure> {
    let repository = Repository::find(surroundings, &surroundings.folder)?;
    let mut record = Record::new(String::new(), options.mode, surroundings);
    record.branch = repository.branch()?;
    record.head_sha = repository.must_commit("HEAD")?;
    record.base_sha.clone_from(&options.base_sha);
    record.worktree = repository.top.display().to_string();
    let mut answer = Answer {
        status: Status::Untraced,
        run_id: None,
        run_dir: None,
        state_root: None,
        mode: options.mode,
        branch: record.branch.clone(),
        head_sha: record.head_sha.clone(),
        abandoned: None,
    };
    if options.mode == Mode::ReportOnly {
        return Ok(Said::of(&answer));
    }
    let mut refused = None;
    for place in store::places(&repository, root.as_deref())? {
        let store = Store::at(place, surroundings);
        match begin(&store, options, record.clone(), surroundings) {
            Ok((run_id, folder, abandoned)) => {
                answer.status = Status::Started;
                answer.run_id = Some(run_id);
                answer.run_dir = Some(folder.display().to_string());
                answer.state_root = Some(store.root.display().to_string());
                answer.abandoned = abandoned;
                return Ok(Said::of(&answer));
            }
            // The next place may be writable.
            Err(failure) if matches!(failure.error.code.as_str(), "state_unwritable" | "sandboxed") => {
                refused.get_or_insert(failure);
            }
            Err(failure) => return Err(failure),
        }
    }
    Err(refused.unwrap_or_else(|| {
        Failure::environment("state_unwritable", "no folder can be written", "name one with `--root`")
    }))
}

fn begin(
    store: &Store,
    options: &Options,
    mut record: Record,
    surroundings: &Surroundings,
) -> Result<(String, PathBuf, Option<String>), Failure> {
    let held = store.lock()?;
    let now = surroundings.now();
    let runs = store.runs(WORKFLOW);
    let path = taken_at(&record.worktree);
    let mut steps = Vec::new();
    let mut abandoned = None;
    if let Some(taken) = parsed::<Taken>(&store.root.join(&path))? {
        let folder = runs.join(&taken.run_id);
        let unfinished =
            disk::is_file(&folder.join("run.json")) && !disk::is_file(&folder.join("metadata.json"));
        let age = Moment::parse(&taken.started_at).map_or(PATIENCE, |since| now.seconds_since(since));
        if unfinished && age < PATIENCE && !options.take_over {
            let message = format!("review `{}` has this working tree since {} s", taken.run_id, age);
            let hint = "wait until it has ended, or pass `--take-over` to end it";
            return Err(Failure::new(CONTENDED, "taken", message, hint));
        }
        if unfinished && let Some(old) = parsed::<Record>(&folder.join("run.json"))? {
            let metadata = old.ended(surroundings, Ending::Abandoned, None, false);
            let path = Path::new("runs").join(WORKFLOW).join(&taken.run_id).join("metadata.json");
            steps.push(Step::Write { path, text: text(&metadata) });
            abandoned = Some(taken.run_id);
        }
    }
    let run_id = loop {
        let run_id = format!("{}-{}", now.stamp(), surroundings.chance());
        if held.claim(&runs.join(&run_id))? {
            break run_id;
        }
    };
    record.run_id.clone_from(&run_id);
    let taken = Taken { run_id: run_id.clone(), started_at: record.started_at.clone() };
    let own = Path::new("runs").join(WORKFLOW).join(&run_id).join("run.json");
    steps.push(Step::Write { path: own, text: run_folder::text(&record) });
    steps.push(Step::Write { path, text: text(&taken) });
    held.together(steps)?;
    Ok((run_id.clone(), runs.join(&run_id), abandoned))
}
