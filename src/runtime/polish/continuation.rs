//! `polish acquire --apply --continue`: a user continues an unfinished polish. Its working tree is claimed again, the
//! user's changes to its branch are recorded, items dispatched without a result may be dispatched again, and it is
//! interactive from then on.

use std::path::Path;

use super::acquire::{AcquireAction, AcquireStatus, Response};
use super::checklist;
use super::clean_tree::must_have_no_operation;
use super::history::{self, BranchHistory, CommitOrigin, NO_LOG};
use super::record::{POLISH, PolishRun};
use crate::disk;
use crate::printable::line;
use crate::runtime::answer::{CONTENDED, CallFailure, Delivery};
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::{Repository, short_commit};
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
    let tree = recorded_tree(&run, environment)?;
    must_have_no_operation(&tree)?;
    let added = AddedCommits::find(&run, &tree, environment)?;
    let mut notes: Vec<String> = added.note(&run, &tree)?.into_iter().collect();
    let record = &mut run.record;
    if let Some(gate) = &mut record.gate {
        gate.is_outdated |= added.are_unchecked;
    }
    record.user_commits.extend(added.commits.iter().cloned());
    record.commits.extend(added.commits.into_iter().rev());
    if let Some(base) = record.merge_base(&tree)? {
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

/// The working tree of a run, which must still be there.
fn recorded_tree(run: &PolishRun, environment: &Environment) -> Result<Repository, CallFailure> {
    let (top, run_id) = (&run.record.tree, &run.record.run_id);
    if !disk::is_folder(Path::new(top)) {
        let message = format!("run `{run_id}` is bound to `{top}`, which no longer exists");
        let hint = format!("if it was moved, move it back with `git worktree move`, or {}", POLISH.give_up);
        return Err(CallFailure::new(CONTENDED, ErrorCode::RunMoved, message, hint));
    }
    Repository::find(environment, Path::new(top))
}

/// The commits that the branch has gained since the run recorded it.
#[derive(Default)]
struct AddedCommits {
    /// The newest first.
    commits: Vec<String>,
    /// What was done to the branch, for people.
    change: String,
    /// Whether the gate must pass with them.
    are_unchecked: bool,
}

impl AddedCommits {
    /// Finds them.
    ///
    /// # Errors
    /// `run_moved` where another branch is checked out, and those of git.
    fn find(run: &PolishRun, tree: &Repository, environment: &Environment) -> Result<Self, CallFailure> {
        let is_held = || -> Result<bool, CallFailure> {
            let holder = holder(&run.store, &POLISH, &run.record.tree, environment)?;
            Ok(run.record.mode == LaunchMode::Interactive && holder.as_ref() == Some(&run.record.run_id))
        };
        let since = run.record.gate.as_ref().map_or(&run.record.head_sha, |gate| &gate.head_sha);
        // Commits that the user made here need no new pass, as in an interactive session.
        let origin = || -> Result<(CommitOrigin, bool), CallFailure> {
            let origin = history::origin_since(&run.record, tree, since)?;
            let needs_pass = origin != CommitOrigin::Here || run.record.gate.is_none() || !is_held()?;
            Ok((origin, needs_pass))
        };
        Ok(match BranchHistory::from_checkout(&run.record, tree)? {
            Some(BranchHistory::Known) => Self::default(),
            Some(BranchHistory::Extended(commits)) => {
                let (origin, are_unchecked) = origin()?;
                let change = match commits.len() - 1 {
                    0 => format!(" was added since, and {}", origin_words(origin, false)),
                    before => {
                        format!(
                            " and {before} before it were added since, and {}",
                            origin_words(origin, true)
                        )
                    }
                };
                Self { commits, change, are_unchecked }
            }
            Some(BranchHistory::Rewritten) => {
                let (origin, are_unchecked) = origin()?;
                let why = origin_words(origin, false);
                let change = format!(" is the last one since the branch was rewritten, and {why}");
                Self { commits: vec![tree.must_commit("HEAD")?], change, are_unchecked }
            }
            Some(BranchHistory::OtherBranch) => return Err(run.on_other_branch(tree)?),
            None => {
                let (record, known) = (&run.record, run.record.known_commits());
                must_be_at(tree, (&POLISH, &record.run_id), &record.tree, &known)?;
                Self::default()
            }
        })
    }

    /// A sentence for people; none if there are none.
    fn note(&self, run: &PolishRun, tree: &Repository) -> Result<Option<String>, CallFailure> {
        let Some(newest) = self.commits.first() else { return Ok(None) };
        // A commit may have no message.
        let subject = tree.line(&["log", "-1", "--no-show-signature", "--format=%s", "HEAD"])?;
        let subject = subject.unwrap_or_else(|| short_commit(newest).to_owned());
        let needs_pass = self.are_unchecked && run.record.gate.is_some();
        let again = if needs_pass { ": the gate must pass again" } else { "" };
        Ok(Some(format!("the commit `{}`{}{again}", line(&subject), self.change)))
    }
}

/// What the origin of one or more commits means for them.
fn origin_words(origin: CommitOrigin, are_several: bool) -> String {
    match (origin, are_several) {
        (CommitOrigin::Here, false) => "counts as the user's own".to_owned(),
        (CommitOrigin::Here, true) => "count as the user's own".to_owned(),
        (CommitOrigin::Elsewhere, false) => "not all of it was made in this working tree".to_owned(),
        (CommitOrigin::Elsewhere, true) => "not all were made in this working tree".to_owned(),
        (CommitOrigin::Unknown, _) => format!("where this was done is unknown, since {NO_LOG}"),
    }
}
