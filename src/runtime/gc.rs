//! `gc`: removes runs that are old and finished, or that nobody finished for a day. Nothing else of the helper ever deletes a run.

use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{Failure, Said};
use super::git::Repository;
use super::moment::{self, Moment};
use super::store::{self, Store};
use super::surroundings::Surroundings;
use crate::disk::{self, Kind, durable};

/// Files whose presence says that a run is finished, one a workflow.
const FINISHED: [&str; 2] = ["metadata.json", "summary.md"];
/// The file that every run begins with.
const BEGUN: &str = "run.json";
/// How old a run must be at least to go without an end, in seconds: nobody works on it any more.
const FORSAKEN: u64 = 24 * 60 * 60;

/// Remove finished runs of every workflow that are older than an age
///
/// A run is as old as the file that finished it; one that was never finished as the one that began it, and it stays
/// for a day at least.
///
/// Exit codes: 0 done, nothing to remove included; 2 wrong call; 5 no repository, or a run cannot be
/// removed; 6 another command writes.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast-run gc --older-than 30d\n  plugcast-run gc --older-than 30d --dry-run"
)]
pub struct Options {
    /// The age: a number with `s`, `m`, `h`, `d` or `w`
    #[arg(long, value_name = "AGE", value_parser = moment::age)]
    older_than: u64,
    /// Only tell what would go
    #[arg(long)]
    dry_run: bool,
}

/// The answer of `gc`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// Whether anything went.
    pub status: Status,
    /// The runs that went, or would, as `<workflow>/<run>`.
    pub removed: Vec<String>,
    /// How many finished runs are younger.
    pub kept: usize,
    /// How many runs are not finished.
    pub unfinished: usize,
}

/// Whether anything went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Something did.
    Removed,
    /// Something would.
    WouldRemove,
    /// Nothing is old enough.
    None,
}

/// Runs the command.
///
/// # Errors
/// `locked`, `state_unwritable`, `sandboxed`, `not_a_repository`.
pub fn run(options: &Options, surroundings: &Surroundings, root: Option<PathBuf>) -> Result<Said, Failure> {
    let repository = Repository::find(surroundings, &surroundings.folder)?;
    let mut answer = Answer { status: Status::None, removed: Vec::new(), kept: 0, unfinished: 0 };
    for place in store::places(&repository, root.as_deref())? {
        let store = Store::at(place, surroundings);
        if !disk::is_folder(&store.root.join("runs")) {
            continue;
        }
        let _held = if options.dry_run { None } else { Some(store.lock()?) };
        sweep(&store, options, surroundings, &mut answer)?;
    }
    if !answer.removed.is_empty() {
        answer.status = if options.dry_run { Status::WouldRemove } else { Status::Removed };
    }
    Ok(Said::of(&answer))
}

fn sweep(
    store: &Store,
    options: &Options,
    surroundings: &Surroundings,
    answer: &mut Answer,
) -> Result<(), Failure> {
    let runs = store.root.join("runs");
    let now = surroundings.now();
    for workflow in folders(&runs) {
        for run in folders(&runs.join(&workflow)) {
            let folder = runs.join(&workflow).join(&run);
            let finished = FINISHED.iter().find_map(|name| durable::changed(&folder.join(name)));
            let begun = durable::changed(&folder.join(BEGUN)).map(|time| now.seconds_since(Moment::of(time)));
            let forsaken = begun.is_some_and(|age| age >= options.older_than.max(FORSAKEN));
            match finished.map(|time| now.seconds_since(Moment::of(time))) {
                None if !forsaken => answer.unfinished += 1,
                Some(age) if age < options.older_than => answer.kept += 1,
                _ => {
                    if !options.dry_run {
                        durable::remove_folder(&folder).map_err(|error| store.unwritable(&error))?;
                    }
                    answer.removed.push(format!("{workflow}/{run}"));
                }
            }
        }
    }
    Ok(())
}

/// The names of the folders in one, links and hidden ones left out.
fn folders(folder: &Path) -> Vec<String> {
    let listed = disk::list(folder).unwrap_or_default().into_iter();
    let real = |name: &String| !name.starts_with('.') && disk::kind(&folder.join(name)) == Some(Kind::Folder);
    listed.filter(|(_, is_folder)| *is_folder).map(|(name, _)| name).filter(real).collect()
}
