//! The head of a pull request, and how the current HEAD relates to it.

use super::{NO_HEAD, ORIGIN, remote_of};
use crate::runtime::answer::{CallFailure, INTERRUPTED};
use crate::runtime::git::{Repository, short_commit};
use crate::runtime::github::PullRequest;

/// How the current HEAD relates to the head of a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeadState {
    /// It is the head.
    Same,
    /// It has all of the pull request, and more: a sentence.
    Ahead(String),
    /// It lacks a part of the pull request: why, as a sentence.
    Incomplete(String),
    /// They share no commit.
    Unrelated,
}

impl HeadState {
    /// What a reader should know.
    pub fn note(&self) -> Option<String> {
        match self {
            HeadState::Ahead(text) | HeadState::Incomplete(text) => Some(text.clone()),
            HeadState::Same | HeadState::Unrelated => None,
        }
    }

    /// Why a part of the pull request is missing.
    pub fn missing_part(&self) -> Option<String> {
        self.note().filter(|_| matches!(self, HeadState::Incomplete(_)))
    }
}

/// Fetches the head of a pull request from its own repository, and returns its commit.
///
/// # Errors
/// `fetch_failed` and `sandboxed`.
pub fn fetch_head(repository: &Repository, request: &PullRequest) -> Result<String, CallFailure> {
    let remote = match remote_of(repository, &request.base_url)? {
        Some(remote) => remote,
        None if request.base_url.is_empty() => ORIGIN.to_owned(),
        // In another repository, the same number is a different pull request.
        None => request.base_url.clone(),
    };
    let kept = format!("refs/plugcast/pull-{}", request.number);
    let refs = format!("+refs/pull/{}/head:{kept}", request.number);
    repository.fetch(&[NO_HEAD], &remote, &[&refs])?;
    repository.must_commit(&kept)
}

/// Compares HEAD with the head of a pull request, which is fetched if missing.
pub(super) fn head_state(repository: &Repository, request: &PullRequest) -> Result<HeadState, CallFailure> {
    let Some(own) = repository.commit("HEAD")? else { return Ok(HeadState::Same) };
    if own == request.head_sha {
        return Ok(HeadState::Same);
    }
    let number = request.number;
    let head = match repository.commit(&request.head_sha)? {
        Some(head) => head,
        None => match fetch_head(repository, request) {
            Ok(head) if head != request.head_sha => {
                let (named, came) = (short_commit(&request.head_sha), short_commit(&head));
                return Ok(HeadState::Incomplete(format!(
                    "pull request {number} is at {named}, but a fetch returned {came}: review again when both agree"
                )));
            }
            Ok(head) => head,
            Err(failure) if failure.exit == INTERRUPTED => return Err(failure),
            Err(failure) => {
                let (head, why) = (short_commit(&request.head_sha), failure.error.message);
                return Ok(HeadState::Incomplete(format!(
                    "pull request {number} is at {head}, which is not in this repository ({why}): fetch it, and review again"
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
    let head = short_commit(&head);
    Ok(HeadState::Incomplete(format!(
        "pull request {number} is at {head}, and what is checked out is {how}: pull, and review again"
    )))
}

/// How far the current branch is behind its upstream of the same name, as last fetched.
///
/// # Errors
/// When git fails.
pub fn behind_upstream(repository: &Repository) -> Result<Option<String>, CallFailure> {
    let Some(branch) = repository.branch()? else { return Ok(None) };
    let named = format!("refs/heads/{branch}");
    let upstream = repository.line(&["for-each-ref", "--format=%(upstream)", "--end-of-options", &named])?;
    // A branch that tracks one of another name, such as `origin/main`, may be behind it.
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

/// A number of commits, for people.
pub fn commits(number: &str) -> String {
    if number == "1" { "1 commit".to_owned() } else { format!("{number} commits") }
}
