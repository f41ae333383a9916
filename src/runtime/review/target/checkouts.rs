//! The working trees of a repository, with what is checked out in each.

use std::path::PathBuf;

use crate::disk;
use crate::runtime::answer::CallFailure;
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
}

/// The working tree, other than this one, that has something checked out.
pub(super) fn other(
    repository: &Repository,
    is: impl Fn(&TargetCheckout) -> bool,
) -> Result<Option<PathBuf>, CallFailure> {
    let listed = repository.must(&["worktree", "list", "--porcelain", "-z"])?;
    let mut found: Vec<TargetCheckout> = Vec::new();
    for record in listed.split(|byte| *byte == 0) {
        let text = |bytes: &[u8]| Some(String::from_utf8_lossy(bytes).into_owned());
        if let Some(at) = record.strip_prefix(b"worktree ") {
            found.push(TargetCheckout { top: git::path(at), head: None, branch: None });
        } else if let Some(last) = found.last_mut() {
            if let Some(head) = record.strip_prefix(b"HEAD ") {
                last.head = text(head);
            } else if let Some(branch) = record.strip_prefix(b"branch refs/heads/") {
                last.branch = text(branch);
            }
        }
    }
    let other =
        |one: &&TargetCheckout| one.head.is_some() && one.top != repository.top && disk::is_folder(&one.top);
    Ok(found.iter().filter(other).find(|one| is(one)).map(|one| one.top.clone()))
}
