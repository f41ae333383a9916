//! `review finish`: writes down what was repaired and what a review came to, and gives the working tree back.

use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::Mode;
use super::abandon::head_moved;
use super::applied;
use super::findings::Owner;
use super::merge::{self, Merged};
use super::run_folder::{Ending, RunFolder, text};
use super::verdict::Verdict;
use crate::runtime::answer::{Failure, Said};
use crate::runtime::store::Step;
use crate::runtime::surroundings::Surroundings;

/// End a review
///
/// Writes `applied.json` and, last, `metadata.json`; in `autofix` also one file in `todos/` for every finding
/// that a later step takes on. What `--applied` names is a JSON list of the ids of findings that were
/// repaired, or an object with that list as `applied`. With `--abandon` a review that cannot go on is given up
/// at any step, and comes to nothing.
///
/// Exit codes: 0 ended; 2 wrong call; 4 nothing was merged yet, or a malformed document; 5 a file or folder
/// cannot be read or written; 6 it has ended already.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  echo '[\"F1\"]' | plugcast-run review finish --run DIR --applied -")]
pub struct Options {
    /// The folder of the run
    #[arg(long, value_name = "DIR")]
    pub(super) run: PathBuf,
    /// The file of what was repaired; `-` is standard input
    #[arg(long, value_name = "FILE")]
    applied: Option<PathBuf>,
    /// What the review came to; by what is open unless told
    #[arg(long, value_enum)]
    verdict: Option<Verdict>,
    /// Give it up: it comes to nothing
    #[arg(long, conflicts_with_all = ["applied", "verdict"])]
    abandon: bool,
}

/// The answer of `review finish`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// How it ended.
    pub status: Status,
    /// The run's name.
    pub run_id: String,
    /// Its folder, absolute.
    pub run_dir: String,
    /// What it came to; none for one that was given up.
    pub verdict: Option<Verdict>,
    /// How many findings were repaired.
    pub applied: usize,
    /// Whether HEAD is another commit than at the beginning.
    pub head_moved: bool,
    /// What is left to do, as files.
    pub todos: Vec<String>,
}

/// How a review ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Through.
    Done,
    /// Without a usable reply.
    Degraded,
    /// It was given up.
    Abandoned,
}

#[derive(Serialize)]
struct Applied<'a> {
    schema: &'static str,
    run_id: &'a str,
    findings: Vec<&'a Merged>,
}

/// Runs the command.
///
/// # Errors
/// `no_findings`, `malformed_json`, `unknown_finding`, `finished`, `locked`, `state_unwritable`, `sandboxed`.
pub fn run(options: &Options, surroundings: &Surroundings) -> Result<Said, Failure> {
    let folder = RunFolder::open(surroundings, &options.run)?;
    folder.must_be_open()?;
    if !options.abandon {
        folder.must_be_here(surroundings)?;
    }
    let head_moved = head_moved(&folder, surroundings);
    let outcome = match options.abandon {
        true => Outcome::abandoned(),
        false => Outcome::of(options, surroundings, &folder)?,
    };
    let Outcome { status, verdict, applied, todos, steps } = outcome;
    let run_id = &folder.record.run_id;
    let metadata = folder.record.ended(surroundings, status, verdict, head_moved);
    folder.end(&metadata, steps)?;
    let status = match status {
        Ending::Degraded => Status::Degraded,
        Ending::Abandoned => Status::Abandoned,
        Ending::Done | Ending::Empty => Status::Done,
    };
    Ok(Said::of(&Answer {
        status,
        run_id: run_id.clone(),
        run_dir: folder.path.display().to_string(),
        verdict,
        applied,
        head_moved,
        todos: todos.iter().map(|path| folder.store.root.join(path).display().to_string()).collect(),
    }))
}

/// What a review came to, and what is written for it beside `metadata.json`.
struct Outcome {
    status: Ending,
    verdict: Option<Verdict>,
    applied: usize,
    todos: Vec<PathBuf>,
    steps: Vec<Step>,
}

impl Outcome {
    /// Nothing.
    fn abandoned() -> Self {
        Self { status: Ending::Abandoned, verdict: None, applied: 0, todos: Vec::new(), steps: Vec::new() }
    }

    /// By what was merged and repaired.
    fn of(options: &Options, surroundings: &Surroundings, folder: &RunFolder) -> Result<Self, Failure> {
        let merged = merge::stored(&folder.path.join("findings.json"))?;
        let applied = applied::ids(options.applied.as_deref(), surroundings, &merged.findings)?;
        let open = merged.findings.iter().filter(|one| !applied.contains(&one.id));
        let status = if merged.degraded { Ending::Degraded } else { Ending::Done };
        let verdict = options.verdict.unwrap_or_else(|| match status {
            Ending::Done => Verdict::of(open, !merged.unmet.is_empty()),
            Ending::Degraded | Ending::Abandoned | Ending::Empty => Verdict::NotReady,
        });
        let run_id = &folder.record.run_id;
        let findings: Vec<&Merged> = merge::picked(&merged.findings, &applied).collect();
        let count = findings.len();
        let document = Applied { schema: "plugcast.review-applied/1", run_id, findings };
        let mut steps = vec![Step::Write { path: folder.relative("applied.json"), text: text(&document) }];
        let mut todos = Vec::new();
        if folder.record.mode == Mode::Autofix {
            let left = merge::picked(&merged.findings, &merged.queues.residual);
            let left =
                left.filter(|one| one.owner == Owner::DownstreamResolver && !applied.contains(&one.id));
            for (number, one) in left.enumerate() {
                let path = Path::new("todos").join(format!("{run_id}-{}.md", number + 1));
                steps.push(Step::Write { path: path.clone(), text: todo(one, run_id) });
                todos.push(path);
            }
        }
        Ok(Self { status, verdict: Some(verdict), applied: count, todos, steps })
    }
}

/// One thing that is left to do.
fn todo(one: &Merged, run_id: &str) -> String {
    let fix = one.suggested_fix.as_ref().map_or_else(String::new, |fix| format!("\n{}\n", fix.trim()));
    format!(
        "---\nstatus: ready\nseverity: {:?}\nfile: {}\nowner: {}\nrun: {run_id}\nfinding: {}\n---\n# {}\n{fix}",
        one.severity,
        serde_json::Value::from(format!("{}:{}", one.file, one.line)),
        one.owner.word(),
        one.id,
        one.title
    )
}
