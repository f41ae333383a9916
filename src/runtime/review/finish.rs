//! `review finish`: records the repairs and the result of a review, and releases the working tree.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::ReviewMode;
use super::abandon::head_moved;
use super::findings::{FindingOwner, Misplacement, RepairClass};
use super::merge::{self, MergedFinding};
use super::render::{self, todo, view::ReportEntry};
use super::repairs::AppliedRepairs;
use super::run_folder::{RESIDUAL, ReviewEnding, ReviewMetadata, RunFolder, queue, text};
use super::verdict::ReviewVerdict;
use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::store::StoreStep;

options! {
    /// End a review
    ///
    /// Reads the working tree again, and writes `applied.json`, `report.md` and, last, `metadata.json`; in
    /// `autofix` also one file in `todos/` for every finding that is left to a later step or that the fixer did
    /// not repair, and for every unmet requirement. The repairs are read from the fixer's replies in the run,
    /// or from `--applied`: a JSON list of ids, or an object with that list as `applied`. Only ids that a step
    /// allowed count. From then on `review render` prints this report.
    ///
    /// Exit codes: 0 ended; 2 wrong call; 3 state that this machine's helper did not write; 4 nothing was merged yet,
    /// or a malformed document; 5 a file or folder cannot be read or written; 6 it has ended already, or is bound to
    /// another tree or commit; 7 git took too long.
    pub struct Options {
        /// The folder of the run
        pub(super) run: PathBuf = "--run <DIR>",
        /// The file with the repairs; `-` is standard input
        applied: Option<PathBuf> = "--applied <FILE>",
        /// The verdict; by default that of the open findings
        verdict: Option<ReviewVerdict> = "--verdict <VERDICT>",
    }
    examples: ["echo '[\"F1\"]' | plugcast-run review finish --run DIR --applied -"]
}

/// The folder of todo files in the store.
pub(super) const TODOS: &str = "todos";

/// The answer of `review finish`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// How it ended.
    pub status: FinishStatus,
    /// The run's name.
    pub run_id: String,
    /// Its folder, absolute.
    pub run_dir: String,
    /// The verdict.
    pub verdict: ReviewVerdict,
    /// What prevented the best verdict, besides the findings.
    pub obstacles: Vec<String>,
    /// How many findings were repaired.
    pub applied: usize,
    /// Whether HEAD has moved since the beginning.
    pub head_moved: bool,
    /// What is left to do, as files.
    pub todos: Vec<String>,
    /// The file of the report, absolute.
    pub report: String,
}

/// How a review ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FinishStatus {
    /// Completed.
    Done,
    /// Without a usable reply.
    Degraded,
}

#[derive(Serialize)]
struct FinishedDocument<'a> {
    schema: &'static str,
    run_id: &'a str,
    findings: Vec<&'a MergedFinding>,
}

/// Runs the command.
///
/// # Errors
/// `no_findings`, `malformed_json`, `unknown_finding`, `finished`, `locked`, `state_unwritable`, `sandboxed`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let folder = RunFolder::open(environment, &options.run)?;
    folder.must_be_open()?;
    folder.must_be_here(environment)?;
    let head_moved = head_moved(&folder, environment);
    let ReviewOutcome {
        degraded,
        verdict,
        obstacles,
        uncommitted,
        applied,
        todos,
        mut documents,
        report,
        steps,
    } = ReviewOutcome::load(options, environment, &folder)?;
    let run_id = &folder.record.run_id;
    let (status, ending) = match degraded {
        true => (FinishStatus::Degraded, ReviewEnding::Degraded),
        false => (FinishStatus::Done, ReviewEnding::Done),
    };
    let ended = folder.record.end_metadata(environment, ending, Some(verdict), head_moved);
    let metadata = ReviewMetadata { uncommitted, ..ended };
    documents.push((render::NAME, report));
    folder.end(&metadata, documents, steps)?;
    Ok(Delivery::from_answer(&Response {
        status,
        run_id: run_id.clone(),
        run_dir: folder.path.display().to_string(),
        verdict,
        obstacles,
        applied,
        head_moved,
        todos: todos.iter().map(|path| folder.store.root.join(path).display().to_string()).collect(),
        report: folder.path.join(render::NAME).display().to_string(),
    }))
}

/// The result of a review, and what is written in addition to `metadata.json`.
struct ReviewOutcome {
    degraded: bool,
    verdict: ReviewVerdict,
    obstacles: Vec<String>,
    uncommitted: bool,
    applied: usize,
    todos: Vec<PathBuf>,
    documents: Vec<(&'static str, String)>,
    report: String,
    steps: Vec<StoreStep>,
}

impl ReviewOutcome {
    /// Determines the result from the merged findings and the repairs.
    fn load(options: &Options, environment: &Environment, folder: &RunFolder) -> Result<Self, CallFailure> {
        let mut merged = merge::stored(folder)?;
        let applied = AppliedRepairs::load(options.applied.as_deref(), environment, folder, &merged)?;
        let verdict = applied.verdict(&merged, options.verdict);
        let is_autofix = folder.record.mode == ReviewMode::Autofix;
        if is_autofix {
            leave_to_later(&mut merged, &applied);
        }
        let rendering = render::Options::new(options.run.clone(), options.verdict);
        let report = render::text(&rendering, folder, &merged, &applied)?;
        let run_id = &folder.record.run_id;
        let findings: Vec<&MergedFinding> = merge::findings_by_id(&merged.findings, &applied.ids).collect();
        let count = findings.len();
        let document = FinishedDocument { schema: "plugcast.review-applied/1", run_id, findings };
        let mut steps =
            vec![StoreStep::Write { path: folder.relative("applied.json"), text: text(&document) }];
        let mut todos = Vec::new();
        let mut documents = Vec::new();
        if is_autofix {
            documents.push((RESIDUAL, queue(&merged.findings, &merged.queues.residual)));
            let left = |one: &&MergedFinding| {
                let later = merged.queues.residual.contains(&one.id);
                (later || one.is_unmet() || is_unplaced(one)) && !applied.ids.contains(&one.id)
            };
            for (number, one) in merged.findings.iter().filter(left).enumerate() {
                let path = Path::new(TODOS).join(format!("{run_id}-{}.md", number + 1));
                let mut entry = ReportEntry::from_merged(one, &merged.rechecked);
                entry.notes.extend(applied.why_skipped(one).cloned());
                steps.push(StoreStep::Write { path: path.clone(), text: todo::text(&entry, run_id) });
                todos.push(path);
            }
        }
        let mut obstacles = merged.obstacles;
        obstacles.extend(applied.obstacles);
        Ok(Self {
            degraded: merged.degraded,
            verdict,
            obstacles,
            uncommitted: applied.uncommitted,
            applied: count,
            todos,
            documents,
            report,
            steps,
        })
    }
}

/// Whether no fixer is sent and a later step has to find the place first, for example in a file that the change
/// deletes.
fn is_unplaced(one: &MergedFinding) -> bool {
    one.misplaced.as_ref().is_some_and(|why| *why != Misplacement::HarmfulRepair)
        && one.autofix_class != RepairClass::Advisory
        && one.owner == FindingOwner::DownstreamResolver
}

/// Moves what is open in the fixer's queue to a later step, since no fixer runs any more.
fn leave_to_later(merged: &mut merge::Response, applied: &AppliedRepairs) {
    let queues = &mut merged.queues;
    let (done, left) = std::mem::take(&mut queues.fixer).into_iter().partition(|id| applied.ids.contains(id));
    (queues.fixer, queues.residual) = (done, [std::mem::take(&mut queues.residual), left].concat());
    for one in merged.findings.iter_mut().filter(|one| queues.residual.contains(&one.id)) {
        one.owner = one.owner.max(FindingOwner::DownstreamResolver);
    }
}
