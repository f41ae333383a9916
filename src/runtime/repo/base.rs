//! `repo base`: at which commit the work on this branch began. A stale copy of the base gives a wrong answer, so the
//! base is fetched first; a failed fetch is reported.

mod candidate;
mod foreign_commits;
mod head;
mod request;
mod tracked_branch;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::runtime::answer::{CallFailure, Delivery, INTERRUPTED, ShownText};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::github::{self, PullRequest, RepositoryAddress};

pub use candidate::default_branch;
use candidate::{BaseCandidate, named_base, search};
pub use foreign_commits::{ForeignCommits, foreign_commits};
pub use head::{HeadState, behind_upstream, commits, fetch_head};
pub use request::{
    base_on_github, named_pull_request, pull_request_here, pull_request_name, remote_of, server,
};
pub use tracked_branch::{BranchSource, branch_source, branch_trail, is_head_of_fork, name_on_remote};

options! {
    /// Find the commit at which the work on this branch began
    ///
    /// The base is, in this order: `--base`; the base of the pull request; the remote's HEAD; the default
    /// branch on GitHub; the first of `main`, `master`, `develop` and `trunk` that exists. It is fetched
    /// first. If a fetch fails, the answer has `fetch_error` and uses the local commits.
    ///
    /// Exit codes: 0 answered; 2 wrong call; 5 no base, no common commit, no repository, or a fetch that
    /// `--require-fresh` needs; 7 git or GitHub took too long. Under `--format sentinel` prints `BASE:<commit>` or
    /// `ERROR:<text>`, both with 0.
    pub struct Options {
        /// The base: a branch, `remote/branch`, a tag or a commit
        base: Option<String> = "--base <REF>",
        /// The pull request, by number or address
        pr: Option<String> = "--pr <PR>" { conflicts: &["--base"] },
        /// Fail when the base cannot be fetched
        require_fresh: bool = "--require-fresh",
    }
    examples: ["plugcast-run repo base", "plugcast-run repo base --base release/1.0 --require-fresh"]
}

/// The answer of `repo base`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Response {
    /// `ok`.
    pub status: BaseStatus,
    /// The branch, named as on its remote; for a tag or commit, what was given.
    pub base_branch: String,
    /// The local ref, such as `origin/main`.
    pub base_ref: String,
    /// Its commit.
    pub base_sha: String,
    /// The merge base of the base and HEAD.
    pub merge_base: String,
    /// The remote that the base comes from; none if it only exists locally.
    pub remote: Option<String>,
    /// How the base was determined.
    pub source: BaseSource,
    /// Whether the base was fetched just now.
    pub fetched: bool,
    /// Why it was not, if a fetch was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fetch_error: Option<FetchError>,
    /// Whether missing history of a shallow clone had to be fetched.
    pub shallow_fetched: bool,
    /// What a reader should know.
    #[serde(serialize_with = "ShownText::shown")]
    pub warnings: Vec<String>,
    /// The pull request, if it determined the base.
    #[serde(skip)]
    pub pull_request: Option<PullRequest>,
    /// How HEAD relates to its head, if it was found by the name of the branch.
    #[serde(skip)]
    pub standing: Option<HeadState>,
}

/// `repo base` has no other answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BaseStatus {
    /// Found.
    Ok,
}

/// How the base was determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BaseSource {
    /// `--base`.
    Option,
    /// The pull request.
    PullRequest,
    /// The remote's HEAD.
    RemoteHead,
    /// The default branch on GitHub.
    DefaultBranch,
    /// A usual name, such as `main`.
    UsualName,
}

/// Why a fetch failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FetchError {
    /// `sandboxed`, `fetch_failed` or `timeout`.
    pub code: ErrorCode,
    /// A sentence with git's own words.
    pub message: String,
}

/// What is known before the search for the base.
#[derive(Debug, Clone, Copy, Default)]
pub struct BaseRequest<'a> {
    /// The base that was named.
    pub base: Option<&'a str>,
    /// The pull request that was named: number or address.
    pub pr: Option<&'a str>,
    /// The pull request that is known already.
    pub known: Option<&'a PullRequest>,
    /// Whether a failed fetch is an error.
    pub require_fresh: bool,
}

/// Runs the command.
///
/// # Errors
/// `base_unresolved` and the errors of git and gh.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let question = BaseRequest {
        base: options.base.as_deref(),
        pr: options.pr.as_deref(),
        known: None,
        require_fresh: options.require_fresh,
    };
    let found = Repository::find(environment, &environment.folder)
        .and_then(|repository| resolve(&repository, question));
    match found {
        Ok(answer) => Ok(Delivery::from_answer(&answer).sentinel(format!("BASE:{}", answer.merge_base))),
        Err(mut failure) => {
            failure.sentinel = Some((format!("ERROR:{}", failure.error.message), 0));
            Err(failure)
        }
    }
}

/// Finds the base.
///
/// # Errors
/// As [`run`].
pub fn resolve(repository: &Repository, question: BaseRequest<'_>) -> Result<Response, CallFailure> {
    let mut warnings = Vec::new();
    let remotes = repository.remotes()?;
    let candidate = match question.base {
        Some(base) => Some(named_base(repository, base, &remotes)?),
        None => search(repository, question, &remotes, &mut warnings)?,
    };
    let Some(candidate) = candidate else {
        return Err(unresolved(
            "no base branch was found: no pull request, no remote HEAD, no `main`, `master`, `develop` or `trunk`",
        ));
    };
    find_merge_base(repository, candidate, question.require_fresh, warnings)
}

/// Whether a remote is the repository at this address. An unknown address, which is empty, counts as that of one.
///
/// # Errors
/// As [`Repository::ask`].
pub fn is_of_remote(repository: &Repository, url: &str) -> Result<bool, CallFailure> {
    let remotes = repository.remotes()?;
    Ok(url.is_empty() || request::remote_among(&remotes, url).is_some())
}

/// Whether the address is that of this clone's own repository, or of the one from which that was forked. An unknown
/// address, which is empty, counts as that of one.
///
/// # Errors
/// When git fails.
pub fn is_home(repository: &Repository, url: &str) -> Result<bool, CallFailure> {
    let remotes = repository.remotes()?;
    let Some(address) = RepositoryAddress::parse(url) else { return Ok(url.is_empty()) };
    let Some(home) = request::known_home_server(repository, &remotes)? else { return Ok(false) };
    Ok(home.is(&address) || parent_of(repository, &home)?.is_some_and(|parent| parent.is(&address)))
}

/// The repository that another one was forked from, if GitHub tells.
fn parent_of(
    repository: &Repository,
    address: &RepositoryAddress,
) -> Result<Option<RepositoryAddress>, CallFailure> {
    match github::for_branch(repository, address, None) {
        Ok(found) => Ok(found.parent),
        Err(failure) if failure.exit == INTERRUPTED => Err(failure),
        Err(_) => Ok(None),
    }
}

const ORIGIN: &str = "origin";
/// The usual name of the remote that a fork comes from.
const UPSTREAM: &str = "upstream";
const HEAD: &str = "HEAD";
/// Keeps the user's `FETCH_HEAD`, also if a fetch fails.
const NO_HEAD: &str = "--no-write-fetch-head";

impl Response {
    /// A base that shares no commit with HEAD: it is compared directly.
    pub fn unrelated(named: &str, commit: String) -> Self {
        Self {
            status: BaseStatus::Ok,
            base_branch: named.to_owned(),
            base_ref: named.to_owned(),
            base_sha: commit.clone(),
            merge_base: commit,
            remote: None,
            source: BaseSource::Option,
            fetched: false,
            fetch_error: None,
            shallow_fetched: false,
            warnings: vec![format!("`{named}` and HEAD have no common commit: compared with the ref itself")],
            pull_request: None,
            standing: None,
        }
    }
}

/// Fetches the base and finds the merge base, fetching the full history of a shallow clone if needed.
fn find_merge_base(
    repository: &Repository,
    candidate: BaseCandidate,
    require_fresh: bool,
    mut warnings: Vec<String>,
) -> Result<Response, CallFailure> {
    let BaseCandidate { branch, remote, source, pull_request, standing } = candidate;
    let mut fetch_error = None;
    if let Some(remote) = &remote {
        let refs = format!("+refs/heads/{branch}:refs/remotes/{remote}/{branch}");
        match repository.fetch(&[NO_HEAD], remote, &[&refs]) {
            Ok(()) => {}
            Err(failure) if require_fresh || failure.exit == INTERRUPTED => {
                return Err(failure);
            }
            Err(failure) => {
                warnings.push(format!("the base was not fetched: {}", failure.error.message));
                let error = *failure.error;
                fetch_error = Some(FetchError { code: error.code, message: error.message });
            }
        }
    }
    let fetched = remote.is_some() && fetch_error.is_none();
    let mut base_ref = remote.as_ref().map_or_else(|| branch.clone(), |remote| format!("{remote}/{branch}"));
    let mut commit = match &remote {
        Some(_) => repository.commit(&format!("refs/remotes/{base_ref}"))?,
        None => repository.commit(&base_ref)?,
    };
    if commit.is_none() && remote.is_some() {
        commit = repository.commit(&format!("refs/heads/{branch}"))?;
        if commit.is_some() {
            warnings
                .push(format!("`{base_ref}` is not in this repository: used the local branch `{branch}`"));
            base_ref.clone_from(&branch);
        }
    }
    let Some(mut base_sha) = commit else {
        let why = match remote {
            Some(_) => format!("the base `{base_ref}` is not in this repository and was not fetched"),
            None => format!("`{base_ref}` is not a commit in this repository"),
        };
        return Err(unresolved(&why));
    };
    let mut merge_base = repository.merge_base(HEAD, &base_sha)?;
    if merge_base.is_none() && repository.commit(HEAD)?.is_none() {
        return Err(unresolved("the repository has no commit yet"));
    }
    let mut shallow_fetched = false;
    if merge_base.is_none()
        && let Some(remote) = &remote
        && repository.line(&["rev-parse", "--is-shallow-repository"])?.as_deref() == Some("true")
    {
        repository.fetch(&[NO_HEAD, "--unshallow"], remote, &[])?;
        shallow_fetched = true;
        base_sha = repository.commit(&format!("refs/remotes/{base_ref}"))?.unwrap_or(base_sha);
        merge_base = repository.merge_base(HEAD, &base_sha)?;
    }
    let Some(merge_base) = merge_base else {
        return Err(unresolved(&format!("`{base_ref}` and HEAD have no common commit")));
    };
    Ok(Response {
        status: BaseStatus::Ok,
        base_branch: branch,
        base_ref,
        base_sha,
        merge_base,
        remote,
        source,
        fetched,
        fetch_error,
        shallow_fetched,
        warnings,
        pull_request,
        standing,
    })
}

fn unresolved(message: &str) -> CallFailure {
    CallFailure::environment(
        ErrorCode::BaseUnresolved,
        message,
        "name the base with `--base REF`, and fetch it if needed",
    )
}
