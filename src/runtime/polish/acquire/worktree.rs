//! The working tree that `polish acquire --apply --worktree` adds.

use std::path::{Component, Path, PathBuf};

use crate::disk;
use crate::printable::line;
use crate::process::interrupt;
use crate::runtime::answer::{CallFailure, USAGE};
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::polish::refusal;

/// The path of a new working tree. The word is quoted, so no shell expands `~`.
pub(super) fn worktree_path(repository: &Repository, named: &Path) -> Result<PathBuf, CallFailure> {
    let environment = repository.environment();
    let path = match (named.strip_prefix("~"), environment.variable("HOME")) {
        (Ok(below), Some(home)) => Path::new(home).join(below),
        _ => environment.path(named),
    };
    let place = resolved(&path);
    let trees = repository.worktrees()?.into_iter().map(|(top, _)| top);
    let mut trees = trees.filter(|top| place.starts_with(top) && place != *top);
    // A repository around this one, such as that of the home folder, may be around the other tree, too.
    let is_other = |above: &&Path| !repository.top.starts_with(above) && disk::is_repository(above);
    let (what, top) = match (trees.next(), place.ancestors().skip(1).find(is_other)) {
        (Some(top), _) => ("the working tree", top),
        (None, Some(top)) => ("another repository,", top.to_owned()),
        (None, None) => return Ok(place),
    };
    let (place, top) = (place.display().to_string(), top.display().to_string());
    let message = format!("`{}` is inside {what} `{}`", line(&place), line(&top));
    Err(CallFailure::new(
        USAGE,
        ErrorCode::BadValue,
        message,
        "name a path outside of it, such as `../polish`",
    ))
}

/// An absolute path without links and `..`, also where nothing is there yet.
fn resolved(path: &Path) -> PathBuf {
    let mut place = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                place.pop();
            }
            component => place.push(component),
        }
        place = disk::canonical(&place).unwrap_or(place);
    }
    place
}

/// Adds a working tree with no branch. What is at its path already may have work of the user.
pub(super) fn add_worktree(repository: &Repository, path: &Path) -> Result<(), CallFailure> {
    let name = path.display().to_string();
    let place = disk::canonical(path).unwrap_or_else(|_| path.to_owned());
    if repository.worktrees()?.iter().any(|(known, _)| *known == place) {
        return Err(refusal(
            ErrorCode::SharedCheckout,
            format!("`{}` is a working tree already", place.display()),
            "name another path",
        ));
    }
    let words = ["worktree", "add", "--quiet", "--detach", "--end-of-options", &name, "HEAD"];
    let ended = repository.ask_uninterrupted(&words)?;
    if !ended.succeeded() {
        let failure = repository.failed("worktree", &ended);
        return Err(match disk::kind(path) {
            Some(_) => failure.with_hint("name another path; nothing there was changed"),
            None => failure,
        });
    }
    if interrupt::pending() {
        remove_worktree(repository, &name);
        return Err(CallFailure::interrupted());
    }
    Ok(())
}

/// The original failure is the one to report.
pub(super) fn remove_worktree(repository: &Repository, path: &str) {
    let _ = interrupt::set_aside(|| {
        repository.ask_uninterrupted(&["worktree", "remove", "--force", "--end-of-options", path])
    });
}
