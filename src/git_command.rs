//! The only way to start `git` and `gh`, for both programs. A repository is not trusted: programs named by its
//! configuration, attributes or files are not run, no questions are asked, and its index is not changed.

mod overrides;
mod settings;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use overrides::{GitOverrides, UnreadableKey};
use settings::environment;
pub use settings::{UPLOAD_PACK, variables, words};

use crate::disk;
use crate::process::{ChildCommand, ChildOutput};

/// How long a child may run before a check whether it blocks on a pipe or a device.
const WATCH: Duration = Duration::from_secs(2);

/// The memory limit of a child in bytes: nested trees can expand to any number of files.
const MEMORY: u64 = 2 * 1024 * 1024 * 1024;

/// The exit code of git for an unknown option.
const UNKNOWN_OPTION: i32 = 129;

/// Whether git reported that it ran out of memory.
pub fn lacked_memory(stderr: &str) -> bool {
    let stderr = stderr.to_ascii_lowercase();
    stderr.contains("out of memory") || stderr.contains("cannot allocate memory")
}

/// The records between NUL bytes, as git prints them with `-z`.
pub fn records(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == 0).filter(|record| !record.is_empty())
}

/// The first line that git prints, without its end.
pub fn line(bytes: &[u8]) -> &[u8] {
    bytes.strip_suffix(b"\n").unwrap_or(bytes)
}

/// A path as git prints it.
#[cfg(unix)]
pub fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// A path as git prints it.
#[cfg(not(unix))]
pub fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// `git` or `gh` in `folder`, with the variables of `own` that cannot start a program.
pub fn command(
    program: impl Into<PathBuf>,
    folder: &Path,
    own: impl IntoIterator<Item = (OsString, OsString)>,
) -> ChildCommand {
    let command = ChildCommand::new(program, folder).environment(environment(own)).memory(MEMORY);
    command.watched(WATCH, |folder| disk::special_file_for(folder).is_some())
}

/// Why a child was killed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    /// It blocks on this file, which is not a regular one.
    SpecialFile(PathBuf),
    /// It reached its time limit.
    TimedOut,
}

impl NoAnswer {
    /// Why a child that ran in `folder` was killed; `None` if it exited on its own.
    pub fn find(ended: &ChildOutput, folder: &Path) -> Option<Self> {
        if !ended.timed_out && !lacked_memory(&ended.stderr_text()) {
            return None;
        }
        match disk::special_file_for(folder) {
            Some(path) => Some(Self::SpecialFile(path)),
            None => ended.timed_out.then_some(Self::TimedOut),
        }
    }
}

/// Git in one folder, with overrides for the programs that the repository's configuration names, which are queried
/// once.
#[derive(Debug, Clone)]
pub struct GitCommand {
    command: ChildCommand,
    overrides: Arc<Mutex<Option<Arc<GitOverrides>>>>,
}

/// Why the configuration of git could not be queried.
#[derive(Debug)]
pub enum ConfigFailure<E> {
    /// The call failed.
    Call(E),
    /// A key cannot be read.
    Key(UnreadableKey),
    /// Git was killed.
    Ended(ChildOutput),
}

impl GitCommand {
    /// Creates calls of git from `command`, which has no arguments yet.
    pub fn new(command: ChildCommand) -> Self {
        Self { command, overrides: Arc::default() }
    }

    /// The same command in another folder of the repository.
    #[must_use]
    pub fn in_folder(self, folder: &Path) -> Self {
        Self { command: self.command.in_folder(folder), ..self }
    }

    /// A call that reads no object or file of the repository, so that no program named in its configuration can run.
    pub fn plain_call<A: Into<OsString>>(&self, arguments: impl IntoIterator<Item = A>) -> ChildCommand {
        self.overridden(&GitOverrides::default(), arguments)
    }

    /// A call with the overrides, for which `run` first queries the configuration.
    ///
    /// # Errors
    /// When the configuration cannot be queried.
    pub fn command<A: Into<OsString>, E>(
        &self,
        arguments: impl IntoIterator<Item = A>,
        run: impl Fn(&ChildCommand) -> Result<ChildOutput, E>,
    ) -> Result<ChildCommand, ConfigFailure<E>> {
        Ok(self.overridden(&*self.overrides(run)?, arguments))
    }

    fn overridden<A: Into<OsString>>(
        &self,
        overrides: &GitOverrides,
        arguments: impl IntoIterator<Item = A>,
    ) -> ChildCommand {
        overrides.apply(self.command.clone()).arguments(arguments)
    }

    /// The overrides for the programs that the configuration names.
    ///
    /// # Errors
    /// As [`GitCommand::command`].
    pub fn overrides<E>(
        &self,
        run: impl Fn(&ChildCommand) -> Result<ChildOutput, E>,
    ) -> Result<Arc<GitOverrides>, ConfigFailure<E>> {
        let known = self.cached_overrides().clone();
        if let Some(known) = known {
            return Ok(known);
        }
        let ask =
            |question: &[&str]| run(&self.plain_call(question.iter().copied())).map_err(ConfigFailure::Call);
        let answer = ask(&settings::QUESTION)?;
        let parsed = match answer.code {
            Some(UNKNOWN_OPTION) => GitOverrides::parse(&ask(&settings::OLD_QUESTION)?.stdout, false),
            // Nothing was found, there is no repository, or its configuration is unreadable: then the next call fails,
            // too.
            Some(_) => GitOverrides::parse(&answer.stdout, true),
            None => return Err(ConfigFailure::Ended(answer)),
        };
        let found = parsed.map_err(ConfigFailure::Key)?;
        Ok(Arc::clone(self.cached_overrides().insert(Arc::new(found))))
    }

    /// Forces another query: a checkout may change configuration that depends on the branch or is in the working tree.
    pub fn forget_overrides(&self) {
        *self.cached_overrides() = None;
    }

    fn cached_overrides(&self) -> MutexGuard<'_, Option<Arc<GitOverrides>>> {
        self.overrides.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
