//! How the current commit relates to those that a polish knows: one of them, new commits on top, or rewritten history.

use super::record::PolishRecord;
use crate::order;
use crate::runtime::answer::CallFailure;
use crate::runtime::git::Repository;

/// How many of the user's latest commits are recorded at once.
const MOST_ADDED: usize = 1000;

/// What a user has done to the branch of a polish since it last wrote.
pub(super) enum BranchHistory {
    /// The current commit is known.
    Known,
    /// Commits were added on top; newest first.
    Extended(Vec<String>),
    /// The last known commit is no longer part of the branch: it was amended, rebased or reset.
    Rewritten,
    /// Another branch is checked out, or none.
    OtherBranch,
}

impl BranchHistory {
    /// The history up to a commit; none if the commit is missing, or has nothing to polish.
    ///
    /// # Errors
    /// When git fails.
    pub fn until(record: &PolishRecord, tree: &Repository, head: &str) -> Result<Option<Self>, CallFailure> {
        let known = record.known_commits();
        if known.contains(&head) {
            return Ok(Some(Self::Known));
        }
        let contains = |one: &str, other: &str| -> Result<bool, CallFailure> {
            Ok(tree.ask(&["merge-base", "--is-ancestor", one, other])?.succeeded())
        };
        let Some(last) = known.first().filter(|last| !last.is_empty()) else { return Ok(None) };
        // The head of a pull request may not be fetched yet.
        if tree.commit(head)?.is_none() {
            return Ok(None);
        }
        if !contains(last, head)? {
            return Ok((!contains(head, &record.base_ref)?).then_some(Self::Rewritten));
        }
        let (range, most) = (format!("{last}..{head}"), format!("--max-count={MOST_ADDED}"));
        let listed = tree.must(&["rev-list", "--first-parent", &most, &range])?;
        let listed = String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect();
        Ok(Some(Self::Extended(listed)))
    }

    /// The history up to the current commit; none if it has nothing to polish.
    ///
    /// # Errors
    /// When git fails.
    pub fn from_checkout(record: &PolishRecord, tree: &Repository) -> Result<Option<Self>, CallFailure> {
        if tree.branch()? != record.branch {
            return Ok(Some(Self::OtherBranch));
        }
        let history = Self::until(record, tree, &tree.must_commit("HEAD")?)?;
        // With a detached HEAD, a different commit is simply a different checkout.
        Ok(history.filter(|history| record.branch.is_some() || !matches!(history, Self::Rewritten)))
    }
}

/// Whether each of these commits was made in this working tree since `passed` was checked out, as the log of its HEAD
/// tells: a commit that was pulled, merged, rebased or made before is not.
///
/// # Errors
/// When git fails.
pub(super) fn is_committed_here(
    tree: &Repository,
    passed: &str,
    commits: &[String],
) -> Result<bool, CallFailure> {
    const MAKES: [&str; 3] = ["commit: ", "commit (amend): ", "revert: "];
    let logged = tree.ask(&["log", "--walk-reflogs", "--no-show-signature", "--format=%H %gs", "HEAD"])?;
    let logged = logged.stdout_text();
    let since =
        logged.lines().filter_map(|line| line.split_once(' ')).take_while(|(head, _)| *head != passed);
    let made = since.filter(|(_, how)| MAKES.iter().any(|word| how.starts_with(word)));
    let made = order::set(made.map(|(commit, _)| commit.to_owned()));
    Ok(commits.iter().all(|commit| made.contains(commit)))
}

/// The commits of a branch that was rewritten since `passed` was checked out: those that neither it nor the base has.
/// None if git cannot tell.
///
/// # Errors
/// When git fails.
pub(super) fn rewritten_commits(
    tree: &Repository,
    passed: &str,
    base: &str,
) -> Result<Option<Vec<String>>, CallFailure> {
    let listed = tree.ask(&["rev-list", "HEAD", "--not", passed, base])?;
    let commits = listed.stdout_text().lines().map(str::to_owned).collect();
    Ok(listed.succeeded().then_some(commits))
}
