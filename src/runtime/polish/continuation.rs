//! `polish acquire --apply --continue`: a user continues an unfinished polish. Its working tree is claimed again, the
//! user's changes to its branch are recorded, items dispatched without a result may be dispatched again, and it is
//! interactive from then on.

use std::path::Path;

use super::acquire::{AcquireAction, AcquireStatus, Response};
use super::checklist;
use super::clean_tree::must_have_no_operation;
use super::history::{self, BranchHistory};
use super::record::{POLISH, PolishRun};
use crate::disk;
use crate::printable::line;
use crate::runtime::answer::{CONTENDED, CallFailure, Delivery};
use crate::runtime::environment::Environment;
use crate::runtime::git::Repository;
use crate::runtime::launch::LaunchMode;
use crate::runtime::run::claim::holder;
use crate::runtime::run::must_be_at;

/// Continues the polish in a folder.
///
/// # Errors
/// `finished`, `dirty` where an operation of git is in progress, `run_moved`, `taken`, and the errors of opening a run.
pub(super) fn run(given: &Path, take_over: bool, environment: &Environment) -> Result<Delivery, CallFailure> {
    let mut run = PolishRun::open_completed(environment, given)?;
    run.must_be_open()?;
    run.must_have_begun()?;
    let (top, run_id) = (&run.record.tree, &run.record.run_id);
    if !disk::is_folder(Path::new(top)) {
        let message = format!("run `{run_id}` is bound to `{top}`, which is gone");
        let hint = format!("if it was moved, move it back with `git worktree move`, or {}", POLISH.give_up);
        return Err(CallFailure::new(CONTENDED, "run_moved", message, hint));
    }
    let tree = Repository::find(environment, Path::new(top))?;
    must_have_no_operation(&tree)?;
    let is_held = || -> Result<bool, CallFailure> {
        let holder = holder(&run.store, &POLISH, &run.record.tree, environment)?;
        Ok(run.record.mode == LaunchMode::Interactive && holder.as_ref() == Some(&run.record.run_id))
    };
    // What the user commits and amends in an interactive session needs no new pass.
    let is_own = |commits: &[String]| -> Result<bool, CallFailure> {
        let Some(gate) = &run.record.gate else { return Ok(false) };
        Ok(is_held()? && history::is_committed_here(&tree, &gate.head_sha, commits)?)
    };
    let mut is_outdated = false;
    let (added, what) = match BranchHistory::from_checkout(&run.record, &tree)? {
        Some(BranchHistory::Known) => (Vec::new(), String::new()),
        Some(BranchHistory::Extended(added)) => {
            is_outdated = !is_own(&added)?;
            let before = added.len() - 1;
            let more = if before == 0 { String::new() } else { format!(" and {before} before it") };
            (added, format!("{more} was added since, and counts as the user's own"))
        }
        Some(BranchHistory::Rewritten) => {
            let passed = run.record.gate.as_ref().map_or("HEAD", |gate| &gate.head_sha);
            let commits = history::rewritten_commits(&tree, passed, &run.record.base_sha)?;
            is_outdated = !commits.map_or(Ok(false), |commits| is_own(&commits))?;
            let what = " is the last one since the branch was rewritten, and counts as the user's own";
            (vec![tree.must_commit("HEAD")?], what.to_owned())
        }
        Some(BranchHistory::OtherBranch) => return Err(run.on_other_branch(&tree)?),
        None => {
            let (record, known) = (&run.record, run.record.known_commits());
            must_be_at(&tree, (&POLISH, &record.run_id), &record.tree, &known)?;
            (Vec::new(), String::new())
        }
    };
    let mut notes = Vec::new();
    if !added.is_empty() {
        let subject =
            tree.line(&["log", "-1", "--no-show-signature", "--format=%s", "HEAD"])?.unwrap_or_default();
        notes.push(format!("the commit `{}`{what}", line(&subject)));
    }
    let record = &mut run.record;
    if let Some(gate) = &mut record.gate {
        gate.is_outdated |= is_outdated;
    }
    record.user_commits.extend(added.iter().cloned());
    record.commits.extend(added.into_iter().rev());
    if let Some(base) = tree.merge_base(&record.base_ref, "HEAD")? {
        record.base_sha = base;
    }
    if record.mode == LaunchMode::Headless {
        notes.push("it was headless, and is interactive from now on".to_owned());
    }
    record.mode = LaunchMode::Interactive;
    let (open, lock) = checklist::interrupted(&run)?;
    let mut documents = Vec::new();
    if !open.is_empty() {
        documents.push((checklist::LOCK, lock));
        let open = open.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        notes.push(format!("dispatched without a result, and to be dispatched again: {open}"));
    }
    let abandoned = run.claim_again(&run.record.tree, take_over, documents, environment)?;
    let checklist = run.store.has_file(&run.path.join(checklist::CHECKLIST))?;
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
        checklist,
        notes,
    }))
}
