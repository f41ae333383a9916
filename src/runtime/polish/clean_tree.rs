//! Whether a working tree holds nothing that a checkout or a merge would touch and no commit holds.

use super::refused;
use crate::runtime::answer::CallFailure;
use crate::runtime::git::Repository;
use crate::runtime::review::target::changed_files;

/// Refuses a tree with changes, and one whose other files a switch would write over.
pub(super) fn must_be_clean(tree: &Repository, moves: bool, head: Option<&str>) -> Result<(), CallFailure> {
    let changed = changed_files(tree)?;
    let name = |line: &String| line.get(3..).unwrap_or(line).to_owned();
    // A stash does not take them, and a commit ends what is under way.
    let conflicts =
        |line: &&String| matches!(line.get(..2), Some("DD" | "AU" | "UD" | "UA" | "DU" | "AA" | "UU"));
    let conflicting: Vec<String> = changed.iter().filter(conflicts).map(name).collect();
    if !conflicting.is_empty() {
        let message = format!("`{}` has conflicts: `{}`", tree.top.display(), conflicting.join("`, `"));
        let hint = "finish the merge or rebase that is under way, or take it back (`git status` says how), and begin again";
        return Err(refused("dirty", message, hint));
    }
    let names: Vec<String> = changed.iter().map(name).collect();
    if !names.is_empty() {
        let message = format!("`{}` has changes: `{}`", tree.top.display(), names.join("`, `"));
        return Err(refused("dirty", message, "commit or stash them first"));
    }
    match head.filter(|_| moves).map(|head| tree.commit(head)).transpose()?.flatten() {
        Some(head) => tree.must_lose_nothing(&head),
        None => Ok(()),
    }
}
