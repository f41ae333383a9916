//! Claims on working trees: each is held by at most one unfinished run of a workflow that may change files. A claim
//! ages by the monotonic clock, so that no wrong date can block a tree forever.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{METADATA, RECORD, RunDirectory, RunSeal, Workflow, parsed, text};
use crate::disk;
use crate::runtime::answer::{CONTENDED, CallFailure};
use crate::runtime::environment::{Environment, Uptime};
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::store::{self, Store, StoreStep};
use crate::runtime::timestamp::Timestamp;

/// How long an unfinished run may hold a working tree, in seconds.
const PATIENCE: u64 = 60 * 60;

/// A claim on a working tree.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeClaim {
    /// The run.
    pub run_id: String,
    /// When it started, for people.
    pub started_at: String,
    /// The same by the monotonic clock, if this machine has one.
    #[serde(default)]
    pub uptime: Option<Uptime>,
}

/// The document that ends another run, from its record.
pub type RunEnd<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The parameters of a new run.
pub struct NewRun<'a> {
    /// Its workflow.
    pub workflow: &'static Workflow,
    /// The working tree.
    pub tree: &'a str,
    /// When it started, for people.
    pub started_at: &'a str,
    /// The same by the monotonic clock.
    pub uptime: &'a Option<Uptime>,
    /// Whether to end another run that holds the tree.
    pub take_over: bool,
    /// The record of the run, from its name and the folder of all runs.
    pub record: &'a mut dyn FnMut(&str, &str) -> String,
    /// The document that ends another run, from its record.
    pub end: RunEnd<'a>,
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

/// The path of the claim on a working tree, relative to the store's folder.
pub fn claim_path(workflow: &Workflow, tree: &str) -> PathBuf {
    let hash = disk::sha256(tree.as_bytes());
    Path::new("local").join("locks").join(format!("{}-{}.json", workflow.name, &hash[..16]))
}

impl TreeClaim {
    /// Its age in seconds; none if no clock is available, or its value is impossible.
    fn age(&self, environment: &Environment) -> Option<u64> {
        match (&self.uptime, environment.uptime()) {
            (Some(then), Some(now)) if then.boot == now.boot => {
                now.milliseconds.checked_sub(then.milliseconds).map(|passed| passed / 1000)
            }
            _ => {
                let (since, now) = (Timestamp::parse(&self.started_at)?, environment.now());
                (since <= now).then(|| now.seconds_since(since))
            }
        }
    }
}

/// Creates the folder of a new run, and claims its working tree, in the first writable store. A run in another store
/// holds the tree even if that store cannot be written.
///
/// # Errors
/// `taken`, `locked`, `state_unwritable`, `sandboxed`.
pub fn claim(
    repository: &Repository,
    root: Option<&Path>,
    mut opening: NewRun<'_>,
) -> Result<ClaimedTree, CallFailure> {
    let mut refused = None;
    let environment = repository.environment();
    let writable = store::places(repository, root)?.len();
    let places = store::places_to_read(repository, root)?;
    let stores: Vec<Store> = places.into_iter().map(|place| Store::new(place, environment)).collect();
    for store in &stores[..writable] {
        let others = stores.iter().filter(|other| other.root != store.root);
        match claim_in(store.clone(), others, &mut opening, environment) {
            // The next store may be writable.
            Err(failure) if is_unwritable(&failure) => {
                refused.get_or_insert(failure);
            }
            claimed => return claimed,
        }
    }
    Err(refused.unwrap_or_else(|| {
        CallFailure::environment(
            ErrorCode::StateUnwritable,
            "no folder can be written",
            "name one with `--root`",
        )
    }))
}

fn is_unwritable(failure: &CallFailure) -> bool {
    matches!(failure.error.code, ErrorCode::StateUnwritable | ErrorCode::Sandboxed)
}

/// How to take a working tree from another run.
struct Displacement<'a> {
    workflow: &'static Workflow,
    /// The run that wants the tree, if it already exists.
    own: Option<&'a str>,
    /// Whether to end another run that holds the tree.
    take_over: bool,
    /// The document that ends another run, from its record.
    end: RunEnd<'a>,
    environment: &'a Environment,
}

/// Adds steps that end the run holding a working tree, if it may be ended; returns its name.
///
/// # Errors
/// `taken`.
fn displace(
    store: &Store,
    steps: &mut Vec<StoreStep>,
    tree: &str,
    by: &Displacement<'_>,
) -> Result<Option<String>, CallFailure> {
    let workflow = by.workflow;
    let claimed = match parsed::<TreeClaim>(store, &claim_path(workflow, tree)) {
        // A damaged claim belongs to no run.
        Err(failure) if failure.error.code == ErrorCode::MalformedJson => match by.take_over {
            true => None,
            false => return Err(failure.with_hint("take it with `--take-over`")),
        },
        claimed => claimed?,
    };
    let Some(claim) = claimed.filter(|claim| by.own != Some(claim.run_id.as_str())) else { return Ok(None) };
    let path = store.runs(workflow.name).join(&claim.run_id);
    let folder = RunDirectory { workflow, store, path: &path };
    if !is_unfinished(store, &path)? {
        return Ok(None);
    }
    let age = claim.age(by.environment).filter(|age| *age < PATIENCE && !by.take_over);
    if let Some(age) = age {
        let age = if age < 120 { format!("{age} s") } else { format!("{} min", age / 60) };
        let message = format!("{} `{}` has had this working tree for {age}", workflow.name, claim.run_id);
        let hint = match folder.checked_text(RECORD) {
            Ok(Some((_, None))) => format!(
                "wait until it ends, pass `--take-over` to end it and begin, {}, where DIR is `{}`",
                workflow.clear,
                path.display()
            ),
            _ => format!("wait until it ends; {}", workflow.other_key),
        };
        return Err(CallFailure::new(CONTENDED, ErrorCode::Taken, message, hint));
    }
    let Some(old) = store.text(&path.join(RECORD))? else { return Ok(None) };
    let text = (by.end)(&old).unwrap_or_default();
    steps.push(StoreStep::Write { path: folder.relative(METADATA), text });
    Ok(Some(claim.run_id))
}

/// Whether the run in this folder is unfinished.
fn is_unfinished(store: &Store, path: &Path) -> Result<bool, CallFailure> {
    Ok(store.has_file(&path.join(RECORD))? && !store.has_file(&path.join(METADATA))?)
}

/// The unfinished run that has held a working tree for less than an hour.
///
/// # Errors
/// What [`Store::text`] fails with.
pub fn holder(
    store: &Store,
    workflow: &Workflow,
    tree: &str,
    environment: &Environment,
) -> Result<Option<String>, CallFailure> {
    let claim = match parsed::<TreeClaim>(store, &claim_path(workflow, tree)) {
        Err(failure) if failure.error.code == ErrorCode::MalformedJson => None,
        claim => claim?,
    };
    let fresh = claim.filter(|claim| claim.age(environment).is_some_and(|age| age < PATIENCE));
    Ok(fresh.map(|claim| claim.run_id))
}

/// Claims a working tree for an existing run, and writes its documents; returns the run that was ended for it.
///
/// # Errors
/// `taken`, `locked`, `state_unwritable`, `sandboxed`.
pub fn claim_again(
    folder: &RunDirectory<'_>,
    tree: &str,
    (take_over, end): (bool, RunEnd<'_>),
    documents: Vec<(&str, String)>,
    environment: &Environment,
) -> Result<Option<String>, CallFailure> {
    let (workflow, run_id) = (folder.workflow, folder.name());
    let held = folder.store.lock()?;
    let mut steps = Vec::new();
    let by = Displacement { workflow, own: Some(&run_id), take_over, end, environment };
    let abandoned = displace(folder.store, &mut steps, tree, &by)?;
    let (started_at, uptime) = (environment.now().rfc3339(), environment.uptime());
    let claim = TreeClaim { run_id, started_at, uptime };
    steps.push(StoreStep::Write { path: claim_path(workflow, tree), text: text(&claim) });
    steps.extend(folder.seal()?.steps(folder, documents)?);
    held.commit(steps)?;
    Ok(abandoned)
}

fn claim_in<'a>(
    store: Store,
    others: impl Iterator<Item = &'a Store>,
    opening: &mut NewRun<'_>,
    environment: &Environment,
) -> Result<ClaimedTree, CallFailure> {
    let held = store.lock()?;
    let (workflow, take_over) = (opening.workflow, opening.take_over);
    let runs = store.runs(workflow.name);
    let path = claim_path(workflow, opening.tree);
    let mut steps = Vec::new();
    let by = Displacement { workflow, own: None, take_over, end: opening.end, environment };
    let mut abandoned = displace(&store, &mut steps, opening.tree, &by)?;
    for other in others {
        let mut ended = Vec::new();
        let Some(run) = displace(other, &mut ended, opening.tree, &by)? else { continue };
        match other.lock().and_then(|held| held.commit(ended)) {
            // An expired run holds no tree, whether it can be ended or not.
            Err(failure) if !take_over && is_unwritable(&failure) => {}
            done => {
                done?;
                abandoned = Some(run);
            }
        }
    }
    let run_id = loop {
        let run_id = format!("{}-{}", environment.now().stamp(), environment.random_hex());
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
    if let Err(failure) = held.commit(steps) {
        // Nobody learns of this run.
        folder.release_tree(opening.tree);
        return Err(failure);
    }
    drop(held);
    Ok(ClaimedTree { store, path: own, abandoned })
}
