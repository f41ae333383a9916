//! What `polish acquire` would do: where the target is, how it gets into a working tree, and what prevents that.

use std::path::Path;

use super::{AcquireAction, Words};
use crate::printable::line;
use crate::runtime::answer::{CallFailure, USAGE};
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::github::PullRequest;
use crate::runtime::launch::LaunchMode;
use crate::runtime::place::normalized;
use crate::runtime::polish::clean_tree::{FINISH, in_progress, must_be_clean};
use crate::runtime::polish::{arguments, earlier_runs, refusal};
use crate::runtime::repo::base::{self, BranchSource, FetchError};
use crate::runtime::review::arguments::TargetKind;
use crate::runtime::review::target::{self, PendingCheckout, TargetLocation};

/// What is to be done.
pub(super) struct AcquirePlan {
    pub location: TargetLocation,
    pub action: AcquireAction,
    pub branch: Option<String>,
    /// The commit, if it is available locally or known from GitHub.
    pub head: Option<String>,
    pub base_branch: Option<String>,
    /// Whose code the branch has, by what it follows.
    pub source: BranchSource,
    /// Whether the base was fetched, or why it was not.
    pub fetched: Result<bool, FetchError>,
}

/// Finds out what is to be done. Changes nothing; `adds` means that a working tree is added.
pub(super) fn plan(
    repository: &Repository,
    words: &Words,
    adds: bool,
    root: Option<&Path>,
) -> Result<AcquirePlan, CallFailure> {
    if let Some(name) = &words.target.branch
        && !(arguments::is_plain(name) && target::is_branch(repository, name)?)
    {
        let message = format!("`{name}` is not a branch here");
        return Err(CallFailure::environment(ErrorCode::BadRef, message, "fetch it, or name another one"));
    }
    let mut location = target::locate(repository, &words.target)?;
    location.follow_own_branch()?;
    let (action, branch, head) = checkout(repository, &location)?;
    let mut source = BranchSource::default();
    if let (None, Some(branch)) = (&location.request, &branch) {
        source = source_of_branch(repository, &location.repository, root, branch)?;
        location.request = source.request.take();
    }
    // What is checked out must be what was named, also if the tree is switched meanwhile.
    let branch = words.target.branch.clone().or(branch);
    if let Some(request) = &location.request
        && request.state != "OPEN"
    {
        let message = format!("pull request {} is {}", request.number, request.state.to_lowercase());
        return Err(refusal(ErrorCode::PrNotOpen, message, "nothing is left to polish"));
    }
    let tree = &location.repository;
    let base_branch = match &location.request {
        Some(request) => Some(request.base_branch.clone()),
        None => base::default_branch(repository)?,
    };
    if let Some(name) = branch.as_ref().filter(|_| branch == base_branch) {
        // The HEAD of the remote may be old, or a pull request leads from one main branch to another.
        match base::base_on_github(tree, name)? {
            Some(base) if base != *name => {}
            _ => return Err(on_base(name)),
        }
    }
    if let Some(branch) = branch.as_deref().filter(|_| action != AcquireAction::None)
        && let Some((message, hint)) = target::unusable(repository, branch)?
    {
        return Err(refusal(ErrorCode::SharedCheckout, message, &hint));
    }
    if branch.is_none() && words.target.kind == TargetKind::Current {
        let (message, hint) = ("no branch is checked out", "switch to the branch to polish, or name it");
        return Err(match tree.operation()? {
            Some(operation) => {
                refusal(ErrorCode::Detached, format!("{message}: {}", in_progress(tree, operation)), FINISH)
            }
            None => refusal(ErrorCode::Detached, message.to_owned(), hint),
        });
    }
    if !(adds && location.checkout != PendingCheckout::None) {
        must_be_usable(&location, words, (branch.as_deref(), head.as_deref()), root)?;
    }
    Ok(AcquirePlan { action, branch, head, base_branch, source, location, fetched: Ok(false) })
}

/// Refuses a plan that was named and is in neither the working tree of the call nor that of the target.
pub(super) fn must_be_inside(
    repository: &Repository,
    plan: &AcquirePlan,
    named: Option<&str>,
) -> Result<(), CallFailure> {
    // An absolute path may be in the tree that has the target.
    let tops = [&repository.top, &plan.location.repository.top];
    let is_outside = |named: &&str| tops.iter().all(|top| normalized(named, top).is_err());
    if let Some(named) = named.filter(is_outside) {
        let message = format!("the plan `{}` is not in the repository", line(named));
        let hint = "pass `plan:PATH` with the path of one of its files";
        return Err(CallFailure::new(USAGE, ErrorCode::BadValue, message, hint));
    }
    Ok(())
}

/// How the target gets into a working tree, with its branch and its commit.
fn checkout(
    repository: &Repository,
    location: &TargetLocation,
) -> Result<(AcquireAction, Option<String>, Option<String>), CallFailure> {
    let tree = &location.repository;
    Ok(match (&location.checkout, &location.request) {
        (PendingCheckout::None, _) if tree.top == repository.top => {
            (AcquireAction::None, tree.branch()?, Some(tree.must_commit("HEAD")?))
        }
        (PendingCheckout::None, _) => {
            (AcquireAction::Attach, tree.branch()?, Some(tree.must_commit("HEAD")?))
        }
        (PendingCheckout::Branch(name), request) => {
            let action =
                if request.is_some() { AcquireAction::CheckoutPr } else { AcquireAction::CheckoutBranch };
            let remote = || target::remote_with(tree, name);
            let head = match tree.commit(&format!("refs/heads/{name}"))? {
                None => tree.commit(&format!("refs/remotes/{}/{name}", remote()?.unwrap_or_default()))?,
                here => here,
            };
            (action, Some(name.clone()), head)
        }
        (PendingCheckout::Head, request) => {
            let request = request.as_ref();
            let name = request.map(|request| format!("pr-{}", request.number));
            (AcquireAction::CheckoutPr, name, request.map(|request| request.head_sha.clone()))
        }
    })
}

/// Whose code a branch has for which no pull request was named.
fn source_of_branch(
    repository: &Repository,
    tree: &Repository,
    root: Option<&Path>,
    branch: &str,
) -> Result<BranchSource, CallFailure> {
    let made_from = match repository.commit(&format!("refs/heads/{branch}"))? {
        None => target::remote_with(tree, branch)?,
        Some(_) => None,
    };
    let trail = base::branch_trail(repository, branch, made_from)?;
    let mut source = base::branch_source(repository, &trail)?;
    for branch in &trail.branches {
        if let Some(request) = request_of_branch(repository, root, branch)? {
            (source.request, source.tracks_request) = (Some(request), Some(true));
            break;
        }
    }
    Ok(source)
}

/// Refuses a working tree that has changes, or that may not switch.
fn must_be_usable(
    location: &TargetLocation,
    words: &Words,
    (branch, head): (Option<&str>, Option<&str>),
    root: Option<&Path>,
) -> Result<(), CallFailure> {
    let moves = location.checkout != PendingCheckout::None;
    let unfinished = || {
        // Only a user can continue a polish, and only in its own working tree.
        if moves || words.mode == LaunchMode::Headless {
            return Ok(None);
        }
        let number = location.request.as_ref().map(|request| request.number);
        earlier_runs::waiting(&location.repository, root, (branch, number), head)
    };
    must_be_clean(&location.repository, moves, head, &unfinished)?;
    if words.mode == LaunchMode::Headless && moves {
        let message = format!("{}, and this one stays on its branch", location.detail);
        let hint = "start in a working tree of the target (`git worktree add`)";
        return Err(refusal(ErrorCode::SharedCheckout, message, hint));
    }
    Ok(())
}

/// The pull request for which this program created a branch: code that was not trusted before is not trusted just
/// because it is checked out.
fn request_of_branch(
    repository: &Repository,
    root: Option<&Path>,
    branch: &str,
) -> Result<Option<PullRequest>, CallFailure> {
    let Some(name) = target::made_for(repository, root, branch)? else { return Ok(None) };
    match base::named_pull_request(repository, &name) {
        // The branch only has a similar name.
        Err(failure)
            if !name.contains('/')
                && matches!(failure.error.code, ErrorCode::NoRemote | ErrorCode::GhNotFound) =>
        {
            Ok(None)
        }
        named => named.map(Some),
    }
}

pub(super) fn on_base(branch: &str) -> CallFailure {
    refusal(
        ErrorCode::OnBase,
        format!("`{branch}` is the base itself"),
        "name the branch to polish, or switch to it",
    )
}
