//! What a local branch follows: over other local branches if need be, a branch of a repository. The code of another
//! repository than that of the base is foreign under any name.

use super::request::{known_home_server, remote_among};
use super::{ORIGIN, UPSTREAM, default_branch, is_of_remote, named_pull_request};
use crate::printable::line;
use crate::runtime::answer::{CallFailure, INTERRUPTED};
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::github::{self, PullRequest, RepositoryAddress};

/// How many local branches may follow each other.
const MOST_FOLLOWED: usize = 100;
/// The remote that is this repository itself.
const HERE: &str = ".";
const HEADS: &str = "refs/heads/";

/// A ref of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowedRef {
    /// The name, the address or the path of the remote.
    remote: String,
    /// The ref there.
    reference: String,
}

/// What a local branch follows.
#[derive(Debug, Default)]
pub struct BranchTrail {
    /// The branch, and those that it follows locally.
    pub branches: Vec<String>,
    /// Where they end.
    ends: Vec<FollowedRef>,
}

/// Whose code a branch has, by what it follows.
#[derive(Debug, Default)]
pub struct BranchSource {
    /// The ref of another repository that it follows, for people; none if it follows nothing, the base's repository, or
    /// a fork of the user's own.
    pub foreign: Option<String>,
    /// Whether it has the code of its pull request; none if what it follows does not tell.
    pub tracks_request: Option<bool>,
    /// The pull request of what it follows.
    pub request: Option<PullRequest>,
}

/// The settings of git that tell what follows what.
struct TrackingSettings(Vec<(String, String)>);

impl TrackingSettings {
    fn read(repository: &Repository) -> Result<Self, CallFailure> {
        let keys = r"^(branch\..*\.(remote|merge|pushremote)|remote\..*\.fetch)$";
        let ended = repository.ask(&["config", "-z", "--get-regexp", keys])?;
        let text = String::from_utf8_lossy(&ended.stdout);
        let settings = text.split('\0').filter_map(|record| record.split_once('\n'));
        Ok(Self(settings.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()))
    }

    /// The values of a setting of a branch.
    fn values(&self, branch: &str, key: &str) -> impl DoubleEndedIterator<Item = &str> {
        let key = format!("branch.{branch}.{key}");
        self.0.iter().filter(move |(own, value)| *own == key && !value.is_empty()).map(|(_, value)| &**value)
    }

    /// The ref of a remote that a branch names as its upstream.
    fn upstream(&self, branch: &str) -> Option<FollowedRef> {
        let reference = full_name(self.values(branch, "merge").next_back()?);
        let remote = self.values(branch, "remote").next_back()?.to_owned();
        Some(FollowedRef { remote, reference })
    }

    /// The refs of remotes that are fetched into a ref.
    fn sources(&self, reference: &str) -> impl Iterator<Item = FollowedRef> {
        self.0.iter().filter_map(move |(key, value)| {
            let remote = key.strip_prefix("remote.")?.strip_suffix(".fetch")?.to_owned();
            let (from, to) = value.trim_start_matches('+').split_once(':')?;
            let reference = match (from.split_once('*'), to.split_once('*')) {
                (Some(from), Some(to)) => {
                    let name = reference.strip_prefix(to.0)?.strip_suffix(to.1)?;
                    format!("{}{name}{}", from.0, from.1)
                }
                _ if to == reference => full_name(from),
                _ => return None,
            };
            Some(FollowedRef { remote, reference })
        })
    }

    /// Follows a branch to its ends. Two branches may follow each other.
    fn follow(&self, branch: &str) -> BranchTrail {
        let mut trail = BranchTrail { branches: vec![branch.to_owned()], ends: Vec::new() };
        let mut at = 0;
        while let Some(branch) = trail.branches.get(at).cloned() {
            at += 1;
            let remote = self.values(&branch, "remote").next_back().unwrap_or(ORIGIN);
            for reference in self.values(&branch, "merge").map(full_name) {
                match reference.strip_prefix(HEADS).filter(|_| remote == HERE) {
                    Some(next) if trail.branches.iter().any(|known| known == next) => {}
                    Some(next) if at < MOST_FOLLOWED => trail.branches.push(next.to_owned()),
                    _ => {
                        let sources: Vec<_> = self.sources(&reference).filter(|_| remote == HERE).collect();
                        if sources.is_empty() {
                            trail.ends.push(FollowedRef { remote: remote.to_owned(), reference });
                        } else {
                            trail.ends.extend(sources);
                        }
                    }
                }
            }
            trail.ends.extend(self.values(&branch, "pushremote").next_back().map(|remote| FollowedRef {
                remote: remote.to_owned(),
                reference: format!("{HEADS}{branch}"),
            }));
        }
        trail
    }
}

/// A ref by its whole name: git takes the end of one, too.
fn full_name(reference: &str) -> String {
    match reference.split('/').next() {
        Some("refs") => reference.to_owned(),
        Some("heads" | "tags" | "pull" | "remotes") => format!("refs/{reference}"),
        _ => format!("{HEADS}{reference}"),
    }
}

/// What a local branch follows; `made_from` is the remote from which it is to be created, if it is not there yet.
///
/// # Errors
/// When git fails.
pub fn branch_trail(
    repository: &Repository,
    branch: &str,
    made_from: Option<String>,
) -> Result<BranchTrail, CallFailure> {
    let settings = TrackingSettings::read(repository)?;
    let Some(remote) = made_from else { return Ok(settings.follow(branch)) };
    let reference = format!("refs/remotes/{remote}/{branch}");
    let mut ends: Vec<_> = settings.sources(&reference).collect();
    if ends.is_empty() {
        ends.push(FollowedRef { remote, reference: format!("{HEADS}{branch}") });
    }
    Ok(BranchTrail { branches: vec![branch.to_owned()], ends })
}

/// The name of a local branch on the remote that is asked first: that of the branch that it tracks there, unless the
/// remote also has a branch with the local name, or the branch only started from the main branch.
///
/// # Errors
/// When git fails.
pub fn name_on_remote(repository: &Repository, branch: &str) -> Result<String, CallFailure> {
    let Some(tracked) = TrackingSettings::read(repository)?.upstream(branch) else {
        return Ok(branch.to_owned());
    };
    let remotes = repository.remotes()?;
    let Some(name) = tracked.reference.strip_prefix(HEADS).filter(|name| *name != branch) else {
        return Ok(branch.to_owned());
    };
    let is_asked = tracked.remote == ORIGIN
        || match tracked.address(&remotes) {
            Some(at) => known_home_server(repository, &remotes)?.is_some_and(|home| home.is(&at)),
            None => false,
        };
    let is_other = !is_asked
        || repository.commit(&format!("refs/remotes/{}/{branch}", tracked.remote))?.is_some()
        || default_branch(repository)?.as_deref() == Some(name);
    Ok(if is_other { branch } else { name }.to_owned())
}

/// Whose code a branch has: that of the first of its ends that is foreign, whether or not a pull request was opened
/// from it. Home is `origin`, which the user cloned, or without one `upstream` or the first remote.
///
/// # Errors
/// When git fails, and where a pull request that it follows cannot be read.
pub fn branch_source(repository: &Repository, trail: &BranchTrail) -> Result<BranchSource, CallFailure> {
    let remotes = repository.remotes()?;
    let mut source = BranchSource::default();
    for end in &trail.ends {
        let one = end.source(repository, &remotes)?;
        if one.foreign.is_some() || source.tracks_request.is_none() {
            source = one;
        }
        if source.foreign.is_some() {
            break;
        }
    }
    Ok(source)
}

impl FollowedRef {
    /// The address or the path of its repository.
    fn url<'a>(&'a self, remotes: &'a [(String, String)]) -> &'a str {
        remotes.iter().find(|(name, _)| *name == self.remote).map_or(&self.remote, |(_, url)| url)
    }

    /// The address of its repository, if that is on a server.
    fn address(&self, remotes: &[(String, String)]) -> Option<RepositoryAddress> {
        RepositoryAddress::parse(self.url(remotes))
    }

    fn source(
        &self,
        repository: &Repository,
        remotes: &[(String, String)],
    ) -> Result<BranchSource, CallFailure> {
        let address = self.address(remotes);
        let foreign = |request: Option<PullRequest>| {
            let at = address.as_ref().map(|at| format!("{}/{}", at.owner, at.name));
            let at = at.unwrap_or_else(|| self.url(remotes).to_owned());
            let name = self.reference.strip_prefix(HEADS).unwrap_or(&self.reference);
            let foreign = Some(format!("`{}` of `{}`", line(name), line(&at)));
            BranchSource { foreign, tracks_request: Some(true), request }
        };
        let lower = self.reference.to_lowercase();
        if let Some(number) = lower.strip_prefix("refs/pull/").and_then(|rest| rest.split('/').next()) {
            let Ok(number) = number.parse::<u64>() else { return Ok(foreign(None)) };
            let word = match &address {
                Some(at) => format!("{}/pull/{number}", at.url()),
                None => number.to_string(),
            };
            return match named_pull_request(repository, &word) {
                Err(failure) if failure.error.code == ErrorCode::NoRemote => Ok(foreign(None)),
                Err(failure) => Err(failure),
                Ok(request) if request.is_cross_repository => Ok(foreign(Some(request))),
                Ok(request) => {
                    Ok(BranchSource { foreign: None, tracks_request: Some(true), request: Some(request) })
                }
            };
        }
        let is_branch = self.reference.starts_with(HEADS) || self.reference.starts_with("refs/tags/");
        let named = |wanted: &str| remotes.iter().find(|(name, _)| name == wanted);
        let home = named(ORIGIN).or_else(|| named(UPSTREAM)).or_else(|| remotes.first());
        let home_address = known_home_server(repository, remotes)?;
        let is_home = match (&address, &home_address) {
            _ if home.is_some_and(|(name, _)| *name == self.remote) || self.remote == UPSTREAM => true,
            (Some(at), Some(home)) => at.is(home),
            _ => home.is_some_and(|(_, home)| home == self.url(remotes)),
        };
        if is_branch && is_home {
            return Ok(BranchSource::default());
        }
        let (Some(at), Some(name)) = (&address, self.reference.strip_prefix(HEADS)) else {
            return Ok(foreign(None));
        };
        let found = match github::for_branch(repository, at, Some(name)) {
            Ok(found) => found,
            Err(failure) if failure.exit == INTERRUPTED => return Err(failure),
            // What GitHub does not know of is not trusted.
            Err(_) => return Ok(foreign(None)),
        };
        let is_of_base = |request: &PullRequest| is_of_remote(repository, &request.base_url);
        let mut request = None;
        for one in found.requests {
            if request.is_none() && one.is_cross_repository && is_of_base(&one)? {
                request = Some(one);
            }
        }
        if found.is_users_own {
            return Ok(BranchSource { foreign: None, tracks_request: Some(false), request });
        }
        let Some(home) = home_address else { return Ok(foreign(request)) };
        // It may have been renamed, and `origin` may be a fork of it.
        let now = found.repository.as_ref().unwrap_or(at);
        let is_home = match github::for_branch(repository, &home, None) {
            Ok(home) => [home.repository, home.parent].iter().flatten().any(|one| one.is(now)),
            Err(failure) if failure.exit == INTERRUPTED => return Err(failure),
            Err(_) => false,
        };
        Ok(if is_home { BranchSource::default() } else { foreign(request) })
    }
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
