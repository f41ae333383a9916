//! `gc`: removes runs that are finished, or on which nobody has worked for a day, once they are old enough. No other
//! command ever deletes a run.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{CallFailure, Delivery};
use super::environment::Environment;
use super::git::Repository;
use super::polish::checklist::CHECKLIST;
use super::run::{METADATA, RECORD, parsed};
use super::server::record::{RECORD as SERVER, Server};
use super::store::{self, LockedStore, Store};
use super::timestamp::{Age, Timestamp};
use crate::disk::FileKind;
use crate::disk::root::Root;
use crate::runtime::command_line::options;

/// The folder of all runs, in the store.
const RUNS: &str = "runs";
/// Files whose times show when an unfinished run was last worked on: every run begins with the first, and the user
/// edits the other.
const ACTIVITY_FILES: [&str; 2] = [RECORD, CHECKLIST];
/// How long an unfinished run is kept after the last work on it, in seconds.
const ABANDONED_AFTER: u64 = 24 * 60 * 60;

options! {
    /// Remove finished runs of every workflow that are older than an age
    ///
    /// The age of a run is that of the file that finished it. The age of an unfinished run counts from its start or the
    /// last edit of its checklist, and it is kept for at least a day. A run whose server is running is kept.
    ///
    /// Exit codes: 0 done, nothing to remove included; 2 wrong call; 3 something in the folder of runs was not
    /// put there by this machine's helper; 4 too many foreign journals; 5 no repository, or a run cannot be
    /// removed; 6 another command writes; 7 git took too long.
    pub struct Options {
        /// The age: a number with `s`, `m`, `h`, `d` or `w`
        older_than: Age = "--older-than <AGE>",
        /// Only list what would be removed
        dry_run: bool = "--dry-run",
    }
    examples: ["plugcast-run gc --older-than 30d", "plugcast-run gc --older-than 30d --dry-run"]
}

/// The answer of `gc`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether anything was removed.
    pub status: GcStatus,
    /// The runs that were or would be removed, as `<workflow>/<run>`.
    pub removed: Vec<String>,
    /// The number of finished runs that are kept: they are younger, or their server is running.
    pub kept: usize,
    /// The number of unfinished runs.
    pub unfinished: usize,
}

/// Whether anything was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GcStatus {
    /// Something was removed.
    Removed,
    /// Something would be removed.
    WouldRemove,
    /// Nothing is old enough.
    None,
}

/// Runs the command.
///
/// # Errors
/// `tracked_state`, `untrusted_state`, `locked`, `state_unwritable`, `sandboxed`, `not_a_repository`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let root = environment.root();
    let repository = Repository::find(environment, &environment.folder)?;
    let mut answer = Response { status: GcStatus::None, removed: Vec::new(), kept: 0, unfinished: 0 };
    for place in store::places_to_read(&repository, root)? {
        let store = Store::new(place, environment);
        let Some(found) = store.open()? else { continue };
        if found.kind(Path::new(RUNS)).map_err(|error| store.refusal(error))?.is_none() {
            continue;
        }
        let held = if options.dry_run { None } else { Some(store.lock()?) };
        sweep(&store, &found, held.as_ref(), options, environment.now(), &mut answer)?;
    }
    if !answer.removed.is_empty() {
        answer.status = if options.dry_run { GcStatus::WouldRemove } else { GcStatus::Removed };
    }
    Ok(Delivery::from_answer(&answer))
}

fn sweep(
    store: &Store,
    root: &Root,
    held: Option<&LockedStore<'_>>,
    options: &Options,
    now: Timestamp,
    answer: &mut Response,
) -> Result<(), CallFailure> {
    let runs = Path::new(RUNS);
    for workflow in folders(store, runs)? {
        for run in folders(store, &runs.join(&workflow))? {
            let folder = runs.join(&workflow).join(&run);
            let age = |name: &str| -> Result<Option<u64>, CallFailure> {
                let changed = root.modified(&folder.join(name)).map_err(|error| store.refusal(error))?;
                Ok(changed.map(|time| now.seconds_since(Timestamp::from_system_time(time))))
            };
            let mut touched: Option<u64> = None;
            for name in ACTIVITY_FILES {
                touched = touched.into_iter().chain(age(name)?).min();
            }
            let is_forsaken = touched.is_some_and(|age| age >= options.older_than.0.max(ABANDONED_AFTER));
            let server: Option<Server> = parsed(store, &folder.join(SERVER)).unwrap_or_default();
            let has_server = server.is_some_and(|server| server.pid.is_some() && server.is_alive());
            match age(METADATA)? {
                None if has_server || !is_forsaken => answer.unfinished += 1,
                Some(age) if has_server || age < options.older_than.0 => answer.kept += 1,
                _ => {
                    if let Some(held) = held {
                        held.remove_folder(&folder)?;
                        held.remove(&store::seal_path(&workflow, &run))?;
                    }
                    answer.removed.push(format!("{workflow}/{run}"));
                }
            }
        }
    }
    Ok(())
}

/// The names of the subfolders, without hidden ones.
fn folders(store: &Store, folder: &Path) -> Result<Vec<String>, CallFailure> {
    let listed = store.list(folder)?.into_iter();
    let real = |(name, kind): &(String, FileKind)| !name.starts_with('.') && *kind == FileKind::Folder;
    Ok(listed.filter(real).map(|(name, _)| name).collect())
}
