//! `review finish`: writes down what was repaired and what a review came to, and gives the working tree back.

use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::Mode;
use super::findings::Owner;
use super::merge::{self, Merged};
use super::run_folder::{Ending, RunFolder, parsed, text};
use super::start::{Taken, taken_at};
use super::verdict::Verdict;
use crate::read::tree::Node;
use crate::runtime::answer::{Failure, MALFORMED, Said};
use crate::runtime::document;
use crate::runtime::git::Repository;
use crate::runtime::store::Step;
use crate::runtime::surroundings::Surroundings;

/// End a review
///
/// Writes `applied.json` and, last, `metadata.json`; in `autofix` also one file in `todos/` for every finding
/// that a later step takes on. What `--applied` names is a JSON list of the ids of findings that were
/// repaired.
///
/// Exit codes: 0 ended; 2 wrong call; 4 nothing was merged yet, or a malformed document; 5 a file or folder
/// cannot be read or written; 6 it has ended already.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  echo '[\"F1\"]' | plugcast-run review finish --run DIR --applied -")]
pub struct Options {
    /// The folder of the run
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
    /// The file of what was repaired; `-` is standard input
    #[arg(long, value_name = "FILE")]
    applied: Option<PathBuf>,
    /// What the review came to; by what is open unless told
    #[arg(long, value_enum)]
    verdict: Option<Verdict>,
}

/// The answer of `review finish`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// How it ended.
    pub status: Ending,
    /// The run's name.
    pub run_id: String,
    /// Its folder, absolute.
    pub run_dir: String,
    /// What it came to.
    pub verdict: Verdict,
    /// How many findings were repaired.
    pub applied: usize,
    /// Whether HEAD is another commit than at the beginning.
    pub head_moved: bool,
    /// What is left to do, as files.
    pub todos: Vec<String>,
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
    let merged = merge::stored(&folder.path.join("findings.json"))?;
    let applied = applied(options, surroundings, &merged.findings)?;
    let head = Repository::find(surroundings, Path::new(&folder.record.worktree))
        .and_then(|repository| repository.commit("HEAD"))?;
    let head_moved = head.as_ref() != Some(&folder.record.head_sha);
    let open = merged.findings.iter().filter(|one| !applied.contains(&one.id));
    let status = if merged.degraded { Ending::Degraded } else { Ending::Done };
    let verdict = options.verdict.unwrap_or_else(|| match status {
        Ending::Done => Verdict::of(open, !merged.unmet.is_empty()),
        Ending::Degraded | Ending::Abandoned => Verdict::NotReady,
    });

    let run_id = &folder.record.run_id;
    let findings: Vec<&Merged> = merge::picked(&merged.findings, &applied).collect();
    let count = findings.len();
    let document = Applied { schema: "plugcast.review-applied/1", run_id, findings };
    let mut steps = vec![Step::Write { path: folder.relative("applied.json"), text: text(&document) }];
    let mut todos = Vec::new();
    if folder.record.mode == Mode::Autofix {
        let left = merge::picked(&merged.findings, &merged.queues.residual);
        let left = left.filter(|one| one.owner == Owner::DownstreamResolver && !applied.contains(&one.id));
        for (number, one) in left.enumerate() {
            let path = Path::new("todos").join(format!("{run_id}-{}.md", number + 1));
            todos.push(folder.store.root.join(&path).display().to_string());
            steps.push(Step::Write { path, text: todo(one, run_id) });
        }
    }
    let metadata = folder.record.ended(surroundings, status, Some(verdict), head_moved);
    steps.push(Step::Write { path: folder.relative("metadata.json"), text: text(&metadata) });
    let taken = taken_at(&folder.record.worktree);

    let held = folder.store.lock()?;
    folder.must_be_open()?;
    if parsed::<Taken>(&folder.store.root.join(&taken))?.is_some_and(|taken| taken.run_id == *run_id) {
        steps.push(Step::Remove { path: taken });
    }
    held.together(steps)?;
    Ok(Said::of(&Answer {
        status,
        run_id: run_id.clone(),
        run_dir: folder.path.display().to_string(),
        verdict,
        applied: count,
        head_moved,
        todos,
    }))
}

/// The ids of what was repaired.
fn applied(
    options: &Options,
    surroundings: &Surroundings,
    findings: &[Merged],
) -> Result<Vec<String>, Failure> {
    let Some(file) = &options.applied else { return Ok(Vec::new()) };
    let (name, content) = if file == Path::new("-") {
        ("<stdin>".to_owned(), Some(surroundings.input_text()?))
    } else {
        (file.display().to_string(), document::text(&surroundings.path(file))?)
    };
    let content = content.ok_or_else(|| {
        Failure::environment("file_unreadable", format!("`{name}` is not there"), "check the path")
    })?;
    let node = document::json_text(&content, &name)?;
    let list = node.get("applied").unwrap_or(&node);
    let wrong = |code: &str, message: String, at: &Node| {
        let (line, col) = document::place(&content, at.span.start);
        let hint = "give a JSON list of ids such as `F1`";
        Failure::new(MALFORMED, code, message, hint).at(&name, Some(line), Some(col))
    };
    let items =
        list.items().ok_or_else(|| wrong("malformed_applied", "there is no list".to_owned(), list))?;
    let mut ids = Vec::new();
    for item in items {
        let id = item.as_str().or_else(|| item.get("id")?.as_str());
        match id.filter(|id| findings.iter().any(|one| one.id == *id)) {
            Some(id) => ids.push(id.to_owned()),
            None => {
                let shown = id.map_or_else(|| item.kind().to_owned(), |id| format!("`{id}`"));
                return Err(wrong("unknown_finding", format!("{shown} is no finding of this run"), item));
            }
        }
    }
    Ok(ids)
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
