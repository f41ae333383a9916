//! The helper's storage for runs and records: one folder per repository, shared by all its working trees. A writer
//! holds the lock; multi-file updates go through a journal; nothing is ever written below `.git`.

mod counter;
mod index_check;
mod journal;
mod key;
mod mark;
mod places;

pub use journal::{KEPT_SUFFIX, StoreStep};
pub use mark::TextMark;
pub use places::{places, places_to_read};

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::answer::{CONTENDED, CallFailure, REFUSED};
use super::environment::Environment;
use super::error_code::ErrorCode;
use super::git::{Repository, records};
use super::hosts::SandboxAccess;
use super::timestamp::Timestamp;
use super::{child, document};
use crate::disk::durable::AppendFile;
use crate::disk::reader::SizeLimit;
use crate::disk::root::{Root, RootError, RootLink, RootLock};
use crate::disk::{self, DiskError, FileKind};
use crate::git_command::GitCommand;
use crate::printable::shell_word;

/// The folder's name in a working tree.
const NAME: &str = ".plugcast";
/// How long a command waits for another one.
const PATIENCE: Duration = Duration::from_secs(5);

/// A folder of runs and records.
#[derive(Debug, Clone)]
pub struct Store {
    /// The folder, absolute.
    pub root: PathBuf,
    environment: Environment,
    /// Set once git has confirmed that it tracks nothing in the machine's own folders.
    untracked: Arc<OnceLock<()>>,
}

/// A store whose lock is held until this is dropped.
#[derive(Debug)]
pub struct LockedStore<'a> {
    store: &'a Store,
    root: Root,
    _lock: RootLock,
}

/// The folders that must never be tracked by git.
const UNTRACKED_FOLDERS: [&str; 2] = ["runs", LOCAL];
const LOCAL: &str = "local";
const LOCK: &str = "local/store.lock";
/// How long git may take to list what it tracks.
const LIMIT: Duration = Duration::from_secs(20);

/// Refuses a commit whose tree contains runs or records, which would end up in a working tree.
///
/// # Errors
/// `tracked_state` with the path, and the errors of git.
pub fn refuse_state_in(repository: &Repository, commit: &str) -> Result<(), CallFailure> {
    let listed =
        repository.must(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", NAME])?;
    let own = |name: &&[u8]| {
        let below = name.strip_prefix(NAME.as_bytes()).unwrap_or_default();
        below.is_empty()
            || UNTRACKED_FOLDERS
                .iter()
                .any(|own| below.get(1..).is_some_and(|rest| is_inside(rest, own.as_bytes())))
    };
    let Some(name) = records(&listed).find(own) else { return Ok(()) };
    let path = String::from_utf8_lossy(name).into_owned();
    let message = format!("commit {commit} tracks `{path}`, which must stay on this machine");
    let hint = "nothing was checked out; ask for the file to be removed from the branch";
    Err(CallFailure::new(REFUSED, ErrorCode::TrackedState, message, hint).in_file(path, None, None))
}

/// Whether a path is this folder or is in it.
fn is_inside(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

/// The seal file of a run, relative to the store. It is outside of `runs`, the only folder that agents write to.
pub fn seal_path(workflow: &str, run: &str) -> PathBuf {
    Path::new(LOCAL).join("seals").join(workflow).join(format!("{run}.json"))
}

impl Store {
    /// The store in a folder, which need not exist.
    pub fn new(root: PathBuf, environment: &Environment) -> Self {
        Self { root, environment: environment.clone(), untracked: Arc::default() }
    }

    /// The folder of the runs of a workflow.
    pub fn runs(&self, workflow: &str) -> PathBuf {
        self.root.join("runs").join(workflow)
    }

    /// The absolute path of a file that is local to this machine.
    pub fn local(&self, name: &str) -> PathBuf {
        self.root.join(LOCAL).join(name)
    }

    /// Opens the folder; `None` if it does not exist. Before anything in it is read, git must track nothing in the
    /// machine's own folders.
    ///
    /// # Errors
    /// `tracked_state`, `untrusted_state`, `git_failed`.
    pub fn open(&self) -> Result<Option<Root>, CallFailure> {
        let root = Root::open(&self.root, self.link()).map_err(|error| self.refusal(error))?;
        if root.is_some() {
            self.must_be_untracked()?;
        }
        Ok(root)
    }

    /// How many seconds ago a file was changed; `None` if it does not exist.
    ///
    /// # Errors
    /// As [`Store::text`].
    pub fn age(&self, path: &Path) -> Result<Option<u64>, CallFailure> {
        let Some(root) = self.open()? else { return Ok(None) };
        let changed = root.modified(path.strip_prefix(&self.root).unwrap_or(path));
        let changed = changed.map_err(|error| self.refusal(error))?;
        Ok(changed.map(|time| self.environment.now().seconds_since(Timestamp::from_system_time(time))))
    }

    /// A link is only followed if the user named the folder.
    fn link(&self) -> RootLink {
        if self.environment.names(&self.root) { RootLink::Followed } else { RootLink::Refused }
    }

    fn must_be_untracked(&self) -> Result<(), CallFailure> {
        if self.untracked.get().is_some() {
            return Ok(());
        }
        self.ask_what_is_tracked()?;
        let _ = self.untracked.set(());
        Ok(())
    }

    /// Checks git's index, even if it was checked before, since a checkout changes it.
    ///
    /// # Errors
    /// `tracked_state`, and the errors of git.
    pub fn ask_what_is_tracked(&self) -> Result<(), CallFailure> {
        if index_check::is_surely_untracked(&self.root) {
            return Ok(());
        }
        let git = GitCommand::new(child::command(&self.environment, "git", &self.root, LIMIT));
        let paths = UNTRACKED_FOLDERS.map(|name| format!(":(literal){name}"));
        let asked = git.plain_call(["ls-files", "-z", "--cached", "--"]);
        let ended = child::run(&self.environment, "git", &asked.arguments(paths))?;
        // The named folder may be outside of every repository.
        let outside = !ended.succeeded() && ended.stderr_text().contains("not a git repository");
        if !ended.succeeded() && !outside {
            let hint = "run `git ls-files` in that folder to see more";
            let what = format!("git cannot list what it tracks in `{}`", self.root.display());
            let words = child::words(&ended);
            return Err(CallFailure::environment(ErrorCode::GitFailed, format!("{what}: {words}"), hint));
        }
        if let Some(name) = records(&ended.stdout).next() {
            let path = self.root.join(super::git::path(name)).display().to_string();
            let message = format!("git tracks `{path}`, which must stay on this machine");
            let hint = format!(
                "check it, then remove it with `git rm -r --cached {}`, or leave this branch",
                shell_word(&self.root.display().to_string())
            );
            return Err(
                CallFailure::new(REFUSED, ErrorCode::TrackedState, message, hint).in_file(path, None, None)
            );
        }
        Ok(())
    }

    /// Takes the lock, and completes what an interrupted command left in the journal.
    ///
    /// # Errors
    /// `locked` with the other process if it does not finish in time; `tracked_state`, `untrusted_state`,
    /// `state_unwritable` or `sandboxed`.
    pub fn lock(&self) -> Result<LockedStore<'_>, CallFailure> {
        let root = Root::create(&self.root, self.link()).map_err(|error| self.refusal(error))?;
        self.must_be_untracked()?;
        let lock = root.lock(Path::new(LOCK), &self.environment.process(), PATIENCE);
        let lock = lock.map_err(|error| self.refusal(error))?;
        let held = LockedStore { store: self, root, _lock: lock };
        for folder in UNTRACKED_FOLDERS {
            let ignore = Path::new(folder).join(".gitignore");
            if held.root.kind(&ignore).map_err(|error| self.refusal(error))?.is_none() {
                held.replace(&ignore, b"*\n")?;
            }
        }
        held.finish_pending()?;
        Ok(held)
    }

    /// Completes the journal of a killed command, if there is one; returns whether that was done.
    ///
    /// # Errors
    /// As [`Store::has_file`].
    pub fn complete_pending(&self) -> Result<bool, CallFailure> {
        // If nothing can be written, it is left for the next command that can.
        Ok(self.has_file(&LockedStore::own_file(journal::NAME))? && self.lock().is_ok())
    }

    /// The path of something in the store, relative to its folder.
    fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }

    /// Reads a text of the store, by its absolute or relative path; `None` if it does not exist.
    ///
    /// # Errors
    /// `tracked_state`, `untrusted_state`, `file_unreadable`, `not_utf8`.
    pub fn text(&self, path: &Path) -> Result<Option<String>, CallFailure> {
        let bytes = self.bytes(path)?;
        bytes.map(|bytes| document::utf8(bytes, &path.display().to_string())).transpose()
    }

    /// The same without requiring UTF-8.
    ///
    /// # Errors
    /// `tracked_state`, `untrusted_state`, `file_unreadable`.
    pub fn bytes(&self, path: &Path) -> Result<Option<Vec<u8>>, CallFailure> {
        self.bytes_up_to(path, SizeLimit::Document)
    }

    /// The same with another limit.
    ///
    /// # Errors
    /// As [`Store::bytes`].
    pub fn bytes_up_to(&self, path: &Path, limit: SizeLimit) -> Result<Option<Vec<u8>>, CallFailure> {
        let Some(root) = self.open()? else { return Ok(None) };
        root.read(self.relative(path), limit).map_err(|error| self.unread_failure(error))
    }

    /// The last bytes of a file, up to a limit; `None` if it does not exist.
    ///
    /// # Errors
    /// As [`Store::bytes`].
    pub fn end_of(&self, path: &Path, most: u64) -> Result<Option<Vec<u8>>, CallFailure> {
        let Some(root) = self.open()? else { return Ok(None) };
        root.read_end(self.relative(path), most).map_err(|error| self.unread_failure(error))
    }

    /// Whether there is a file of the store.
    ///
    /// # Errors
    /// `tracked_state`, `untrusted_state`, `file_unreadable`.
    pub fn has_file(&self, path: &Path) -> Result<bool, CallFailure> {
        let Some(root) = self.open()? else { return Ok(false) };
        let kind = root.kind(self.relative(path)).map_err(|error| self.unread_failure(error))?;
        Ok(kind == Some(FileKind::File))
    }

    /// The sorted names in a folder of the store with their kinds; empty if it does not exist.
    ///
    /// # Errors
    /// `tracked_state`, `untrusted_state`, `file_unreadable`.
    pub fn list(&self, path: &Path) -> Result<Vec<(String, FileKind)>, CallFailure> {
        let Some(root) = self.open()? else { return Ok(Vec::new()) };
        root.list(self.relative(path)).map_err(|error| self.unread_failure(error))
    }

    /// Creates a file of a run that is written piece by piece.
    ///
    /// # Errors
    /// `tracked_state`, `untrusted_state`, `state_unwritable`, `sandboxed`.
    pub fn create_file(&self, path: &Path) -> Result<AppendFile, CallFailure> {
        let root = self.open()?.ok_or_else(|| {
            let message = format!("`{}` is no longer a folder", self.root.display());
            CallFailure::environment(ErrorCode::StateUnwritable, message, "begin again")
        })?;
        root.create_file(self.relative(path)).map_err(|error| self.refusal(error))
    }

    /// The failure of an operation below the store's folder.
    pub fn refusal(&self, error: RootError) -> CallFailure {
        match error {
            RootError::Disk(error) => self.unwritable(&error),
            RootError::Held(holder) => CallFailure::new(
                CONTENDED,
                ErrorCode::Locked,
                format!("another command (process {holder}) is writing `{}`", self.root.display()),
                "wait until it has ended, then run this again",
            ),
            RootError::Untrusted { path, what } => {
                let message =
                    format!("`{}` {what}: this machine's helper did not put it there", path.display());
                let hint = "look at it, and remove it; nothing was read, written or removed through it";
                let failure = CallFailure::new(REFUSED, ErrorCode::UntrustedState, message, hint);
                failure.in_file(path.display().to_string(), None, None)
            }
        }
    }

    fn unread_failure(&self, error: RootError) -> CallFailure {
        match error {
            RootError::Disk(error) => {
                CallFailure::environment(ErrorCode::FileUnreadable, error.to_string(), error.help())
            }
            other => self.refusal(other),
        }
    }

    /// The failure of a file operation.
    pub fn unwritable(&self, error: &DiskError) -> CallFailure {
        if crate::process::interrupt::pending() {
            return CallFailure::interrupted();
        }
        let message = error.to_string();
        child::sandbox_refusal(&self.environment, SandboxAccess::Write, &message).unwrap_or_else(|| {
            let hint = disk::remedy(error.source.kind())
                .map_or("make the folder writable, or name another one with `--root`", |remedy| {
                    remedy.or_root
                });
            CallFailure::environment(ErrorCode::StateUnwritable, message, hint)
        })
    }
}

impl LockedStore<'_> {
    /// Replaces the content of a file atomically.
    ///
    /// # Errors
    /// `untrusted_state`, `state_unwritable` or `sandboxed`.
    pub fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), CallFailure> {
        let path = self.store.relative(path);
        self.root.replace(path, bytes).map_err(|error| self.store.refusal(error))
    }

    /// Replaces the content of a file if it still holds what its reader saw; `None` for no file.
    ///
    /// # Errors
    /// `stale` if it holds something else.
    pub fn swap(&self, path: &Path, seen: Option<&[u8]>, bytes: &[u8]) -> Result<(), CallFailure> {
        if self.read(path)?.as_deref() != seen {
            let message = format!("`{}` has changed", path.display());
            return Err(CallFailure::new(
                CONTENDED,
                ErrorCode::Stale,
                message,
                "read it again, then decide again",
            ));
        }
        self.replace(path, bytes)
    }

    /// Creates a folder that must be new; `false` if it exists already.
    ///
    /// # Errors
    /// `untrusted_state`, `state_unwritable` or `sandboxed`.
    pub fn claim(&self, folder: &Path) -> Result<bool, CallFailure> {
        let folder = self.store.relative(folder);
        self.root.claim_folder(folder).map_err(|error| self.store.refusal(error))
    }

    /// Removes a folder with its content.
    ///
    /// # Errors
    /// `untrusted_state`, `state_unwritable` or `sandboxed`.
    pub fn remove_folder(&self, folder: &Path) -> Result<(), CallFailure> {
        let folder = self.store.relative(folder);
        self.root.remove_folder(folder).map_err(|error| self.store.refusal(error))
    }

    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, CallFailure> {
        let read = self.root.read(self.store.relative(path), SizeLimit::Document);
        read.map_err(|error| self.store.refusal(error))
    }

    /// The path of a file that is local to this machine, relative to the store's folder.
    fn own_file(name: &str) -> PathBuf {
        Path::new(LOCAL).join(name)
    }
}
