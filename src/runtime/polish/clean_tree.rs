//! Whether a working tree holds nothing that a checkout or a merge would touch and no commit holds.

use super::refused;
use crate::disk;
use crate::runtime::answer::CallFailure;
use crate::runtime::git::{Repository, records};
use crate::runtime::review::target::changed_files;

/// Refuses a tree with changes, and one whose other files a switch would write over. `unfinished` finds the polish that
/// the changes may be repairs of.
pub(super) fn must_be_clean(
    tree: &Repository,
    moves: bool,
    head: Option<&str>,
    unfinished: &dyn Fn() -> Result<Option<String>, CallFailure>,
) -> Result<(), CallFailure> {
    let changed = changed_files(tree)?;
    // A stash does not take them, and a commit ends what is under way.
    let conflicts =
        |line: &&String| matches!(line.get(..2), Some("DD" | "AU" | "UD" | "UA" | "DU" | "AA" | "UU"));
    let conflicting: Vec<&str> =
        changed.iter().filter(conflicts).map(|line| line.get(3..).unwrap_or(line)).collect();
    if !conflicting.is_empty() || tree.is_merging()? {
        let top = tree.top.display();
        let message = match conflicting.is_empty() {
            // Resolved so that nothing differs, and yet the next commit concludes it.
            true => format!("a merge is under way in `{top}`"),
            false => format!("`{top}` has conflicts: `{}`", conflicting.join("`, `")),
        };
        let hint = "finish the merge or rebase that is under way, or take it back (`git status` says how), and begin again";
        return Err(refused("dirty", message, hint));
    }
    let mut names = names(&changed, "");
    for submodule in submodules(tree)? {
        let inner = Repository::find(tree.environment(), &tree.top.join(&submodule))?;
        names.extend(self::names(&changed_files(&inner)?, &format!("{submodule}/")));
    }
    if !names.is_empty() {
        let message = format!("`{}` has changes: `{}`", tree.top.display(), names.join("`, `"));
        let way_on = unfinished()?.map(|run| {
            format!(
                ", or go on with the unfinished polish by `polish acquire --apply --continue DIR`, where DIR is `{run}`"
            )
        });
        let hint = format!("commit or stash them first{}", way_on.unwrap_or_default());
        return Err(refused("dirty", message, &hint));
    }
    match head.filter(|_| moves).map(|head| tree.commit(head)).transpose()?.flatten() {
        Some(head) => tree.must_lose_nothing(&head),
        None => Ok(()),
    }
}

/// The names in lines of git's status, each behind what the folder of their tree is called.
fn names(changed: &[String], prefix: &str) -> Vec<String> {
    changed.iter().map(|line| format!("{prefix}{}", line.get(3..).unwrap_or(line))).collect()
}

/// The submodules that are checked out: git does not say here what changed in them.
fn submodules(tree: &Repository) -> Result<Vec<String>, CallFailure> {
    let listed = tree.must(&["ls-files", "--stage", "-z", "--full-name"])?;
    let links = records(&listed).filter_map(|record| {
        let (_, name) = str::from_utf8(record).ok()?.strip_prefix("160000 ")?.split_once('\t')?;
        disk::kind(&tree.top.join(name).join(".git")).map(|_| name.to_owned())
    });
    Ok(links.collect())
}
