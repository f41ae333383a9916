//! Locates the target of a review: it is already checked out in this or another working tree, or it may be checked out
//! here, or the review must not switch the tree. A pull request is identified by its number, repository and head
//! commit; a branch of the user is never moved for it.

mod checkouts;
mod own_branch;

use std::path::PathBuf;
use std::time::Duration;

use super::arguments::{ReviewTarget, TargetKind};
use super::{ReviewMode, failed};
use crate::disk;
use crate::order;
use crate::runtime::answer::{CallFailure, REFUSED};
use crate::runtime::changes;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::{Repository, records, short_commit};
use crate::runtime::github::PullRequest;
use crate::runtime::repo::base;
use crate::runtime::store::refuse_state_in;

use checkouts::TargetCheckout;
pub(in crate::runtime) use checkouts::unusable;
pub(in crate::runtime) use own_branch::{OwnBranches, made_for};

/// The location of a target, and the checkout that it needs.
#[derive(Debug)]
pub(in crate::runtime) struct TargetLocation {
    /// The working tree for the work.
    pub(in crate::runtime) repository: Repository,
    /// The pull request, if it is one.
    pub(in crate::runtime) request: Option<PullRequest>,
    /// What must be checked out there.
    pub(in crate::runtime) checkout: PendingCheckout,
    /// Why it must be checked out.
    pub(in crate::runtime) detail: String,
    /// What a reader should know.
    pub(in crate::runtime) notes: Vec<String>,
}

/// What must be checked out before the work can begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::runtime) enum PendingCheckout {
    /// Nothing.
    None,
    /// A branch of the user, unchanged.
    Branch(String),
    /// The head of the pull request, as one of our own branches.
    Head,
}

/// Whether a word names a local or remote branch.
pub(in crate::runtime) fn is_branch(repository: &Repository, word: &str) -> Result<bool, CallFailure> {
    let is_here = repository.commit(&format!("refs/heads/{word}"))?.is_some();
    Ok(is_here || remote_with(repository, word)?.is_some())
}

/// The remote that has a branch of this name, as last fetched; `origin` takes precedence.
pub(in crate::runtime) fn remote_with(
    repository: &Repository,
    branch: &str,
) -> Result<Option<String>, CallFailure> {
    let mut remotes: Vec<String> = repository.remotes()?.into_iter().map(|(name, _)| name).collect();
    order::sort_by_key(&mut remotes, |name| name != "origin");
    for remote in remotes {
        if repository.commit(&format!("refs/remotes/{remote}/{branch}"))?.is_some() {
            return Ok(Some(remote));
        }
    }
    Ok(None)
}

/// Finds the working tree for the target. Changes nothing.
///
/// # Errors
/// The errors of git and gh.
pub(in crate::runtime) fn locate(
    repository: &Repository,
    target: &ReviewTarget,
) -> Result<TargetLocation, CallFailure> {
    let mut location = TargetLocation {
        repository: repository.clone(),
        request: None,
        checkout: PendingCheckout::None,
        detail: String::new(),
        notes: Vec::new(),
    };
    match target.kind {
        TargetKind::Current => {}
        TargetKind::Branch => {
            let name = target.branch.clone().unwrap_or_default();
            if repository.branch()?.as_ref() != Some(&name) {
                let of_name = |one: &TargetCheckout| one.branch.as_ref() == Some(&name);
                match checkouts::matching_checkout(repository, of_name)? {
                    Some(top) => location.work_in(top, "the target")?,
                    None => {
                        location.detail = format!("no working tree has `{name}` checked out");
                        location.checkout = PendingCheckout::Branch(name);
                    }
                }
            }
        }
        TargetKind::Pr => {
            locate_request(&mut location, base::named_pull_request(repository, &target.word())?)?
        }
    }
    Ok(location)
}

fn locate_request(location: &mut TargetLocation, request: PullRequest) -> Result<(), CallFailure> {
    let repository = location.repository.clone();
    let (number, head, name) = (request.number, request.head_sha.clone(), request.head_branch.clone());
    match request.state.as_str() {
        "MERGED" => location.notes.push(format!("pull request {number} is merged already")),
        "CLOSED" => location.notes.push(format!("pull request {number} is closed without a merge")),
        _ => {}
    }
    // A branch of another name may be at the same commit by chance, and is the user's.
    let is_its = |branch: Option<&String>| branch.is_none_or(|branch| request.is_called(branch));
    let is_its_checkout =
        |one: &TargetCheckout| one.head.as_ref() == Some(&head) && is_its(one.branch.as_ref());
    let other = checkouts::matching_checkout(&repository, is_its_checkout)?;
    let is_here = repository.commit("HEAD")?.as_ref() == Some(&head) && is_its(repository.branch()?.as_ref());
    location.request = Some(request);
    if is_here {
        return Ok(());
    }
    if let Some(top) = other {
        return location.work_in(top, "the target");
    }
    let local = repository.commit(&format!("refs/heads/{name}"))?;
    location.detail = match &local {
        Some(commit) if *commit != head => format!(
            "the local branch `{name}` is at {}, the head of pull request {number} is {}",
            short_commit(commit),
            short_commit(&head)
        ),
        _ => {
            format!(
                "no working tree has the head of pull request {number}, {}, checked out",
                short_commit(&head)
            )
        }
    };
    location.checkout =
        if local.as_ref() == Some(&head) { PendingCheckout::Branch(name) } else { PendingCheckout::Head };
    Ok(())
}

impl TargetLocation {
    /// Goes to the working tree that has our branch of the pull request, where alone it can move on to another head.
    ///
    /// # Errors
    /// When git fails.
    pub(in crate::runtime) fn follow_own_branch(&mut self) -> Result<(), CallFailure> {
        let (PendingCheckout::Head, Some(request)) = (&self.checkout, &self.request) else { return Ok(()) };
        let own = format!("pr-{}", request.number);
        match checkouts::matching_checkout(&self.repository, |one| one.branch.as_ref() == Some(&own))? {
            Some(top) => self.work_in(top, &format!("`{own}`")),
            None => Ok(()),
        }
    }

    fn work_in(&mut self, top: PathBuf, what: &str) -> Result<(), CallFailure> {
        self.notes.push(format!("{what} is checked out in `{}`: work there", top.display()));
        self.repository = Repository::find(self.repository.environment(), &top)?;
        Ok(())
    }

    /// Refuses a review that needs a checkout but must not make one.
    ///
    /// # Errors
    /// `shared_checkout` and `dirty`.
    pub(super) fn may_move(&self, mode: ReviewMode) -> Result<(), CallFailure> {
        if self.checkout == PendingCheckout::None {
            return Ok(());
        }
        if matches!(mode, ReviewMode::Headless | ReviewMode::ReportOnly) {
            let reason = "shared checkout stays on its branch. Start in a worktree of the target, or pass base:<ref> for this tree.";
            return Err(failed(REFUSED, ErrorCode::SharedCheckout, mode, reason).with_hint(&self.detail));
        }
        let names = changed_files(&self.repository)?;
        if names.is_empty() {
            return Ok(());
        }
        let reason =
            format!("the working tree has changes ({}). Commit or stash them first.", names.join(", "));
        Err(failed(REFUSED, ErrorCode::Dirty, mode, &reason))
    }

    /// Checks out the target if needed; `own` knows the branches that reviews created.
    ///
    /// # Errors
    /// `branch_not_ours`, and the errors of git.
    pub(in crate::runtime) fn check_out(&mut self, own: &OwnBranches<'_>) -> Result<(), CallFailure> {
        let repository = &self.repository;
        if self.checkout != PendingCheckout::None {
            settle_index(repository)?;
        }
        match (&self.checkout, &self.request) {
            (PendingCheckout::Branch(name), _)
                if repository.commit(&format!("refs/heads/{name}"))?.is_none() =>
            {
                let remote = remote_with(repository, name)?.unwrap_or_default();
                let from = format!("refs/remotes/{remote}/{name}");
                refuse_state_in(repository, &from)?;
                let words = ["--track", "--create", name.as_str(), from.as_str()];
                self.notes.extend(repository.check_out(&words, &from)?);
                self.notes.push(format!("the branch `{name}` was made from `{remote}/{name}`"));
            }
            (PendingCheckout::Branch(name), _) => {
                let branch = format!("refs/heads/{name}");
                refuse_state_in(repository, &branch)?;
                self.notes.extend(repository.check_out(&["--end-of-options", name], &branch)?);
            }
            (PendingCheckout::Head, Some(request)) => {
                let head = base::fetch_head(repository, request)?;
                if head != request.head_sha {
                    self.notes.push(format!(
                        "GitHub names {} as the head of pull request {}, and its branch is at {}",
                        short_commit(&request.head_sha),
                        request.number,
                        short_commit(&head)
                    ));
                }
                refuse_state_in(repository, &head)?;
                tell_local_branch(repository, request, &head, &mut self.notes)?;
                self.notes.extend(own.check_out(repository, request, &head)?);
            }
            (PendingCheckout::Head | PendingCheckout::None, _) => {}
        }
        Ok(())
    }
}

/// Tracked files with uncommitted changes, each after its status: ` M a.rs`.
pub(in crate::runtime) fn changed_files(repository: &Repository) -> Result<Vec<String>, CallFailure> {
    let without = changes::FilteredFiles::find(repository)?.exclusion_pathspecs();
    let mut words = vec!["status", "--porcelain", "-z", "--no-renames", "--untracked-files=no", "--"];
    words.extend(without.iter().map(String::as_str));
    let changed = repository.must(&words)?;
    Ok(records(&changed).map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// Git compares the content of a file that was written in the second of its index, and a file with a filter, which is
/// not run here, differs then: git would refuse to replace it. In a clean tree, git may trust the times in the index
/// once its own is that of a later second, in which every edit has another time.
///
/// # Errors
/// When git fails.
pub(in crate::runtime) fn settle_index(repository: &Repository) -> Result<(), CallFailure> {
    if changes::FilteredFiles::find(repository)?.exclusion_pathspecs().is_empty() {
        return Ok(());
    }
    std::thread::sleep(Duration::from_secs(1));
    if changed_files(repository)?.is_empty()
        && let Some(index) = repository.line(&["rev-parse", "--git-path", "index"])?
    {
        // Where the time cannot be set, git refuses by itself.
        let _ = disk::renew_times(&repository.top.join(index));
    }
    Ok(())
}

/// Restores the previous checkout after a failed start; the tree was clean.
pub(in crate::runtime) fn restore_checkout(repository: &Repository, branch: Option<&str>, commit: &str) {
    let is_there = match branch {
        Some(_) => repository.branch().is_ok_and(|now| now.as_deref() == branch),
        None => repository.commit("HEAD").is_ok_and(|head| head.as_deref() == Some(commit)),
    };
    if !is_there {
        // The original failure is the one to report.
        let _ = match branch {
            Some(branch) => repository.check_out(&["--end-of-options", branch], commit),
            None => repository.check_out(&["--detach", "--end-of-options", commit], commit),
        };
    }
}

/// Notes a local branch that has the name of the pull request's branch but is at another commit.
fn tell_local_branch(
    repository: &Repository,
    request: &PullRequest,
    head: &str,
    notes: &mut Vec<String>,
) -> Result<(), CallFailure> {
    let name = &request.head_branch;
    let Some(local) = repository.commit(&format!("refs/heads/{name}"))?.filter(|local| local != head) else {
        return Ok(());
    };
    let counted = repository.line(&["rev-list", "--left-right", "--count", &format!("{local}...{head}")])?;
    let counts = counted.as_deref().and_then(|counts| counts.split_once('\t'));
    let how = match counts {
        Some(("0", behind)) => format!("{} behind", base::commits(behind)),
        Some((ahead, "0")) => format!("{} ahead of", base::commits(ahead)),
        Some((ahead, behind)) => format!("{} ahead of and {behind} behind", base::commits(ahead)),
        None => "not at".to_owned(),
    };
    notes.push(format!(
        "your branch `{name}` is {how} the head of pull request {}: it was left unchanged",
        request.number
    ));
    Ok(())
}
