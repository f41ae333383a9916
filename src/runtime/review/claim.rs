//! Who has a working tree: one unfinished review that may change files. A claim ages by the clock that only runs
//! forward, so that no date, in the past or in the future, holds a tree for good.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::run_folder::{Ending, Record, RunFolder, WORKFLOW, parsed, sealed, text};
use super::seal::{self, Seal};
use crate::disk;
use crate::runtime::answer::{CONTENDED, Failure};
use crate::runtime::git::Repository;
use crate::runtime::moment::Moment;
use crate::runtime::store::{self, Step, Store};
use crate::runtime::surroundings::{Surroundings, Uptime};

/// How long a review may hold a working tree without an end, in seconds.
const PATIENCE: u64 = 60 * 60;

/// Who has a working tree.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The run.
    pub run_id: String,
    /// Since when, for people.
    pub started_at: String,
    /// The same by the clock that only runs forward, where this machine has one.
    #[serde(default)]
    pub uptime: Option<Uptime>,
}

/// A working tree that was claimed.
#[derive(Debug)]
pub struct Claimed {
    /// The folder of the new run.
    pub folder: RunFolder,
    /// The run that was ended for it.
    pub abandoned: Option<String>,
}

/// Where the claim on a working tree stands, relative to the store's folder.
pub fn claim_path(tree: &str) -> PathBuf {
    let hash = disk::sha256(tree.as_bytes());
    Path::new("local").join("locks").join(format!("review-{}.json", &hash[..16]))
}

impl Claim {
    /// How old it is in seconds; none when no clock tells, or one that says what cannot be.
    fn age(&self, surroundings: &Surroundings) -> Option<u64> {
        match (&self.uptime, surroundings.uptime()) {
            (Some(then), Some(now)) if then.boot == now.boot => {
                now.milliseconds.checked_sub(then.milliseconds).map(|passed| passed / 1000)
            }
            _ => {
                let (since, now) = (Moment::parse(&self.started_at)?, surroundings.now());
                (since <= now).then(|| now.seconds_since(since))
            }
        }
    }
}

/// Makes the folder of a new run, and claims the working tree that its record names, in the first place that can
/// be written.
///
/// # Errors
/// `taken`, `locked`, `state_unwritable`, `sandboxed`.
pub fn claim(
    repository: &Repository,
    root: Option<&Path>,
    record: &Record,
    take_over: bool,
) -> Result<Claimed, Failure> {
    let mut refused = None;
    for place in store::places(repository, root)? {
        let store = Store::at(place, repository.surroundings());
        match claim_in(store, record.clone(), take_over, repository.surroundings()) {
            // The next place may be writable.
            Err(failure) if matches!(failure.error.code.as_str(), "state_unwritable" | "sandboxed") => {
                refused.get_or_insert(failure);
            }
            claimed => return claimed,
        }
    }
    Err(refused.unwrap_or_else(|| {
        Failure::environment("state_unwritable", "no folder can be written", "name one with `--root`")
    }))
}

fn claim_in(
    store: Store,
    mut record: Record,
    take_over: bool,
    surroundings: &Surroundings,
) -> Result<Claimed, Failure> {
    let held = store.lock()?;
    let runs = store.runs(WORKFLOW);
    let path = claim_path(&record.tree);
    let mut steps = Vec::new();
    let mut abandoned = None;
    let claimed = match parsed::<Claim>(&store, &path) {
        // A damaged claim is nobody's.
        Err(failure) if failure.error.code == "malformed_json" => match take_over {
            true => None,
            false => return Err(failure.hinting("take it with `--take-over`")),
        },
        claimed => claimed?,
    };
    if let Some(claim) = claimed {
        let folder = runs.join(&claim.run_id);
        let unfinished =
            store.has_file(&folder.join("run.json"))? && !store.has_file(&folder.join("metadata.json"))?;
        let age = claim.age(surroundings).filter(|age| *age < PATIENCE);
        if let Some(age) = age.filter(|_| unfinished && !take_over) {
            let age = if age < 120 { format!("{age} s") } else { format!("{} min", age / 60) };
            let message = format!("review `{}` has had this working tree for {age}", claim.run_id);
            let hint = match sealed::<Record>(&store, &folder, "run.json") {
                Ok(_) => format!(
                    "wait until it ends, pass `--take-over` to end it and begin, go on with it by `--run DIR`, or clear it with `review abandon --run DIR`, where DIR is `{}`",
                    folder.display()
                ),
                Err(_) => format!("wait until it ends. {}", seal::OTHER_KEY),
            };
            return Err(Failure::new(CONTENDED, "taken", message, hint));
        }
        if unfinished && let Some(old) = parsed::<Record>(&store, &folder.join("run.json"))? {
            let metadata = old.ended(surroundings, Ending::Abandoned, None, false);
            let path = Path::new("runs").join(WORKFLOW).join(&claim.run_id).join("metadata.json");
            steps.push(Step::Write { path, text: text(&metadata) });
            abandoned = Some(claim.run_id);
        }
    }
    let run_id = loop {
        let run_id = format!("{}-{}", surroundings.now().stamp(), surroundings.chance());
        if held.claim(&runs.join(&run_id))? {
            break run_id;
        }
    };
    record.run_id.clone_from(&run_id);
    record.state_root = store.root.display().to_string();
    let claim = Claim {
        run_id: run_id.clone(),
        started_at: record.started_at.clone(),
        uptime: record.uptime.clone(),
    };
    steps.extend(Seal::default().steps(&store, &run_id, vec![("run.json", text(&record))])?);
    steps.push(Step::Write { path, text: text(&claim) });
    if let Err(failure) = held.together(steps) {
        // Nobody is told of this run.
        store.give_up(&claim_path(&record.tree));
        return Err(failure);
    }
    drop(held);
    Ok(Claimed { folder: RunFolder { path: runs.join(&run_id), record, store }, abandoned })
}
