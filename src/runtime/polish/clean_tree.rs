//! Checks that a working tree has no uncommitted work that a checkout or a merge would touch.

use super::refusal;
use crate::disk;
use crate::runtime::answer::CallFailure;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::{Repository, records};
use crate::runtime::review::target::changed_files;

/// What to do about an operation of git in progress.
pub(super) const FINISH: &str =
    "finish or abort what is in progress (`git status` says how), and start again";

/// The message about an operation of git in progress.
pub(super) fn in_progress(tree: &Repository, operation: &str) -> String {
    format!("a {operation} is in progress in `{}`", tree.top.display())
}

/// Refuses a tree with changes, or with untracked files that a switch would overwrite. `unfinished` finds the polish
/// that the changes may belong to.
pub(super) fn must_be_clean(
    tree: &Repository,
    moves: bool,
    head: Option<&str>,
    unfinished: &dyn Fn() -> Result<Option<String>, CallFailure>,
) -> Result<(), CallFailure> {
    let changed = changed_files(tree)?;
    must_be_concluded(tree, &changed)?;
    let mut names = names(&changed, "");
    for submodule in submodules(tree)? {
        let inner = Repository::find(tree.environment(), &tree.top.join(&submodule))?;
        names.extend(self::names(&changed_files(&inner)?, &format!("{submodule}/")));
    }
    if !names.is_empty() {
        let message = format!("`{}` has changes: `{}`", tree.top.display(), names.join("`, `"));
        let way_on = unfinished()?.map(|run| {
            format!(
                ", or continue the unfinished polish with `polish acquire --apply --continue DIR`, where DIR is `{run}`"
            )
        });
        let filtered = filtered(tree, &names)?.map(|name| {
            format!("; `{name}` has a filter, which is not run here: if `git status` lists nothing, it is clean from then on")
        });
        let hint = ["commit or stash them first".to_owned()].into_iter().chain(way_on).chain(filtered);
        let hint: String = hint.collect();
        return Err(refusal(ErrorCode::Dirty, message, &hint));
    }
    match head.filter(|_| moves).map(|head| tree.commit(head)).transpose()?.flatten() {
        Some(head) => tree.must_lose_nothing(&head),
        None => Ok(()),
    }
}

/// The first of these files that a filter of git reads. A new time stamp makes it a change until git runs the filter.
fn filtered(tree: &Repository, names: &[String]) -> Result<Option<String>, CallFailure> {
    for filter in tree.filters()? {
        let listed = tree.ask(&["ls-files", "-z", "--", &format!(":(top,attr:filter={filter})")])?;
        let found =
            records(&listed.stdout).find_map(|name| names.iter().find(|changed| changed.as_bytes() == name));
        if let Some(found) = found {
            return Ok(Some(found.clone()));
        }
    }
    Ok(None)
}

/// Whether a tree has changed or untracked files.
///
/// # Errors
/// When git fails.
pub(in crate::runtime) fn has_changes(tree: &Repository) -> Result<bool, CallFailure> {
    let untracked = ["ls-files", "-z", "--others", "--exclude-standard", "--", ":(top)"];
    Ok(!changed_files(tree)?.is_empty() || !tree.must(&untracked)?.is_empty())
}

/// Refuses a tree in which an operation of git was begun and not concluded, or with conflicts.
///
/// # Errors
/// `dirty`, and when git fails.
pub(in crate::runtime) fn must_have_no_operation(tree: &Repository) -> Result<(), CallFailure> {
    must_be_concluded(tree, &changed_files(tree)?)
}

/// The same with the lines of `git status`.
fn must_be_concluded(tree: &Repository, changed: &[String]) -> Result<(), CallFailure> {
    // Conflicts cannot be stashed, and a commit would conclude the merge.
    let conflicts =
        |line: &&String| matches!(line.get(..2), Some("DD" | "AU" | "UD" | "UA" | "DU" | "AA" | "UU"));
    let conflicting: Vec<&str> =
        changed.iter().filter(conflicts).map(|line| line.get(3..).unwrap_or(line)).collect();
    let operation = tree.operation()?;
    if !conflicting.is_empty() || operation.is_some() {
        let names = conflicting.join("`, `");
        return Err(match operation {
            // Nothing may differ once all is resolved, but the next commit would still conclude a merge.
            Some(operation) if conflicting.is_empty() => {
                refusal(ErrorCode::Dirty, in_progress(tree, operation), FINISH)
            }
            Some(operation) => refusal(
                ErrorCode::Dirty,
                format!("{}, with conflicts: `{names}`", in_progress(tree, operation)),
                FINISH,
            ),
            None => {
                let message = format!("`{}` has conflicts: `{names}`", tree.top.display());
                refusal(ErrorCode::Dirty, message, "resolve them (`git status` says how), and start again")
            }
        });
    }
    Ok(())
}

/// The names in lines of `git status`, each with the folder of its tree as a prefix.
fn names(changed: &[String], prefix: &str) -> Vec<String> {
    changed.iter().map(|line| format!("{prefix}{}", line.get(3..).unwrap_or(line))).collect()
}

/// The submodules that are checked out: this call of `git status` ignores changes inside of them.
fn submodules(tree: &Repository) -> Result<Vec<String>, CallFailure> {
    let listed = tree.must(&["ls-files", "--stage", "-z", "--full-name"])?;
    let links = records(&listed).filter_map(|record| {
        let (_, name) = str::from_utf8(record).ok()?.strip_prefix("160000 ")?.split_once('\t')?;
        disk::kind(&tree.top.join(name).join(".git")).map(|_| name.to_owned())
    });
    Ok(links.collect())
}
