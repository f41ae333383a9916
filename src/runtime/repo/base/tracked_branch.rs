//! The branch of a remote that a local branch tracks, and the fork's pull request that it is.

use super::request::{remote_among, servers};
use super::{ORIGIN, UPSTREAM, default_branch, is_of_remote, named_pull_request};
use crate::runtime::answer::CallFailure;
use crate::runtime::git::Repository;
use crate::runtime::github::{self, PullRequest, RepositoryAddress};

/// What a local branch tracks, as its settings tell.
struct TrackedBranch {
    /// The name or the address of the remote.
    remote: String,
    /// The ref there.
    reference: String,
}

impl TrackedBranch {
    fn read(repository: &Repository, branch: &str) -> Result<Option<Self>, CallFailure> {
        let setting = |key: &str| repository.line(&["config", "--get", &format!("branch.{branch}.{key}")]);
        let Some(reference) = setting("merge")?.filter(|reference| !reference.is_empty()) else {
            return Ok(None);
        };
        Ok(setting("remote")?.map(|remote| Self { remote, reference }))
    }

    /// The repository of the remote, if it is on a server.
    fn address(&self, remotes: &[(String, String)]) -> Option<RepositoryAddress> {
        let url = remotes.iter().find(|(name, _)| *name == self.remote).map_or(&self.remote, |(_, url)| url);
        RepositoryAddress::parse(url)
    }
}

/// The name of a local branch on the remote that is asked first: that of the branch that it tracks there, unless the
/// remote also has a branch with the local name, or the branch only started from the main branch.
///
/// # Errors
/// When git fails.
pub fn name_on_remote(repository: &Repository, branch: &str) -> Result<String, CallFailure> {
    let Some(tracked) = TrackedBranch::read(repository, branch)? else { return Ok(branch.to_owned()) };
    let remotes = repository.remotes()?;
    let Some(name) = tracked.reference.strip_prefix("refs/heads/").filter(|name| *name != branch) else {
        return Ok(branch.to_owned());
    };
    let is_asked = tracked.remote == ORIGIN
        || tracked
            .address(&remotes)
            .is_some_and(|at| servers(&remotes).next().is_some_and(|one| one.is(&at)));
    let is_other = !is_asked
        || repository.commit(&format!("refs/remotes/{}/{branch}", tracked.remote))?.is_some()
        || default_branch(repository)?.as_deref() == Some(name);
    Ok(if is_other { branch } else { name }.to_owned())
}

/// The pull request whose code a local branch has: it tracks the head of one, or a branch of another repository from
/// which one was opened. The code of a fork is as foreign under a name of the user's.
///
/// # Errors
/// The errors of git and gh.
pub fn tracked_pull_request(
    repository: &Repository,
    branch: &str,
) -> Result<Option<PullRequest>, CallFailure> {
    let Some(tracked) = TrackedBranch::read(repository, branch)? else { return Ok(None) };
    let remotes = repository.remotes()?;
    let address = tracked.address(&remotes);
    if let Some(number) = tracked.reference.strip_prefix("refs/pull/").and_then(|rest| rest.split('/').next())
    {
        let word = match &address {
            Some(at) => format!("https://{}/{}/{}/pull/{number}", at.host, at.owner, at.name),
            None => number.to_owned(),
        };
        return match named_pull_request(repository, &word) {
            // Without GitHub, no gate is passed.
            Err(failure) if failure.error.code == "no_remote" => Ok(None),
            named => named.map(Some),
        };
    }
    let Some(name) = tracked.reference.strip_prefix("refs/heads/") else { return Ok(None) };
    let Some(at) = address.filter(|_| tracked.remote != UPSTREAM) else { return Ok(None) };
    let origin = remotes.iter().find(|(name, _)| name == ORIGIN);
    if origin.and_then(|(_, url)| RepositoryAddress::parse(url)).is_some_and(|origin| origin.is(&at)) {
        return Ok(None);
    }
    for request in github::for_branch(repository, &at, Some(name))?.requests {
        if request.is_cross_repository && is_of_remote(repository, &request.base_url)? {
            return Ok(Some(request));
        }
    }
    Ok(None)
}

/// Whether a pull request that was found by the name of a branch is that of a fork, and its head is what is checked out.
///
/// # Errors
/// When git fails.
pub fn is_head_of_fork(
    repository: &Repository,
    request: &PullRequest,
    head: &str,
) -> Result<bool, CallFailure> {
    // From an own fork, which is `origin` then, the pull request goes to another repository.
    let is_from_origin = remote_among(&repository.remotes()?, &request.base_url).as_deref() != Some(ORIGIN);
    Ok(request.is_cross_repository && !is_from_origin && request.head_sha == head)
}
