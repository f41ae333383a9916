//! Who has a working tree: one unfinished run of a workflow that may change files. A claim ages by the clock that only runs
//! forward, so that no date, in the past or in the future, holds a tree for good.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{METADATA, RECORD, RunDirectory, RunSeal, Workflow, parsed, text};
use crate::disk;
use crate::runtime::answer::{CONTENDED, CallFailure};
use crate::runtime::environment::{Environment, Uptime};
use crate::runtime::git::Repository;
use crate::runtime::store::{self, Store, StoreStep};
use crate::runtime::timestamp::Timestamp;

/// How long a run may hold a working tree without an end, in seconds.
const PATIENCE: u64 = 60 * 60;

/// Who has a working tree.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeClaim {
    /// The run.
    pub run_id: String,
    /// Since when, for people.
    pub started_at: String,
    /// The same by the clock that only runs forward, where this machine has one.
    #[serde(default)]
    pub uptime: Option<Uptime>,
}

/// What a new run is to have.
pub struct NewRun<'a> {
    /// Its workflow.
    pub workflow: &'static Workflow,
    /// The working tree.
    pub tree: &'a str,
    /// Since when, for people.
    pub started_at: &'a str,
    /// The same by the clock that only runs forward.
    pub uptime: &'a Option<Uptime>,
    /// Whether another run that has the tree is ended.
    pub take_over: bool,
    /// The record of the run, by its name and the folder of all runs.
    pub record: &'a mut dyn FnMut(&str, &str) -> String,
    /// What ends another run, by its record.
    pub end: &'a dyn Fn(&str) -> Option<String>,
}

/// A working tree that was claimed.
#[derive(Debug)]
pub struct ClaimedTree {
    /// The store.
    pub store: Store,
    /// The folder of the new run.
    pub path: PathBuf,
    /// The run that was ended for it.
    pub abandoned: Option<String>,
}

/// Where the claim on a working tree stands, relative to the store's folder.
pub fn claim_path(workflow: &Workflow, tree: &str) -> PathBuf {
    let hash = disk::sha256(tree.as_bytes());
    Path::new("local").join("locks").join(format!("{}-{}.json", workflow.name, &hash[..16]))
}

impl TreeClaim {
    /// How old it is in seconds; none when no clock tells, or one that says what cannot be.
    fn age(&self, surroundings: &Environment) -> Option<u64> {
        match (&self.uptime, surroundings.uptime()) {
            (Some(then), Some(now)) if then.boot == now.boot => {
                now.milliseconds.checked_sub(then.milliseconds).map(|passed| passed / 1000)
            }
            _ => {
                let (since, now) = (Timestamp::parse(&self.started_at)?, surroundings.now());
                (since <= now).then(|| now.seconds_since(since))
            }
        }
    }
}

/// Makes the folder of a new run, and claims its working tree, in the first place that can be written.
///
/// # Errors
/// `taken`, `locked`, `state_unwritable`, `sandboxed`.
pub fn claim(
    repository: &Repository,
    root: Option<&Path>,
    mut opening: NewRun<'_>,
) -> Result<ClaimedTree, CallFailure> {
    let mut refused = None;
    for place in store::places(repository, root)? {
        let store = Store::at(place, repository.surroundings());
        match claim_in(store, &mut opening, repository.surroundings()) {
            // The next place may be writable.
            Err(failure) if matches!(failure.error.code.as_str(), "state_unwritable" | "sandboxed") => {
                refused.get_or_insert(failure);
            }
            claimed => return claimed,
        }
    }
    Err(refused.unwrap_or_else(|| {
        CallFailure::environment("state_unwritable", "no folder can be written", "name one with `--root`")
    }))
}

fn claim_in(
    store: Store,
    opening: &mut NewRun<'_>,
    surroundings: &Environment,
) -> Result<ClaimedTree, CallFailure> {
    let held = store.lock()?;
    let (workflow, take_over) = (opening.workflow, opening.take_over);
    let runs = store.runs(workflow.name);
    let path = claim_path(workflow, opening.tree);
    let mut steps = Vec::new();
    let mut abandoned = None;
    let claimed = match parsed::<TreeClaim>(&store, &path) {
        // A damaged claim is nobody's.
        Err(failure) if failure.error.code == "malformed_json" => match take_over {
            true => None,
            false => return Err(failure.hinting("take it with `--take-over`")),
        },
        claimed => claimed?,
    };
    if let Some(claim) = claimed {
        let path = runs.join(&claim.run_id);
        let folder = RunDirectory { workflow, store: &store, path: &path };
        let unfinished = store.has_file(&path.join(RECORD))? && !store.has_file(&path.join(METADATA))?;
        let age = claim.age(surroundings).filter(|age| *age < PATIENCE);
        if let Some(age) = age.filter(|_| unfinished && !take_over) {
            let age = if age < 120 { format!("{age} s") } else { format!("{} min", age / 60) };
            let message = format!("{} `{}` has had this working tree for {age}", workflow.name, claim.run_id);
            let hint = match folder.compared(RECORD) {
                Ok(Some((_, None))) => format!(
                    "wait until it ends, pass `--take-over` to end it and begin, go on with it by `--run DIR`, or {}, where DIR is `{}`",
                    workflow.clear,
                    path.display()
                ),
                _ => format!("wait until it ends. {}", workflow.other_key),
            };
            return Err(CallFailure::new(CONTENDED, "taken", message, hint));
        }
        if unfinished && let Some(old) = store.text(&path.join(RECORD))? {
            let text = (opening.end)(&old).unwrap_or_default();
            steps.push(StoreStep::Write { path: folder.relative(METADATA), text });
            abandoned = Some(claim.run_id);
        }
    }
    let run_id = loop {
        let run_id = format!("{}-{}", surroundings.now().stamp(), surroundings.chance());
        if held.claim(&runs.join(&run_id))? {
            break run_id;
        }
    };
    let record = (opening.record)(&run_id, &store.root.display().to_string());
    let claim = TreeClaim {
        run_id: run_id.clone(),
        started_at: opening.started_at.to_owned(),
        uptime: opening.uptime.clone(),
    };
    let own = runs.join(&run_id);
    let folder = RunDirectory { workflow, store: &store, path: &own };
    steps.extend(RunSeal::default().steps(&folder, vec![(RECORD, record)])?);
    steps.push(StoreStep::Write { path, text: text(&claim) });
    if let Err(failure) = held.together(steps) {
        // Nobody is told of this run.
        folder.give_up(opening.tree);
        return Err(failure);
    }
    drop(held);
    Ok(ClaimedTree { store, path: own, abandoned })
}
