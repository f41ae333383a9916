//! The commit that a result names as a repair. A model writes it, so it counts only as far as git confirms it.

use super::LockedItem;
use crate::runtime::answer::CallFailure;
use crate::runtime::dispatch::plan::reached;
use crate::runtime::git::{Repository, records};
use crate::runtime::repo::size::ChangeSizes;

/// Why a commit is not the repair of an item: it came before the dispatch, is not on the branch, is a merge, or changes
/// files that were not dispatched with the item. None if it may be.
///
/// # Errors
/// When git fails.
pub(super) fn contradiction(
    commit: &str,
    locked: &LockedItem,
    changed: &ChangeSizes,
    tree: &Repository,
) -> Result<Option<String>, CallFailure> {
    let is_hash = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hash || !tree.ask(&["merge-base", "--is-ancestor", commit, "HEAD"])?.succeeded() {
        return Ok(Some("it is not on this branch".to_owned()));
    }
    let range = format!("{}..HEAD", locked.dispatch_head);
    let since = tree.ask(&["rev-list", "--first-parent", "--no-merges", &range])?;
    if locked.dispatch_head.is_empty() || !since.stdout_text().lines().any(|one| one == commit) {
        return Ok(Some("it was not made after the item was dispatched".to_owned()));
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
