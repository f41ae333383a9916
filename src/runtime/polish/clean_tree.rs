//! Whether a working tree holds nothing that a checkout or a merge would touch and no commit holds.

use super::refused;
use crate::order;
use crate::runtime::answer::Failure;
use crate::runtime::git::{Repository, records};
use crate::runtime::review::target::changed_files;

/// Refuses a tree with changes, and one whose other files a switch would write over.
pub(super) fn must_be_clean(tree: &Repository, moves: bool, head: Option<&str>) -> Result<(), Failure> {
    let changed = changed_files(tree)?;
    let mut names: Vec<&str> = changed.iter().map(|line| line.get(3..).unwrap_or(line)).collect();
    let hint = "commit or stash them first";
    if !names.is_empty() {
        let message = format!("`{}` has changes: `{}`", tree.top.display(), names.join("`, `"));
        return Err(refused("dirty", message, hint));
    }
    let head = head.filter(|_| moves).map(|head| tree.commit(head)).transpose()?.flatten();
    let Some(head) = head else { return Ok(()) };
    let untracked =
        tree.must(&["ls-files", "-z", "--others", "--exclude-standard", "--full-name", ":(top)"])?;
    if untracked.is_empty() {
        return Ok(());
    }
    let there = tree.must(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", &head])?;
    let there = order::set(records(&there));
    names = records(&untracked)
        .filter(|name| there.contains(name))
        .filter_map(|name| std::str::from_utf8(name).ok())
        .collect();
    if names.is_empty() {
        return Ok(());
    }
    let message = format!("a switch would write over `{}`", names.join("`, `"));
    Err(refused("dirty", message, "move them away first"))
}
