//! The one way to start `git` and `gh`, for both programs. A repository is not trusted: nothing that its configuration,
//! its attributes or its files name is run, nothing is asked, and its index stays as it is.

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

/// How long a child may run before somebody looks whether it waits for a pipe or a device.
const WATCH: Duration = Duration::from_secs(2);

/// How much memory a child may take, in bytes: a few trees that name each other stand for any number of files.
const MEMORY: u64 = 2 * 1024 * 1024 * 1024;

/// The exit code of a git that does not know an option.
const UNKNOWN_OPTION: i32 = 129;

/// Whether git reported that it has not enough memory.
pub fn lacked_memory(stderr: &str) -> bool {
    let stderr = stderr.to_ascii_lowercase();
    stderr.contains("out of memory") || stderr.contains("cannot allocate memory")
}

/// `git` or `gh`, started in `folder` with what `own` has that starts no program.
pub fn command(
    program: impl Into<PathBuf>,
    folder: &Path,
    own: impl IntoIterator<Item = (OsString, OsString)>,
) -> ChildCommand {
    let command = ChildCommand::new(program, folder).environment(environment(own)).memory(MEMORY);
    command.watched(WATCH, |folder| disk::special_file_for(folder).is_some())
}

/// Why a child that was ended gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    /// It waits for this file, which is no regular one.
    SpecialFile(PathBuf),
    /// It ran into its limit.
    TimedOut,
}

impl NoAnswer {
    /// Why a child in `folder` gave no answer: a special file there, or the time limit; `None` otherwise.
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

/// Git in one folder, and what is said against the programs that the repository's configuration names: git is asked for
/// them once.
#[derive(Debug, Clone)]
pub struct GitCommand {
    command: ChildCommand,
    overrides: Arc<Mutex<Option<Arc<GitOverrides>>>>,
}

/// Why git did not say what its configuration names.
#[derive(Debug)]
pub enum ConfigFailure<E> {
    /// The call failed.
    Call(E),
    /// A key cannot be read.
    Key(UnreadableKey),
    /// Git was ended.
    Ended(ChildOutput),
}

impl GitCommand {
    /// Calls of git that begin with `command`, which has no arguments yet.
    pub fn new(command: ChildCommand) -> Self {
        Self { command, overrides: Arc::default() }
    }

    /// The same in another folder of the repository.
    #[must_use]
    pub fn in_folder(self, folder: &Path) -> Self {
        Self { command: self.command.in_folder(folder), ..self }
    }

    /// A call that reads no object and no file of the repository, so that nothing that its configuration names takes part.
    pub fn plain<A: Into<OsString>>(&self, arguments: impl IntoIterator<Item = A>) -> ChildCommand {
        self.overridden(&GitOverrides::default(), arguments)
    }

    /// A call, once `run` has brought git's answer about its configuration.
    ///
    /// # Errors
    /// When git does not say which programs the configuration names.
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

    /// What is said against the programs that the configuration names.
    ///
    /// # Errors
    /// As [`GitCommand::command`].
    pub fn overrides<E>(
        &self,
        run: impl Fn(&ChildCommand) -> Result<ChildOutput, E>,
    ) -> Result<Arc<GitOverrides>, ConfigFailure<E>> {
        let known = self.known().clone();
        if let Some(known) = known {
            return Ok(known);
        }
        let ask = |question: &[&str]| run(&self.plain(question.iter().copied())).map_err(ConfigFailure::Call);
        let answer = ask(&settings::QUESTION)?;
        let parsed = match answer.code {
            Some(UNKNOWN_OPTION) => GitOverrides::parse(&ask(&settings::OLD_QUESTION)?.stdout, false),
            // Nothing is found, or there is no repository, or its configuration cannot be read: the next call fails, too.
            Some(_) => GitOverrides::parse(&answer.stdout, true),
            None => return Err(ConfigFailure::Ended(answer)),
        };
        let found = parsed.map_err(ConfigFailure::Key)?;
        Ok(Arc::clone(self.known().insert(Arc::new(found))))
    }

    /// Asks again: a checkout changes the configuration where it holds for one branch, or lies in the working tree.
    pub fn forget_overrides(&self) {
        *self.known() = None;
    }

    fn known(&self) -> MutexGuard<'_, Option<Arc<GitOverrides>>> {
        self.overrides.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
