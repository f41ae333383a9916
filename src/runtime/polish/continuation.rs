//! `polish acquire --apply --continue`: a user goes on with an unfinished polish. Its working tree is claimed again, commits
//! that the user added are recorded, and it is interactive from then on.

use std::path::Path;

use super::acquire::{AcquireAction, AcquireStatus, Response};
use super::record::{POLISH, PolishRun};
use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::environment::Environment;
use crate::runtime::git::Repository;
use crate::runtime::launch::LaunchMode;
use crate::runtime::run::{moved, must_be_at};

/// Goes on with the polish in a folder.
///
/// # Errors
/// `finished`, `run_moved`, `taken`, and what opening a run fails with.
pub(super) fn run(given: &Path, take_over: bool, environment: &Environment) -> Result<Delivery, CallFailure> {
    let mut run = PolishRun::open(environment, given)?;
    run.must_be_open()?;
    let tree = Repository::find(environment, Path::new(&run.record.tree))?;
    let Some(added) = run.record.added(&tree)? else {
        let (record, known) = (&run.record, run.record.known_commits());
        must_be_at(&tree, (&POLISH, &record.run_id), &record.tree, &known)?;
        let branch = record.branch.as_deref().unwrap_or("no branch");
        let message = format!("run `{}` is bound to `{branch}`, which is not checked out", record.run_id);
        return Err(moved(&POLISH, message));
    };
    let mut notes = Vec::new();
    if !added.is_empty() {
        let subject =
            tree.line(&["log", "-1", "--no-show-signature", "--format=%s", "HEAD"])?.unwrap_or_default();
        let more =
            if added.len() == 1 { String::new() } else { format!(" and {} before it", added.len() - 1) };
        notes.push(format!("the commit `{subject}`{more} was added since, and counts as the user's own"));
    }
    run.record.commits.extend(added.into_iter().rev());
    if run.record.mode == LaunchMode::Headless {
        notes.push("it was headless, and is interactive from now on".to_owned());
    }
    run.record.mode = LaunchMode::Interactive;
    let abandoned = run.claim_again(&run.record.tree, take_over, environment)?;
    let PolishRun { path, record, .. } = run;
    let here = Path::new(&record.tree) == Repository::find(environment, &environment.folder)?.top;
    Ok(Delivery::from_answer(&Response {
        status: AcquireStatus::Acquired,
        run: Some(path.display().to_string()),
        run_id: Some(record.run_id),
        mode: record.mode,
        flags: record.flags,
        plan: record.plan,
        target: record.target,
        action: if here { AcquireAction::None } else { AcquireAction::Attach },
        choices: Vec::new(),
        tree: record.tree,
        branch: record.branch,
        head_sha: tree.commit("HEAD")?,
        base_branch: Some(record.base_branch),
        base_ref: Some(record.base_ref),
        fetched: false,
        fetch_error: None,
        pr: record.pr,
        earlier_runs: Vec::new(),
        abandoned,
        notes,
    }))
}
