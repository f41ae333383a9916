//! Candidates for the base: the one that was named, or what else determines it, in the order of the command's help.

use super::request::{PullRequestFacts, ask_github, known_home_server, remote_among};
use super::{BaseRequest, BaseSource, HEAD, HeadState, ORIGIN, UPSTREAM};
use crate::git_command;
use crate::order;
use crate::runtime::answer::CallFailure;
use crate::runtime::git::Repository;
use crate::runtime::github::{PullRequest, RepositoryAddress};

/// Names of main branches, the likeliest first.
const MAIN_BRANCH_NAMES: [&str; 4] = ["main", "master", "develop", "trunk"];

/// A candidate for the base.
pub(super) struct BaseCandidate {
    pub(super) branch: String,
    pub(super) remote: Option<String>,
    pub(super) source: BaseSource,
    pub(super) pull_request: Option<PullRequest>,
    pub(super) standing: Option<HeadState>,
}

impl BaseCandidate {
    /// One without a pull request.
    fn new(branch: &str, remote: Option<String>, source: BaseSource) -> Self {
        Self { branch: branch.to_owned(), remote, source, pull_request: None, standing: None }
    }
}

/// The base that was named: the branch of a remote if one has it, otherwise whatever the name means locally.
pub(super) fn named_base(
    repository: &Repository,
    base: &str,
    remotes: &[(String, String)],
) -> Result<BaseCandidate, CallFailure> {
    let found = |branch: &str, remote: Option<&str>| {
        BaseCandidate::new(branch, remote.map(str::to_owned), BaseSource::Option)
    };
    // A revision expression is a local commit, not a name that a remote knows.
    if matches!(base, HEAD | "@") || base.contains(['~', '^', ':']) || base.contains("@{") {
        return Ok(found(base, None));
    }
    for (remote, _) in remotes {
        if let Some(branch) = base.strip_prefix(&format!("{remote}/"))
            && !branch.is_empty()
        {
            return Ok(found(branch, Some(remote)));
        }
    }
    let tracked = format!("refs/remotes/{ORIGIN}/{base}");
    // A single-branch clone lacks other branches, but the remote may have this one.
    if has_origin(remotes) && (repository.commit(&tracked)?.is_some() || repository.commit(base)?.is_none()) {
        return Ok(found(base, Some(ORIGIN)));
    }
    Ok(found(base, None))
}

pub(super) fn has_origin(remotes: &[(String, String)]) -> bool {
    remotes.iter().any(|(name, _)| name == ORIGIN)
}

/// What determines the base if none was named.
pub(super) fn search(
    repository: &Repository,
    question: BaseRequest<'_>,
    remotes: &[(String, String)],
    warnings: &mut Vec<String>,
) -> Result<Option<BaseCandidate>, CallFailure> {
    let PullRequestFacts { request, default, standing } = match question.known {
        Some(known) => PullRequestFacts { request: Some(known.clone()), ..PullRequestFacts::default() },
        None => ask_github(repository, question.pr, remotes, warnings)?,
    };
    let origin = has_origin(remotes).then(|| ORIGIN.to_owned());
    if let Some(request) = request {
        let found = base_of_request(request, remotes, origin, warnings);
        return Ok(Some(BaseCandidate { standing, ..found }));
    }
    let candidate =
        |branch: &str, remote, source: BaseSource| Some(BaseCandidate::new(branch, remote, source));
    let others = if origin.is_none() { home_remotes(repository, remotes)? } else { Vec::new() };
    // If the target of a remote's HEAD is missing, it may have been renamed: it is only fetched if nothing else
    // determines the base.
    let mut stale = None;
    if origin.is_some() {
        match head_of(repository, ORIGIN)? {
            Some((branch, true)) => return Ok(candidate(&branch, origin, BaseSource::RemoteHead)),
            Some((branch, false)) => stale = candidate(&branch, origin.clone(), BaseSource::RemoteHead),
            None => {}
        }
        if let Some(default) = default {
            return Ok(candidate(&default, origin, BaseSource::DefaultBranch));
        }
    }
    if origin.is_none() {
        for remote in &others {
            match head_of(repository, remote)? {
                Some((branch, true)) => {
                    return Ok(candidate(&branch, Some(remote.clone()), BaseSource::RemoteHead));
                }
                Some((branch, false)) => {
                    stale =
                        stale.or_else(|| candidate(&branch, Some(remote.clone()), BaseSource::RemoteHead));
                }
                None => {}
            }
        }
    }
    if let Some((name, remote)) = main_branch(repository, origin.as_deref(), warnings)? {
        return Ok(candidate(name, remote, BaseSource::UsualName));
    }
    if stale.is_none()
        && let Some(remote) = origin.or_else(|| others.into_iter().next())
    {
        stale = remote_head_branch(repository, &remote)?
            .and_then(|branch| candidate(&branch, Some(remote), BaseSource::RemoteHead));
    }
    Ok(stale)
}

/// The base of a pull request, on the remote that has it, otherwise on `origin`.
fn base_of_request(
    request: PullRequest,
    remotes: &[(String, String)],
    origin: Option<String>,
    warnings: &mut Vec<String>,
) -> BaseCandidate {
    let of_base = remote_among(remotes, &request.base_url);
    if of_base.is_none() && !request.base_url.is_empty() {
        let instead = origin.as_deref().unwrap_or("what is here");
        warnings.push(format!(
            "no remote is `{}`, the base of the pull request: used {instead}",
            request.base_url
        ));
    }
    let found = BaseCandidate::new(&request.base_branch, of_base.or(origin), BaseSource::PullRequest);
    BaseCandidate { pull_request: Some(request), ..found }
}

/// The first usual name of a main branch that `origin` or this repository has, with the remote.
fn main_branch(
    repository: &Repository,
    origin: Option<&str>,
    warnings: &mut Vec<String>,
) -> Result<Option<(&'static str, Option<String>)>, CallFailure> {
    for name in MAIN_BRANCH_NAMES {
        if origin.is_some() && repository.commit(&format!("refs/remotes/{ORIGIN}/{name}"))?.is_some() {
            return Ok(Some((name, origin.map(str::to_owned))));
        }
        if repository.commit(&format!("refs/heads/{name}"))?.is_some() {
            // `git fetch` in a bare clone updates no remote branches.
            if origin.is_some() {
                warnings.push(format!(
                    "no branch of `{ORIGIN}` was fetched here: the base is the local `{name}`, which may be older (fetch it with `git fetch {ORIGIN} {name}:refs/remotes/{ORIGIN}/{name}`)"
                ));
            }
            return Ok(Some((name, None)));
        }
    }
    Ok(None)
}

/// The remotes that may have the base where none is called `origin`: `upstream`, and those of the clone's own repository
/// or, if that is unknown, all.
fn home_remotes(repository: &Repository, remotes: &[(String, String)]) -> Result<Vec<String>, CallFailure> {
    let home = known_home_server(repository, remotes)?;
    let is_home = |(name, url): &&(String, String)| match &home {
        Some(home) => name == UPSTREAM || RepositoryAddress::parse(url).is_some_and(|at| at.is(home)),
        None => true,
    };
    let mut names: Vec<String> = remotes.iter().filter(is_home).map(|(name, _)| name.clone()).collect();
    order::sort_by_key(&mut names, |name| *name != UPSTREAM);
    Ok(names)
}

/// The default branch, as far as this repository knows without asking its remotes.
///
/// # Errors
/// When git fails.
pub fn default_branch(repository: &Repository) -> Result<Option<String>, CallFailure> {
    for remote in [ORIGIN, UPSTREAM] {
        if let Some((branch, _)) = head_of(repository, remote)? {
            return Ok(Some(branch));
        }
    }
    for name in MAIN_BRANCH_NAMES {
        for kind in ["remotes/origin", "heads"] {
            if repository.commit(&format!("refs/{kind}/{name}"))?.is_some() {
                return Ok(Some(name.to_owned()));
            }
        }
    }
    Ok(None)
}

/// The HEAD branch as the remote itself reports it: a single-branch clone does not have it.
fn remote_head_branch(repository: &Repository, remote: &str) -> Result<Option<String>, CallFailure> {
    let program = format!("--upload-pack={}", git_command::UPLOAD_PACK);
    let listed = repository.ask(&["ls-remote", "--symref", &program, "--end-of-options", remote, HEAD])?;
    let told = listed.stdout_text();
    let head = told.lines().find_map(|line| line.strip_prefix("ref: refs/heads/")?.strip_suffix("\tHEAD"));
    Ok(head.map(str::to_owned))
}

/// The branch of a remote's HEAD, and whether it was fetched.
pub(super) fn head_of(repository: &Repository, remote: &str) -> Result<Option<(String, bool)>, CallFailure> {
    let of_remote = format!("refs/remotes/{remote}/");
    let head = repository.line(&["symbolic-ref", "--quiet", &format!("{of_remote}HEAD")])?;
    let Some(branch) = head.as_deref().and_then(|head| head.strip_prefix(&of_remote)) else {
        return Ok(None);
    };
    let is_here = repository.commit(&format!("{of_remote}{branch}"))?.is_some();
    Ok(Some((branch.to_owned(), is_here)))
}
