//! What GitHub knows about this branch: the pull request, by its number or by the branch, and the remote of its base.

use super::candidate::{has_origin, head_of};
use super::head::{HeadState, head_state};
use super::tracked_branch::name_on_remote;
use super::{ORIGIN, UPSTREAM};
use crate::printable::line;
use crate::runtime::answer::{CallFailure, INTERRUPTED};
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::github::{self, BranchPullRequests, PullRequest, RepositoryAddress};

/// What GitHub knows.
#[derive(Debug, Default)]
pub(super) struct PullRequestFacts {
    pub(super) request: Option<PullRequest>,
    /// The default branch.
    pub(super) default: Option<String>,
    /// How HEAD relates to the head of a pull request that was found by the name of the branch.
    pub(super) standing: Option<HeadState>,
}

/// Asks GitHub for the pull request and the default branch. Only a pull request that was named must be found; otherwise
/// GitHub is one source of several, and a pull request found by the branch's name must share a commit with HEAD.
pub(super) fn ask_github(
    repository: &Repository,
    pr: Option<&str>,
    remotes: &[(String, String)],
    warnings: &mut Vec<String>,
) -> Result<PullRequestFacts, CallFailure> {
    if let Some(pr) = pr {
        return Ok(PullRequestFacts {
            request: Some(requested(repository, pr, remotes)?),
            ..PullRequestFacts::default()
        });
    }
    let Some(address) = known_home_server(repository, remotes)? else {
        return Ok(PullRequestFacts::default());
    };
    let branch = repository.branch()?.map(|branch| name_on_remote(repository, &branch)).transpose()?;
    match github::for_branch(repository, &address, branch.as_deref()) {
        Ok(BranchPullRequests { requests, ended, default, parent, .. }) => {
            let is_own = |one: &PullRequest| is_own(remotes, parent.as_ref(), one);
            let (own, foreign): (Vec<_>, Vec<_>) = requests.into_iter().partition(is_own);
            match (own.into_iter().next(), foreign.first()) {
                (Some(request), _) => named_request(repository, request, default, warnings),
                (None, foreign) => {
                    warnings.extend(foreign.map(|one| {
                        format!(
                            "no remote is `{}`, so its pull request {} is not used for this branch",
                            one.base_url, one.number
                        )
                    }));
                    if let Some(ended) = ended
                        && repository.commit("HEAD")?.as_ref() == Some(&ended.head_sha)
                    {
                        let how =
                            if ended.state == "MERGED" { "merged already" } else { "closed without a merge" };
                        warnings.push(format!("pull request {} of this branch is {how}", ended.number));
                    }
                    Ok(PullRequestFacts { default, ..PullRequestFacts::default() })
                }
            }
        }
        Err(failure) if failure.exit == INTERRUPTED => Err(failure),
        Err(failure) => {
            warnings
                .push(format!("GitHub was not asked ({}): {}", failure.error.code, failure.error.message));
            Ok(PullRequestFacts::default())
        }
    }
}

/// Whether a pull request of a branch goes to a repository of the remotes, or to the one that it was forked from: anybody
/// can open one in their own repository, and choose its base.
fn is_own(remotes: &[(String, String)], parent: Option<&RepositoryAddress>, one: &PullRequest) -> bool {
    let is_parent = parent.zip(RepositoryAddress::parse(&one.base_url));
    is_parent.is_some_and(|(parent, base)| parent.is(&base)) || remote_among(remotes, &one.base_url).is_some()
}

/// The base of a branch that need not be checked out, as GitHub tells it: that of its open pull request, or the default
/// branch unless the remote's HEAD is known here. None if GitHub does not answer.
///
/// # Errors
/// When git fails.
pub fn base_on_github(repository: &Repository, branch: &str) -> Result<Option<String>, CallFailure> {
    let remotes = repository.remotes()?;
    let Some(address) = known_home_server(repository, &remotes)? else { return Ok(None) };
    let name = name_on_remote(repository, branch)?;
    match github::for_branch(repository, &address, Some(&name)) {
        Ok(BranchPullRequests { requests, parent, default, .. }) => {
            let own = requests.into_iter().find(|one| is_own(&remotes, parent.as_ref(), one));
            let is_told = head_of(repository, ORIGIN)?.is_some_and(|(_, is_here)| is_here);
            let default = default.filter(|_| !is_told && has_origin(&remotes));
            Ok(own.map(|request| request.base_branch).or(default))
        }
        Err(failure) if failure.exit == INTERRUPTED => Err(failure),
        Err(_) => Ok(None),
    }
}

/// A pull request that was found by the name of the branch alone.
fn named_request(
    repository: &Repository,
    request: PullRequest,
    default: Option<String>,
    warnings: &mut Vec<String>,
) -> Result<PullRequestFacts, CallFailure> {
    let number = request.number;
    let standing = head_state(repository, &request)?;
    if standing == HeadState::Unrelated {
        let name = &request.head_branch;
        warnings.push(format!(
            "pull request {number} comes from a branch `{name}` that has no commit in common with this one: it is not used"
        ));
        return Ok(PullRequestFacts { default, ..PullRequestFacts::default() });
    }
    Ok(PullRequestFacts { request: Some(request), default, standing: Some(standing) })
}

/// The remotes' repositories on servers, `origin` and `upstream` first.
pub(super) fn servers(remotes: &[(String, String)]) -> impl Iterator<Item = RepositoryAddress> {
    let named = |wanted: &'static str| remotes.iter().filter(move |(name, _)| name == wanted);
    let ordered = named(ORIGIN).chain(named(UPSTREAM)).chain(remotes);
    ordered.filter_map(|(_, url)| on_github(url))
}

/// The address of a repository on a server that may be GitHub's.
pub(super) fn on_github(url: &str) -> Option<RepositoryAddress> {
    const OTHERS: [&str; 4] = ["gitlab.com", "bitbucket.org", "codeberg.org", "git.sr.ht"];
    RepositoryAddress::parse(url).filter(|address| !OTHERS.contains(&&*address.host))
}

/// The repository on a server that this clone belongs to: that of `origin`, or else of `upstream`, or else that of the
/// only other remote or the one from which all others were forked. A remote that is a fork may be anybody's.
///
/// # Errors
/// `ambiguous_remote`, and the errors of gh.
pub(super) fn home_server(
    repository: &Repository,
    remotes: &[(String, String)],
) -> Result<Option<RepositoryAddress>, CallFailure> {
    let Some(first) = servers(remotes).next() else { return Ok(None) };
    let is_named =
        |(name, url): &(String, String)| (name == ORIGIN || name == UPSTREAM) && on_github(url).is_some();
    // A local `origin` is a copy of something.
    let is_copy = remotes.iter().any(|(name, _)| name == ORIGIN);
    let is_only = servers(remotes).all(|other| other.is(&first));
    if remotes.iter().any(is_named) || is_only && !is_copy {
        return Ok(Some(first));
    }
    let mut sources: Vec<RepositoryAddress> = Vec::new();
    for address in servers(remotes) {
        let found = match github::for_branch(repository, &address, None) {
            Err(failure) if failure.error.code == ErrorCode::GhNotFound => continue,
            found => found?,
        };
        let source = found.parent.unwrap_or(address);
        if !sources.iter().any(|known| known.is(&source)) {
            sources.push(source);
        }
    }
    if sources.len() > 1 {
        let names = sources.iter().map(|source| format!("`{}/{}`", line(&source.owner), line(&source.name)));
        let names = names.collect::<Vec<_>>().join(", ");
        let message = format!(
            "the remotes belong to several repositories, and none is called `origin` or `upstream`: {names}"
        );
        let hint = "rename the remote of the one that is meant with `git remote rename NAME upstream`";
        return Err(CallFailure::environment(ErrorCode::AmbiguousRemote, message, hint));
    }
    Ok(sources.pop())
}

/// The same where GitHub is one source of several: none if it does not tell.
///
/// # Errors
/// When git or gh is interrupted.
pub(super) fn known_home_server(
    repository: &Repository,
    remotes: &[(String, String)],
) -> Result<Option<RepositoryAddress>, CallFailure> {
    match home_server(repository, remotes) {
        Err(failure) if failure.exit == INTERRUPTED => Err(failure),
        found => Ok(found.unwrap_or_default()),
    }
}

/// The open pull request of the branch that is checked out, if GitHub has one, and what a reader should know.
///
/// # Errors
/// When git fails.
pub fn pull_request_here(repository: &Repository) -> Result<(Option<PullRequest>, Vec<String>), CallFailure> {
    let mut notes = Vec::new();
    let facts = ask_github(repository, None, &repository.remotes()?, &mut notes)?;
    notes.extend(facts.standing.and_then(|standing| standing.note()));
    Ok((facts.request, notes))
}

/// The repository on a server that a number of a pull request belongs to.
///
/// # Errors
/// When git fails.
pub fn server(repository: &Repository) -> Result<Option<RepositoryAddress>, CallFailure> {
    home_server(repository, &repository.remotes()?)
}

/// A pull request that was named by number or address.
///
/// # Errors
/// `no_remote`, `gh_not_found`, and the errors of gh.
pub fn named_pull_request(repository: &Repository, pr: &str) -> Result<PullRequest, CallFailure> {
    requested(repository, pr, &repository.remotes()?)
}

fn requested(
    repository: &Repository,
    pr: &str,
    remotes: &[(String, String)],
) -> Result<PullRequest, CallFailure> {
    let (address, number) = pull_request_name(pr)?;
    let address = match address {
        Some(address) => Some(address),
        None => home_server(repository, remotes)?,
    };
    let address = address.ok_or_else(|| {
        let message =
            format!("pull request `{pr}` cannot be looked up: no remote has an address on a server");
        CallFailure::environment(ErrorCode::NoRemote, message, "name the pull request by its address")
    })?;
    let found = github::pull_request(repository, &address, number).and_then(|found| {
        found.ok_or_else(|| {
            let message = format!("pull request {number} not found");
            CallFailure::environment(ErrorCode::GhNotFound, message, "check the number")
        })
    });
    // In a clone of a fork, pull requests belong to another remote.
    let other = || servers(remotes).find(|other| other.host == address.host && !other.is(&address));
    let mut request = found.map_err(|failure| match other() {
        Some(other) if failure.error.code == ErrorCode::GhNotFound => {
            let (at, other) = (format!("{}/{}", address.owner, address.name), other.url());
            failure.with_hint(format!(
                "`{}` was asked: name one of another repository by its address, such as `{}/pull/{number}`",
                line(&at),
                line(&other)
            ))
        }
        _ => failure,
    })?;
    if remote_among(remotes, &request.base_url).is_none() {
        // The remote may have an earlier name of the repository.
        if let Some(remote) = known_home_server(repository, remotes)?
            && remote.host == address.host
            && let Ok(BranchPullRequests { repository: Some(now), .. }) =
                github::for_branch(repository, &remote, None)
            && RepositoryAddress::parse(&request.url).is_some_and(|at| at.is(&now))
        {
            request.base_url = remote.url();
        }
    }
    Ok(request)
}

/// The remote with the address of a repository.
///
/// # Errors
/// When git fails.
pub fn remote_of(repository: &Repository, url: &str) -> Result<Option<String>, CallFailure> {
    Ok(remote_among(&repository.remotes()?, url))
}

pub(super) fn remote_among(remotes: &[(String, String)], url: &str) -> Option<String> {
    let wanted = RepositoryAddress::parse(url)?;
    let is = |(_, url): &&(String, String)| {
        RepositoryAddress::parse(url).is_some_and(|address| wanted.is(&address))
    };
    remotes.iter().find(is).map(|(name, _)| name.clone())
}

/// A pull request by number, or by an address that ends in `/pull/NUMBER`.
///
/// # Errors
/// When it is neither.
pub fn pull_request_name(given: &str) -> Result<(Option<RepositoryAddress>, u64), CallFailure> {
    if let Ok(number) = given.parse::<u64>() {
        return Ok((None, number));
    }
    let number = given.split_once("/pull/").and_then(|(_, rest)| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u64>().ok()
    });
    match (RepositoryAddress::parse(given), number) {
        (Some(address), Some(number)) => Ok((Some(address), number)),
        _ => Err(CallFailure::usage(format!(
            "`{given}` is neither a number nor the address of a pull request"
        ))),
    }
}
