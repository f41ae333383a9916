//! The head of a pull request, and how what is checked out stands to it.

use super::{NO_HEAD, ORIGIN, remote_of};
use crate::runtime::answer::{CallFailure, INTERRUPTED};
use crate::runtime::git::Repository;
use crate::runtime::github::PullRequest;

/// How what is checked out stands to the head of a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeadState {
    /// It is the head.
    Same,
    /// All of the pull request is there, and more: a sentence.
    Ahead(String),
    /// Some of the pull request is not there: why, as a sentence.
    Apart(String),
    /// They share no commit.
    Unrelated,
}

impl HeadState {
    /// What a reader should know.
    pub fn note(&self) -> Option<String> {
        match self {
            HeadState::Ahead(text) | HeadState::Apart(text) => Some(text.clone()),
            HeadState::Same | HeadState::Unrelated => None,
        }
    }

    /// Why not all of the pull request is there.
    pub fn unseen(&self) -> Option<String> {
        self.note().filter(|_| matches!(self, HeadState::Apart(_)))
    }
}

/// Fetches the head of a pull request from its own repository, and gives the commit that came.
///
/// # Errors
/// `fetch_failed` and `sandboxed`.
pub fn fetch_head(repository: &Repository, request: &PullRequest) -> Result<String, CallFailure> {
    let remote = match remote_of(repository, &request.base_url)? {
        Some(remote) => remote,
        None if request.base_url.is_empty() => ORIGIN.to_owned(),
        // The same number means another pull request anywhere else.
        None => request.base_url.clone(),
    };
    let kept = format!("refs/plugcast/pull-{}", request.number);
    let refs = format!("+refs/pull/{}/head:{kept}", request.number);
    repository.fetch(&[NO_HEAD], &remote, &[&refs])?;
    repository.must_commit(&kept)
}

/// Compares HEAD with the head of a pull request, which is fetched where it is not here.
pub(super) fn standing(repository: &Repository, request: &PullRequest) -> Result<HeadState, CallFailure> {
    let Some(own) = repository.commit("HEAD")? else { return Ok(HeadState::Same) };
    if own == request.head_sha {
        return Ok(HeadState::Same);
    }
    let number = request.number;
    let head = match repository.commit(&request.head_sha)? {
        Some(head) => head,
        None => match fetch_head(repository, request) {
            Ok(head) if head != request.head_sha => {
                let (named, came) = (short(&request.head_sha), short(&head));
                return Ok(HeadState::Apart(format!(
                    "pull request {number} is at {named}, and a fetch brought {came}: review again when both agree"
                )));
            }
            Ok(head) => head,
            Err(failure) if failure.exit == INTERRUPTED => return Err(failure),
            Err(failure) => {
                let (head, why) = (short(&request.head_sha), failure.error.message);
                return Ok(HeadState::Apart(format!(
                    "pull request {number} is at {head}, which is not here ({why}): fetch it, and review again"
                )));
            }
        },
    };
    if own == head {
        return Ok(HeadState::Same);
    }
    let is_cut_off = || -> Result<bool, CallFailure> {
        Ok(repository.line(&["rev-parse", "--is-shallow-repository"])?.as_deref() == Some("true"))
    };
    if repository.merge_base(&own, &head)?.is_none() && !is_cut_off()? {
        return Ok(HeadState::Unrelated);
    }
    let counted = repository.line(&["rev-list", "--left-right", "--count", &format!("{own}...{head}")])?;
    let how = match counted.as_deref().and_then(|counts| counts.split_once('\t')) {
        Some((ahead, "0")) => {
            let more = commits(ahead);
            return Ok(HeadState::Ahead(format!(
                "what is checked out is {more} ahead of pull request {number}"
            )));
        }
        Some(("0", behind)) => format!("{} behind it", commits(behind)),
        Some((ahead, behind)) => format!("{} ahead of it and {behind} behind", commits(ahead)),
        None => "another commit".to_owned(),
    };
    let head = short(&head);
    Ok(HeadState::Apart(format!(
        "pull request {number} is at {head}, and what is checked out is {how}: pull, and review again"
    )))
}

/// What the branch that is checked out lacks of the branch of the same name that it follows, as far as it was fetched.
///
/// # Errors
/// When git fails.
pub fn behind_upstream(repository: &Repository) -> Result<Option<String>, CallFailure> {
    let Some(branch) = repository.branch()? else { return Ok(None) };
    let named = format!("refs/heads/{branch}");
    let upstream = repository.line(&["for-each-ref", "--format=%(upstream)", "--end-of-options", &named])?;
    // One that began at another branch, as at `origin/main`, may be behind that.
    let same = upstream.filter(|upstream| {
        let of_remote = upstream.strip_prefix("refs/remotes/").and_then(|rest| rest.split_once('/'));
        of_remote.is_some_and(|(_, name)| name == branch)
    });
    let Some(upstream) = same else { return Ok(None) };
    let range = format!("HEAD..{upstream}");
    let behind = repository.line(&["rev-list", "--count", "--end-of-options", &range])?;
    Ok(behind.filter(|behind| behind != "0").map(|behind| {
        let (short, more) = (upstream.trim_start_matches("refs/remotes/"), commits(&behind));
        format!("`{branch}` is {more} behind `{short}`: pull, and review again")
    }))
}

fn commits(number: &str) -> String {
    if number == "1" { "1 commit".to_owned() } else { format!("{number} commits") }
}

/// A commit in short.
fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}
