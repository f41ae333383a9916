//! Commits of somebody else, whatever the branch is called that has them, and whatever it follows: those that were not
//! made in this clone, and are on no branch of the repository or of a fork of the user's own, as their servers tell now.

use super::request::{home_server, on_github};
use super::{HEAD, parent_of};
use crate::git_command;
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
    let mut known: Vec<String> = bases.iter().map(|base| (*base).to_owned()).collect();
    known.extend(request.filter(|request| !request.is_cross_repository).map(|one| one.head_sha.clone()));
    let mut unknown = unexplained(repository, &known)?;
    if unknown.is_empty() {
        return Ok(None);
    }
    let source = parent_of(repository, &home)?;
    for (name, url) in &remotes {
        let Some(address) = on_github(url).filter(|_| !unknown.is_empty()) else { continue };
        let is_home = address.is(&home) || source.as_ref().is_some_and(|source| address.is(source));
        if is_trusted(repository, &address, is_home)? {
            known.extend(heads_of(repository, name)?);
            unknown = unexplained(repository, &known)?;
        }
    }
    // In a clone of somebody's fork, the one that it was forked from is the repository.
    let home = match source {
        Some(source) if !is_trusted(repository, &home, false)? => source,
        _ => home,
    };
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

/// Whether the branches of a repository are the user's own or those of the clone's repository: anybody may have a fork
/// under the name of `origin`. What GitHub does not tell is not trusted.
fn is_trusted(
    repository: &Repository,
    address: &RepositoryAddress,
    is_home: bool,
) -> Result<bool, CallFailure> {
    match github::for_branch(repository, address, None) {
        Ok(found) => Ok(found.is_users_own || is_home && found.parent.is_none()),
        Err(failure) if failure.exit == INTERRUPTED => Err(failure),
        Err(_) => Ok(false),
    }
}

/// The commits of the branches and tags of a remote, as its server lists them: what was fetched may be from elsewhere.
/// None where the server does not answer.
fn heads_of(repository: &Repository, remote: &str) -> Result<Vec<String>, CallFailure> {
    let program = format!("--upload-pack={}", git_command::UPLOAD_PACK);
    let listed = repository.ask(&["ls-remote", "--heads", "--tags", &program, "--end-of-options", remote])?;
    let listed = listed.stdout_text();
    Ok(order::set(listed.lines().filter_map(|line| Some(line.split_once('\t')?.0.to_owned())))
        .into_iter()
        .collect())
}
