//! The working tree that `polish acquire --apply --worktree` adds.

use std::path::{Path, PathBuf};

use crate::disk;
use crate::printable::line;
use crate::process::interrupt;
use crate::runtime::answer::{CallFailure, USAGE};
use crate::runtime::git::Repository;
use crate::runtime::polish::refusal;

/// The path of a new working tree. The word is quoted, so no shell expands `~`.
pub(super) fn worktree_path(repository: &Repository, named: &Path) -> Result<PathBuf, CallFailure> {
    let environment = repository.environment();
    let path = match (named.strip_prefix("~"), environment.variable("HOME")) {
        (Ok(below), Some(home)) => Path::new(home).join(below),
        _ => environment.path(named),
    };
    let mut above = path.clone();
    let place = loop {
        match disk::canonical(&above) {
            Ok(place) => break path.strip_prefix(&above).map_or(place.clone(), |below| place.join(below)),
            Err(_) if above.pop() => {}
            Err(_) => break path.clone(),
        }
    };
    let mut trees = repository.worktrees()?.into_iter().map(|(top, _)| top);
    match trees.find(|top| place.starts_with(top) && place != *top) {
        Some(top) => {
            let (place, top) = (place.display().to_string(), top.display().to_string());
            let message = format!("`{}` is inside the working tree `{}`", line(&place), line(&top));
            Err(CallFailure::new(
                USAGE,
                "bad_value",
                message,
                "name a path outside of it, such as `../polish`",
            ))
        }
        None => Ok(path),
    }
}

/// Adds a working tree with no branch. What is at its path already may have work of the user.
pub(super) fn add_worktree(repository: &Repository, path: &Path) -> Result<(), CallFailure> {
    let name = path.display().to_string();
    let place = disk::canonical(path).unwrap_or_else(|_| path.to_owned());
    if repository.worktrees()?.iter().any(|(known, _)| *known == place) {
        return Err(refusal(
            "shared_checkout",
            format!("`{}` is a working tree already", place.display()),
            "name another path",
        ));
    }
    let words = ["worktree", "add", "--quiet", "--detach", "--end-of-options", &name, "HEAD"];
    let ended = repository.ask_uninterrupted(&words)?;
    if !ended.succeeded() {
        let failure = repository.failed("worktree", &ended);
        return Err(match disk::kind(path) {
            Some(_) => failure.with_hint("name another path: what is there stays as it is"),
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
