//! Where the helper keeps runs and records: one folder a repository, shared by all its working trees.
//! Whoever writes holds the lock; what belongs together is written through a journal; nothing is ever
//! written below `.git`.

mod counter;
mod journal;

pub use journal::Step;

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::answer::{CONTENDED, Failure};
use super::child;
use super::git::Repository;
use super::hosts::Access;
use super::surroundings::Surroundings;
use crate::disk::lock::{self, Lock, LockError};
use crate::disk::{self, DiskError, durable};

/// The folder's name in a working tree.
const NAME: &str = ".plugcast";
/// How long a command waits for another one.
const PATIENCE: Duration = Duration::from_secs(5);

/// A folder of runs and records.
#[derive(Debug, Clone)]
pub struct Store {
    /// The folder, absolute.
    pub root: PathBuf,
    surroundings: Surroundings,
}

/// A store whose lock is held until this is dropped.
#[derive(Debug)]
pub struct Held<'a> {
    store: &'a Store,
    _lock: Lock,
}

/// Where runs and records may lie, the best place first: the folder that was named, alone; else that of
/// the main working tree, of this one, of the working directory.
///
/// # Errors
/// When git fails.
pub fn places(repository: &Repository, named: Option<&Path>) -> Result<Vec<PathBuf>, Failure> {
    let surroundings = repository.surroundings();
    if let Some(named) = named {
        return Ok(vec![surroundings.path(named)]);
    }
    let main = repository.worktrees()?.into_iter().find(|(_, bare)| !bare).map(|(path, _)| path);
    // Of a submodule git names the folder below the outer `.git`; its own top counts.
    let main = main.filter(|path| !path.components().any(|part| part.as_os_str() == ".git"));
    let mut places = Vec::new();
    for folder in
        [main.unwrap_or_else(|| repository.top.clone()), repository.top.clone(), surroundings.folder.clone()]
    {
        let place = folder.join(NAME);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Ok(places)
}

impl Store {
    /// The store in a folder, which need not be there.
    pub fn at(root: PathBuf, surroundings: &Surroundings) -> Self {
        Self { root, surroundings: surroundings.clone() }
    }

    /// The folder of everything that is of this machine only.
    fn local(&self) -> PathBuf {
        self.root.join("local")
    }

    /// The folder of the runs of a workflow.
    pub fn runs(&self, workflow: &str) -> PathBuf {
        self.root.join("runs").join(workflow)
    }

    /// Takes the lock, and finishes what another command began and could not.
    ///
    /// # Errors
    /// `locked` with the other process when it does not end in time; `state_unwritable` or `sandboxed`.
    pub fn lock(&self) -> Result<Held<'_>, Failure> {
        let taken = lock::acquire_as(&self.local(), "store.lock", &self.surroundings.process(), PATIENCE);
        let lock = taken.map_err(|error| match error {
            LockError::Held { holder, .. } => Failure::new(
                CONTENDED,
                "locked",
                format!("another command (process {holder}) is writing `{}`", self.root.display()),
                "wait until it has ended, then run this again",
            ),
            LockError::Disk(error) => self.unwritable(&error),
        })?;
        let held = Held { store: self, _lock: lock };
        for folder in [self.local(), self.root.join("runs")] {
            let ignore = folder.join(".gitignore");
            if !disk::is_file(&ignore) {
                held.replace(&ignore, b"*\n")?;
            }
        }
        held.finish_pending()?;
        Ok(held)
    }

    /// The failure of a file operation.
    pub fn unwritable(&self, error: &DiskError) -> Failure {
        if crate::process::interrupt::pending() {
            return Failure::interrupted();
        }
        let message = error.to_string();
        child::refused(&self.surroundings, Access::Write, &message).unwrap_or_else(|| {
            let hint = "make the place writable, or name another one with `--root`";
            Failure::environment("state_unwritable", message, hint)
        })
    }
}

impl Held<'_> {
    /// Gives a file these bytes in one step.
    ///
    /// # Errors
    /// `state_unwritable` or `sandboxed`.
    pub fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        durable::replace(path, bytes).map_err(|error| self.store.unwritable(&error))
    }

    /// Gives a file these bytes if it still holds what its reader saw: `None` for no file.
    ///
    /// # Errors
    /// `stale` when it holds something else.
    pub fn swap(&self, path: &Path, seen: Option<&[u8]>, bytes: &[u8]) -> Result<(), Failure> {
        let there = disk::read_bytes(path).map_err(|error| self.store.unwritable(&error))?;
        if there.as_deref() != seen {
            let message = format!("`{}` is not what it was", path.display());
            return Err(Failure::new(CONTENDED, "stale", message, "read it again, then decide again"));
        }
        self.replace(path, bytes)
    }

    /// Makes a folder that must be new; `false` when it is there already.
    ///
    /// # Errors
    /// `state_unwritable` or `sandboxed`.
    pub fn claim(&self, folder: &Path) -> Result<bool, Failure> {
        durable::claim_folder(folder).map_err(|error| self.store.unwritable(&error))
    }

    /// The path of a file of this machine only.
    pub fn local(&self, name: &str) -> PathBuf {
        self.store.local().join(name)
    }
}
