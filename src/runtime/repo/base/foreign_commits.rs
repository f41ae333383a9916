//! Commits of somebody else, whatever the branch is called that has them, and whatever it follows: those that were not
//! made in this clone, and are on no branch of the repository or of a fork of the user's own.

use super::request::home_server;
use super::tracked_branch::TrackingSettings;
use super::{HEAD, ORIGIN, UPSTREAM};
use crate::order;
use crate::printable::line;
use crate::runtime::answer::{CallFailure, INTERRUPTED};
use crate::runtime::git::{CommitLogs, Repository, short_commit};
use crate::runtime::github::{self, CommitRequest, ForkOrigin, PullRequest, RepositoryAddress};

/// How many commits GitHub is asked about.
const MOST_ASKED: usize = 20;

/// Commits of HEAD that are somebody else's, as far as can be told.
#[derive(Debug)]
pub struct ForeignCommits {
    /// How many there are.
    pub count: usize,
    /// The newest one: its abbreviated name, and the first line of its message.
    pub newest: String,
    /// The repository that has no branch with them.
    pub home: RepositoryAddress,
    /// The pull request of a fork that has them, if GitHub knows one, and its origin.
    pub request: Option<(PullRequest, ForkOrigin)>,
}

impl ForeignCommits {
    /// What is known of them, up to the name of the repository.
    pub fn sentence(&self) -> String {
        match self.count {
            1 => "1 commit that was not made in this clone and is".to_owned(),
            count => format!("{count} commits that were not made in this clone and are"),
        }
    }
}

/// The commits of HEAD that are somebody else's. `bases` are commits or refs of the base, `request` is the pull request
/// that is checked out. GitHub is only asked about commits that this clone cannot explain, and what it does not explain
/// stays foreign.
///
/// # Errors
/// When git fails.
pub fn foreign_commits(
    repository: &Repository,
    bases: &[&str],
    request: Option<&PullRequest>,
) -> Result<Option<ForeignCommits>, CallFailure> {
    let remotes = repository.remotes()?;
    let Some(home) = home_server(repository, &remotes)? else { return Ok(None) };
    let is_home = |(name, url): &&(String, String)| {
        name == ORIGIN
            || name == UPSTREAM
            || RepositoryAddress::parse(url).is_some_and(|address| address.is(&home))
    };
    let (own, others): (Vec<_>, Vec<_>) = remotes.iter().partition(is_home);
    let settings = TrackingSettings::read(repository)?;
    let mut known: Vec<String> = bases.iter().map(|base| (*base).to_owned()).collect();
    known.extend(request.filter(|request| !request.is_cross_repository).map(|one| one.head_sha.clone()));
    let names: Vec<&str> = own.iter().map(|(name, _)| &**name).collect();
    known.extend(settings.branches_of(repository, &names)?);
    let mut unknown = unexplained(repository, &known)?;
    for (name, url) in others {
        let Some(address) = RepositoryAddress::parse(url).filter(|_| !unknown.is_empty()) else { continue };
        let more = [&known[..], &settings.branches_of(repository, &[name])?].concat();
        let fewer = unexplained(repository, &more)?;
        if fewer.len() < unknown.len() && is_users_own(repository, &address)? {
            (known, unknown) = (more, fewer);
        }
    }
    let mut fork = None;
    for _ in 0..MOST_ASKED {
        let Some(newest) = unknown.first() else { return Ok(None) };
        let found = match github::requests_with(repository, &home, newest) {
            Ok(found) => found,
            Err(failure) if failure.exit == INTERRUPTED => return Err(failure),
            Err(_) => break,
        };
        let (own, foreign): (Vec<_>, Vec<_>) = found.into_iter().partition(CommitRequest::is_own);
        let more: Vec<String> =
            own.into_iter().map(|one| one.request.head_sha).chain(known.clone()).collect();
        let fewer = unexplained(repository, &more)?;
        if fewer.len() == unknown.len() {
            fork = foreign.into_iter().next();
            break;
        }
        (known, unknown) = (more, fewer);
    }
    let request = fork.map(|fork| (fork.request, fork.origin));
    let Some(newest) = unknown.first() else { return Ok(None) };
    let words = ["log", "-1", "--no-show-signature", "--format=%s", newest];
    let subject = repository.line(&words)?.unwrap_or_default();
    let newest = format!("{} {}", short_commit(newest), line(&subject)).trim_end().to_owned();
    Ok(Some(ForeignCommits { count: unknown.len(), newest, home, request }))
}

/// The commits of HEAD that no known commit reaches, and that were not made here; newest first.
fn unexplained(repository: &Repository, known: &[String]) -> Result<Vec<String>, CallFailure> {
    let mut unknown = repository.unreached(HEAD, known)?;
    if unknown.is_empty() {
        return Ok(unknown);
    }
    let mut logs = CommitLogs::read(repository, known)?;
    let mut kept = Vec::new();
    for commit in unknown.drain(..) {
        if !logs.has_made(&commit)? {
            kept.push(commit);
        }
    }
    Ok(kept)
}

/// Whether a repository belongs to the account of gh. What GitHub does not know of does not.
fn is_users_own(repository: &Repository, address: &RepositoryAddress) -> Result<bool, CallFailure> {
    match github::for_branch(repository, address, None) {
        Ok(found) => Ok(found.is_users_own),
        Err(failure) if failure.exit == INTERRUPTED => Err(failure),
        Err(_) => Ok(false),
    }
}

impl TrackingSettings {
    /// The commits of the branches of remotes, as last fetched. A ref into which something else is fetched, too, such as
    /// heads of pull requests, tells nothing.
    fn branches_of(&self, repository: &Repository, remotes: &[&str]) -> Result<Vec<String>, CallFailure> {
        // In a mirror, the user's own branches lie where those of the remote do.
        let listed =
            repository.must(&["for-each-ref", "--format=%(objectname) %(refname)", "refs/remotes"])?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let branches = listed.lines().filter_map(|line| {
            let (commit, reference) = line.split_once(' ')?;
            let mut sources = self.sources(reference).peekable();
            let is_branch = sources.peek().is_some() && sources.all(|source| source.is_branch_of(remotes));
            is_branch.then(|| commit.to_owned())
        });
        Ok(order::set(branches).into_iter().collect())
    }
}
