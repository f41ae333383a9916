//! The target of a review in a working tree: it is checked out there already, in this one or another, or it may be
//! checked out here, or the review must not move the tree. A pull request is its number, its repository and its
//! head commit; a branch of the user's is never moved for it.

mod checkouts;
mod own_branch;

use std::path::PathBuf;

use super::arguments::{Kind, Target};
use super::{Mode, failed};
use crate::order;
use crate::runtime::answer::{Failure, REFUSED};
use crate::runtime::changes;
use crate::runtime::git::{Repository, records};
use crate::runtime::github::PullRequest;
use crate::runtime::repo::base;
use crate::runtime::store::refuse_state_in;

use checkouts::Checkout;
pub(super) use own_branch::OwnBranches;

/// Where a target is, and what brings it there.
#[derive(Debug)]
pub(super) struct Location {
    /// The working tree that the review works in.
    pub(super) repository: Repository,
    /// The pull request, if it is one.
    pub(super) request: Option<PullRequest>,
    /// What must be checked out there.
    pub(super) checkout: Pending,
    /// What a reader should know.
    pub(super) notes: Vec<String>,
}

/// What must be checked out before a review can begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pending {
    /// Nothing.
    None,
    /// A branch of the user's, as it is.
    Branch(String),
    /// The head of the pull request, as a branch of ours.
    Head,
}

/// Whether a word names a branch here or of a remote.
pub(super) fn is_branch(repository: &Repository, word: &str) -> Result<bool, Failure> {
    let is_here = repository.commit(&format!("refs/heads/{word}"))?.is_some();
    Ok(is_here || remote_with(repository, word)?.is_some())
}

/// The remote that has a branch of this name, as far as it was fetched; `origin` before others.
fn remote_with(repository: &Repository, branch: &str) -> Result<Option<String>, Failure> {
    let mut remotes: Vec<String> = repository.remotes()?.into_iter().map(|(name, _)| name).collect();
    order::sort_by_key(&mut remotes, |name| name != "origin");
    for remote in remotes {
        if repository.commit(&format!("refs/remotes/{remote}/{branch}"))?.is_some() {
            return Ok(Some(remote));
        }
    }
    Ok(None)
}

/// Finds the working tree that a review of the target works in. Changes nothing.
///
/// # Errors
/// `shared_checkout` and `dirty` where it would have to be checked out and must not; what git and gh fail with.
pub(super) fn locate(repository: &Repository, mode: Mode, target: &Target) -> Result<Location, Failure> {
    let mut location = Location {
        repository: repository.clone(),
        request: None,
        checkout: Pending::None,
        notes: Vec::new(),
    };
    match target.kind {
        Kind::Current => {}
        Kind::Branch => {
            let name = target.branch.clone().unwrap_or_default();
            if repository.branch()?.as_ref() != Some(&name) {
                let of_name = |one: &Checkout| one.branch.as_ref() == Some(&name);
                match checkouts::other(repository, of_name)? {
                    Some(top) => location.work_in(top)?,
                    None => {
                        may_move(repository, mode, &format!("`{name}` is checked out in no working tree"))?;
                        location.checkout = Pending::Branch(name);
                    }
                }
            }
        }
        Kind::Pr => {
            locate_request(&mut location, mode, base::named_pull_request(repository, &target.word())?)?
        }
    }
    Ok(location)
}

fn locate_request(location: &mut Location, mode: Mode, request: PullRequest) -> Result<(), Failure> {
    let repository = location.repository.clone();
    let (number, head, name) = (request.number, request.head_sha.clone(), request.head_branch.clone());
    match request.state.as_str() {
        "MERGED" => location.notes.push(format!("pull request {number} is merged already")),
        "CLOSED" => location.notes.push(format!("pull request {number} is closed without a merge")),
        _ => {}
    }
    location.request = Some(request);
    if repository.commit("HEAD")?.as_ref() == Some(&head) {
        return Ok(());
    }
    if let Some(top) = checkouts::other(&repository, |one| one.head.as_ref() == Some(&head))? {
        return location.work_in(top);
    }
    let local = repository.commit(&format!("refs/heads/{name}"))?;
    let detail = match &local {
        Some(commit) if *commit != head => format!(
            "the local branch `{name}` is at {}, the head of pull request {number} is {}",
            short(commit),
            short(&head)
        ),
        _ => {
            format!("the head of pull request {number}, {}, is checked out in no working tree", short(&head))
        }
    };
    may_move(&repository, mode, &detail)?;
    location.checkout = if local.as_ref() == Some(&head) { Pending::Branch(name) } else { Pending::Head };
    Ok(())
}

impl Location {
    fn work_in(&mut self, top: PathBuf) -> Result<(), Failure> {
        self.notes.push(format!("the target is checked out in `{}`: the review works there", top.display()));
        self.repository = Repository::find(self.repository.surroundings(), &top)?;
        Ok(())
    }

    /// Checks out what is not checked out yet; `own` knows the branches that reviews made.
    ///
    /// # Errors
    /// `branch_not_ours`, and what git fails with.
    pub(super) fn check_out(&mut self, own: &OwnBranches<'_>) -> Result<(), Failure> {
        let repository = &self.repository;
        match (&self.checkout, &self.request) {
            (Pending::Branch(name), _) if repository.commit(&format!("refs/heads/{name}"))?.is_none() => {
                let remote = remote_with(repository, name)?.unwrap_or_default();
                let from = format!("refs/remotes/{remote}/{name}");
                refuse_state_in(repository, &from)?;
                let words = ["--track", "--create", name.as_str(), from.as_str()];
                self.notes.extend(repository.check_out(&words, &from)?);
                self.notes.push(format!("the branch `{name}` was made from `{remote}/{name}`"));
            }
            (Pending::Branch(name), _) => {
                let branch = format!("refs/heads/{name}");
                refuse_state_in(repository, &branch)?;
                self.notes.extend(repository.check_out(&["--end-of-options", name], &branch)?);
            }
            (Pending::Head, Some(request)) => {
                let head = base::fetch_head(repository, request)?;
                refuse_state_in(repository, &head)?;
                tell_local_branch(repository, request, &head, &mut self.notes)?;
                self.notes.extend(own.check_out(repository, request, &head)?);
            }
            (Pending::Head | Pending::None, _) => {}
        }
        Ok(())
    }
}

/// Whether this review may check something out now.
fn may_move(repository: &Repository, mode: Mode, detail: &str) -> Result<(), Failure> {
    if matches!(mode, Mode::Headless | Mode::ReportOnly) {
        let reason = "shared checkout stays on its branch. Start in a worktree of the target, or pass base:<ref> for this tree.";
        return Err(failed(REFUSED, "shared_checkout", mode, reason).hinting(detail));
    }
    let without = changes::Smudged::find(repository)?.excluded();
    let mut words = vec!["status", "--porcelain", "-z", "--untracked-files=no", "--"];
    words.extend(without.iter().map(String::as_str));
    let changed = repository.must(&words)?;
    let names: Vec<String> =
        records(&changed).map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    if names.is_empty() {
        return Ok(());
    }
    let reason = format!("the working tree has changes ({}). Commit or stash them first.", names.join(", "));
    Err(failed(REFUSED, "dirty", mode, &reason))
}

/// Tells of a local branch that is called like the one of the pull request and is another commit.
fn tell_local_branch(
    repository: &Repository,
    request: &PullRequest,
    head: &str,
    notes: &mut Vec<String>,
) -> Result<(), Failure> {
    let name = &request.head_branch;
    let Some(local) = repository.commit(&format!("refs/heads/{name}"))?.filter(|local| local != head) else {
        return Ok(());
    };
    let counted = repository.line(&["rev-list", "--left-right", "--count", &format!("{local}...{head}")])?;
    let counts = counted.as_deref().and_then(|counts| counts.split_once('\t'));
    let how = match counts {
        Some(("0", behind)) => format!("{behind} commits behind"),
        Some((ahead, "0")) => format!("{ahead} commits ahead of"),
        Some((ahead, behind)) => format!("{ahead} commits ahead of and {behind} behind"),
        None => "not at".to_owned(),
    };
    notes.push(format!(
        "your branch `{name}` is {how} the head of pull request {}: it was left as it is",
        request.number
    ));
    Ok(())
}

/// A commit in short.
fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}
