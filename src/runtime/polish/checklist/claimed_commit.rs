//! The commit that a result names as a repair. A model writes it, so it counts only as far as git confirms it.

use super::rewrite::ItemResult;
use super::{ItemOutcome, LockedItem};
use crate::runtime::answer::CallFailure;
use crate::runtime::dispatch::plan::reached;
use crate::runtime::git::{Repository, records};
use crate::runtime::polish::history::{NO_LOG, commits_made_here};
use crate::runtime::repo::size::ChangeSizes;

/// Why the commit of a result is not the repair of its item: the item failed, or the commit is not on the branch, is a
/// merge, was not made in this working tree since the dispatch, or changes files that were not dispatched with the item.
/// None if it may be.
///
/// # Errors
/// When git fails.
pub(super) fn contradiction(
    result: &ItemResult,
    locked: &LockedItem,
    changed: &ChangeSizes,
    tree: &Repository,
) -> Result<Option<String>, CallFailure> {
    let commit = &*result.commit;
    if result.result == ItemOutcome::Failed {
        return Ok(Some("it is not repaired".to_owned()));
    }
    let is_hash = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hash || !tree.ask(&["merge-base", "--is-ancestor", commit, "HEAD"])?.succeeded() {
        return Ok(Some("it is not on this branch".to_owned()));
    }
    let range = format!("{}..HEAD", locked.dispatch_head);
    let since = tree.ask(&["rev-list", "--first-parent", "--no-merges", &range])?;
    if locked.dispatch_head.is_empty() || !since.stdout_text().lines().any(|one| one == commit) {
        return Ok(Some("it was not made after the item was dispatched".to_owned()));
    }
    let made = commits_made_here(tree, &locked.dispatch_head, None)?;
    let Some(made) = made else {
        return Ok(Some(format!("whether it was made in this working tree is unknown: {NO_LOG}")));
    };
    if !made.contains(commit) {
        return Ok(Some("it was not made in this working tree".to_owned()));
    }
    let words = ["diff-tree", "-r", "-z", "--no-renames", "--no-commit-id", "--name-only", commit];
    let touched = tree.must(&words)?;
    let reach = reached(&locked.dispatch_files, changed, tree);
    let is_given = |file: &str| {
        reach.iter().any(|given| {
            let rest = file.strip_prefix(given.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    let mut others = records(&touched).map(String::from_utf8_lossy).filter(|file| !is_given(file));
    Ok(others.next().map(|file| format!("it changes `{file}`, which was not dispatched with the item")))
}
