//! How the current commit relates to those that a polish knows: one of them, new commits on top, or rewritten history.

use std::collections::BTreeSet;

use super::record::PolishRecord;
use crate::runtime::answer::CallFailure;
use crate::runtime::git::{LogAction, Repository};

/// How many of the user's latest commits are recorded at once.
const MOST_ADDED: usize = 1000;
/// Why it is unknown where a commit was made, and what to do.
pub(super) const NO_LOG: &str =
    "the log of HEAD, which expires and may not be kept (`core.logAllRefUpdates`), does not reach back";

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
    pub fn read(record: &PolishRecord, tree: &Repository, head: &str) -> Result<Option<Self>, CallFailure> {
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
            let base = record.base_commit(tree)?;
            let is_in_base = base.map(|base| contains(head, &base)).transpose()?.unwrap_or_default();
            return Ok((!is_in_base).then_some(Self::Rewritten));
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
        let history = Self::read(record, tree, &tree.must_commit("HEAD")?)?;
        // With a detached HEAD, a different commit is simply a different checkout.
        Ok(history.filter(|history| record.branch.is_some() || !matches!(history, Self::Rewritten)))
    }
}

/// Where the commits were made that a branch has gained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommitOrigin {
    /// Each was made in this working tree.
    Here,
    /// Not each.
    Elsewhere,
    /// Unknown: the log of HEAD does not reach back far enough.
    Unknown,
}

/// Where the commits were made that the branch has gained since `passed` was checked out: all of them, not only those of
/// its first parents, but for those of the base and those that the run knows.
///
/// # Errors
/// When git fails.
pub(super) fn origin_since(
    record: &PolishRecord,
    tree: &Repository,
    passed: &str,
) -> Result<CommitOrigin, CallFailure> {
    let mut words = vec!["rev-list", "--ignore-missing", "HEAD", "--not", passed, &record.base_sha];
    words.extend(record.commits.iter().map(String::as_str));
    let listed = tree.ask(&words)?;
    let logged = record.gate.as_ref().and_then(|gate| gate.logged);
    let made = if listed.succeeded() { commits_made_here(tree, passed, logged)? } else { None };
    Ok(match made {
        None => CommitOrigin::Unknown,
        Some(made) if listed.stdout_text().lines().all(|commit| made.contains(commit)) => CommitOrigin::Here,
        Some(_) => CommitOrigin::Elsewhere,
    })
}

/// The entries of the log of HEAD in this working tree, newest first: the commit, and what was done.
///
/// # Errors
/// When git fails.
pub(super) fn log_of_head(tree: &Repository) -> Result<Vec<(String, LogAction)>, CallFailure> {
    let logged = tree.ask(&["log", "--walk-reflogs", "--no-show-signature", "--format=%H %gs", "HEAD"])?;
    let logged = logged.stdout_text();
    let entries = logged.lines().map(|line| line.split_once(' ').unwrap_or((line, "")));
    Ok(entries.map(|(head, how)| (head.to_owned(), LogAction::parse(how))).collect())
}

/// The commits that were made in this working tree since `passed` was checked out, as the log of its HEAD tells: one
/// that was committed or merged here, and one that was amended from such a commit or from the history of `passed`. One
/// that was pulled, picked, rebased or made before is not. With `logged`, the number of entries that the log had, it is
/// since then, whatever was checked out in between. None if the log does not reach back to `passed`.
///
/// # Errors
/// When git fails.
pub(super) fn commits_made_here(
    tree: &Repository,
    passed: &str,
    logged: Option<usize>,
) -> Result<Option<BTreeSet<String>>, CallFailure> {
    let entries = log_of_head(tree)?;
    let Some(newest) = entries.iter().position(|(head, _)| *head == passed) else { return Ok(None) };
    let at = logged.map_or(newest, |logged| entries.len().saturating_sub(logged).max(newest));
    let (mut made, mut before, mut is_rebase) = (BTreeSet::new(), passed, false);
    for (head, how) in entries[..at].iter().rev() {
        // An amended commit keeps what was in it.
        let is_made = match how {
            LogAction::Amended => {
                made.contains(before)
                    || tree.ask(&["merge-base", "--is-ancestor", before, passed])?.succeeded()
            }
            // What is committed in a rebase may solve a conflict, and have what was in another commit.
            how => *how == LogAction::Written && !is_rebase,
        };
        is_rebase = match how {
            LogAction::RebaseBegun => true,
            LogAction::RebaseEnded => false,
            _ => is_rebase,
        };
        if is_made {
            made.insert(head.clone());
        }
        before = head;
    }
    Ok(Some(made))
}
