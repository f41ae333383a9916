//! The working trees of a repository, with what is checked out in each.

use std::path::PathBuf;

use crate::disk;
use crate::printable::shell_word;
use crate::runtime::answer::{CallFailure, INTERRUPTED};
use crate::runtime::git::{self, Repository};

/// A working tree with what is checked out in it.
#[derive(Debug, Clone)]
pub(super) struct TargetCheckout {
    /// Its top.
    pub(super) top: PathBuf,
    /// The commit; none for a bare repository.
    pub(super) head: Option<String>,
    /// The branch; none for a detached HEAD.
    pub(super) branch: Option<String>,
    /// Whether the user locked it.
    is_locked: bool,
}

/// The other working trees, without bare ones.
fn other_checkouts(repository: &Repository) -> Result<Vec<TargetCheckout>, CallFailure> {
    let listed = repository.must(&["worktree", "list", "--porcelain", "-z"])?;
    let mut found: Vec<TargetCheckout> = Vec::new();
    for record in listed.split(|byte| *byte == 0) {
        let text = |bytes: &[u8]| Some(String::from_utf8_lossy(bytes).into_owned());
        if let Some(at) = record.strip_prefix(b"worktree ") {
            found.push(TargetCheckout { top: git::path(at), head: None, branch: None, is_locked: false });
        } else if let Some(last) = found.last_mut() {
            if let Some(head) = record.strip_prefix(b"HEAD ") {
                last.head = text(head);
            } else if let Some(branch) = record.strip_prefix(b"branch refs/heads/") {
                last.branch = text(branch);
            } else if record.starts_with(b"locked") {
                last.is_locked = true;
            }
        }
    }
    found.retain(|one| one.head.is_some() && one.top != repository.top);
    Ok(found)
}

/// Whether the folder of a working tree is gone, or something else is at its path: another repository or a part of one, or
/// another working tree.
fn is_lost(repository: &Repository, one: &TargetCheckout) -> Result<bool, CallFailure> {
    if !disk::is_folder(&one.top) {
        return Ok(true);
    }
    let tree = match Repository::find(repository.environment(), &one.top) {
        Ok(tree) => tree,
        Err(failure) if failure.exit == INTERRUPTED => return Err(failure),
        Err(_) => return Ok(true),
    };
    // Links may lead to it, but not to one that has its own path.
    let is_other = || -> Result<bool, CallFailure> {
        let is_reached = disk::canonical(&one.top).is_ok_and(|top| top == tree.top);
        Ok(!is_reached || repository.worktrees()?.iter().any(|(top, _)| *top == tree.top))
    };
    Ok(tree.top != one.top && is_other()?
        || tree.common_folder()? != repository.common_folder()?
        || tree.branch()? != one.branch
        || tree.commit("HEAD")? != one.head)
}

/// The other working tree whose checkout matches.
pub(super) fn matching_checkout(
    repository: &Repository,
    is: impl Fn(&TargetCheckout) -> bool,
) -> Result<Option<PathBuf>, CallFailure> {
    for one in other_checkouts(repository)? {
        if is(&one) && !is_lost(repository, &one)? {
            return Ok(Some(one.top));
        }
    }
    Ok(None)
}

/// Why the working tree of a branch is unusable, and what to do about it.
pub(in crate::runtime) fn unusable(
    repository: &Repository,
    branch: &str,
) -> Result<Option<(String, String)>, CallFailure> {
    let of_branch = |one: &TargetCheckout| one.branch.as_deref() == Some(branch);
    let Some(one) = other_checkouts(repository)?.into_iter().find(of_branch) else { return Ok(None) };
    let top = one.top.display();
    let (what, hint) = if one.is_locked {
        let word = shell_word(&top.to_string()).into_owned();
        ("is locked", format!("run `git worktree unlock {word}`, if the lock is no longer needed"))
    } else if is_lost(repository, &one)? {
        let hint = "run `git worktree repair PATH` with its new path if it was moved, otherwise";
        match disk::kind(&one.top) {
            Some(_) if disk::is_folder(&one.top) && disk::kind(&one.top.join(".git")).is_none() => {
                let word = shell_word(&top.to_string()).into_owned();
                (
                    "has lost its file `.git`",
                    format!(
                        "run `git worktree repair {word}` if it is still that tree, otherwise move it away, and run `git worktree prune`"
                    ),
                )
            }
            None => ("no longer exists", format!("{hint} `git worktree prune`")),
            Some(_) => (
                "no longer exists: something else is at its path",
                format!("{hint} move it away, and run `git worktree prune`"),
            ),
        }
    } else {
        return Ok(None);
    };
    Ok(Some((format!("`{branch}` is checked out in the working tree `{top}`, which {what}"), hint)))
}
