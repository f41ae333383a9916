//! The target of a review in the working tree: it is there already, or it may be checked out, or the review
//! must not move the tree.

use crate::runtime::answer::{Failure, REFUSED};
use crate::runtime::git::{Repository, records};
use crate::runtime::github::PullRequest;
use crate::runtime::repo::base;
use crate::runtime::review::arguments::{Kind, Target};
use crate::runtime::review::{Mode, failed};

/// Brings the target into the working tree where it is not there. Returns the pull request, if it is one.
pub(super) fn to(
    repository: &Repository,
    mode: Mode,
    target: &Target,
    word: Option<&str>,
    notes: &mut Vec<String>,
) -> Result<Option<PullRequest>, Failure> {
    match target.kind {
        Kind::Current => Ok(None),
        Kind::Branch => {
            let wanted = target.branch.as_deref().unwrap_or_default();
            if repository.branch()?.as_deref() != Some(wanted) {
                may_move(repository, mode)?;
                notes.extend(repository.check_out(&["switch", "--quiet", "--end-of-options", wanted])?);
            }
            Ok(None)
        }
        Kind::Pr => {
            let request = base::named_pull_request(repository, word.unwrap_or_default())?;
            let here = repository.branch()?.as_ref() == Some(&request.head_branch)
                || repository.commit("HEAD")?.as_ref() == Some(&request.head_sha);
            if !here {
                may_move(repository, mode)?;
                fetch(repository, &request, notes)?;
            }
            Ok(Some(request))
        }
    }
}

/// Whether this review may check something out now.
fn may_move(repository: &Repository, mode: Mode) -> Result<(), Failure> {
    if matches!(mode, Mode::Headless | Mode::ReportOnly) {
        let reason = "shared checkout stays on its branch. Start in a worktree of the target, or pass base:<ref> for this tree.";
        return Err(failed(REFUSED, "shared_checkout", mode, reason));
    }
    let changed = repository.must(&["status", "--porcelain", "-z", "--untracked-files=no"])?;
    let names: Vec<String> =
        records(&changed).map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    if names.is_empty() {
        return Ok(());
    }
    let reason = format!("the working tree has changes ({}). Commit or stash them first.", names.join(", "));
    Err(failed(REFUSED, "dirty", mode, &reason))
}

/// Fetches the head of a pull request, and checks it out as its branch.
fn fetch(repository: &Repository, request: &PullRequest, notes: &mut Vec<String>) -> Result<(), Failure> {
    let remote = base::remote_of(repository, &request.base_url)?.unwrap_or_else(|| "origin".to_owned());
    repository.fetch(&[], &remote, &[&format!("refs/pull/{}/head", request.number)])?;
    let head = repository.must_commit("FETCH_HEAD")?;
    let branch = &request.head_branch;
    if repository.commit(&format!("refs/heads/{branch}"))?.is_none() {
        notes.extend(repository.check_out(&[
            "switch",
            "--quiet",
            "--no-track",
            "--create",
            branch,
            &head,
        ])?);
    } else {
        repository.must(&["switch", "--quiet", "--end-of-options", branch])?;
        notes.extend(repository.check_out(&["merge", "--quiet", "--ff-only", "--end-of-options", &head])?);
    }
    Ok(())
}
