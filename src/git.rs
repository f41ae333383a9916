//! Read-only access to the user's git: no command here writes to a repository, its index or its work tree, and none
//! fetches. The caller decides which environment variables are passed.

mod snapshot;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};

use crate::disk;
use crate::git_command::{self, ConfigFailure, GitCommand, NoAnswer, UnreadableKey};
use crate::process::{ChildCommand, ChildOutput};

pub use snapshot::CommitSnapshot;

/// The maximum size of git's output: a small repository can expand to any number of files and bytes.
const MOST: usize = 64 * 1024 * 1024;

/// The environment variables that git needs; no others are passed.
pub const PASSED_VARIABLES: [&str; 6] =
    ["PATH", "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "SYSTEMROOT"];

/// The arguments of a diff that no configuration or external program can affect.
pub const DIFF: [&str; 6] =
    ["diff", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules"];

/// Parses a NUL-terminated list of paths, as git prints it with `-z`.
pub fn paths(listed: &[u8]) -> impl Iterator<Item = Utf8PathBuf> {
    git_command::records(listed).filter_map(|path| std::str::from_utf8(path).ok().map(Utf8PathBuf::from))
}

/// Git, run in one folder.
#[derive(Debug, Clone)]
pub struct Git {
    folder: PathBuf,
    command: GitCommand,
}

/// Why a git command failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct GitError {
    /// A message, lower case.
    pub message: String,
    /// How to fix it.
    pub help: String,
}

impl GitError {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }
}

impl From<ConfigFailure<GitError>> for GitError {
    fn from(failure: ConfigFailure<GitError>) -> Self {
        match failure {
            ConfigFailure::Call(error) => error,
            ConfigFailure::Key(key) => Self::new(key.to_string(), UnreadableKey::HELP),
            ConfigFailure::Ended(ended) => {
                Self::new(format!("`git config` ended by {}", ended.status_text()), "try again")
            }
        }
    }
}

impl Git {
    /// Git in `folder`; only [`PASSED_VARIABLES`] is passed from `environment`.
    pub fn new(folder: &Path, environment: impl Fn(&str) -> Option<String>) -> Self {
        let passed = PASSED_VARIABLES
            .iter()
            .filter_map(|name| Some((OsString::from(name), environment(name)?.into())));
        let command = GitCommand::new(git_command::command("git", folder, passed));
        Self { folder: folder.to_owned(), command }
    }

    /// Runs git until it exits; a nonzero exit code is not an error.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn run(&self, arguments: &[&str]) -> Result<ChildOutput, GitError> {
        self.run_bounded(&self.command(arguments)?, MOST)
    }

    /// Runs a call of git with at most `most` bytes of output.
    fn run_bounded(&self, command: &ChildCommand, most: usize) -> Result<ChildOutput, GitError> {
        let ended = command.run_piped(most).map_err(not_run)?;
        match NoAnswer::find(&ended, &self.folder) {
            None => Ok(ended),
            Some(NoAnswer::SpecialFile(path)) => {
                Err(GitError::new(format!("`{}` {}", path.display(), disk::SPECIAL.0), disk::SPECIAL.1))
            }
            Some(NoAnswer::TimedOut) => {
                Err(GitError::new("`git` did not end in time", "run git by hand in this folder to see why"))
            }
        }
    }

    /// Runs git and returns its output.
    ///
    /// # Errors
    /// When it cannot be started, or fails.
    pub fn answer(&self, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
        output_of(&self.run(arguments)?)
    }

    /// Checks that the folder is in a work tree that contains the repository itself.
    ///
    /// # Errors
    /// When it does not.
    pub fn in_work_tree(&self, help: &str) -> Result<(), GitError> {
        let inside = self.run(&["rev-parse", "--is-inside-work-tree"])?;
        if !inside.succeeded() {
            let message =
                format!("`{}` is not in a git work tree: {}", self.folder.display(), first_line(&inside));
            return Err(GitError::new(message, help));
        }
        let repository = self.answer(&["rev-parse", "--absolute-git-dir"])?;
        let repository = git_command::path(git_command::line(&repository));
        let top = self.top()?;
        if disk::is_work_tree_of(&top, &repository) {
            return Ok(());
        }
        let message =
            format!("git takes `{}` for the work tree of `{}`", top.display(), repository.display());
        Err(GitError::new(message, "remove `core.worktree` from the repository's configuration"))
    }

    /// The id of the commit of `reference`.
    ///
    /// # Errors
    /// When there is none; the help mentions it if the clone is shallow.
    pub fn commit(&self, reference: &str) -> Result<String, GitError> {
        let wanted = format!("{reference}^{{commit}}");
        let commit = self.run(&["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted])?;
        if commit.succeeded() {
            return Ok(commit.stdout_text().trim().to_owned());
        }
        if reference == "HEAD" {
            let help = "commit something first, for example with `git add . && git commit`";
            return Err(GitError::new("the repository has no commits yet".to_owned(), help.to_owned()));
        }
        Err(GitError::new(format!("unknown commit `{reference}`"), self.missing_reference(reference)?))
    }

    /// The merge base of this branch and `reference`, whose commit is `commit`.
    ///
    /// # Errors
    /// When they have no common commit in this clone.
    pub fn base(&self, reference: &str, commit: &str) -> Result<String, GitError> {
        let base = self.run(&["merge-base", "--end-of-options", commit, "HEAD"])?;
        if base.succeeded() {
            return Ok(base.stdout_text().trim().to_owned());
        }
        let message = format!("this branch and `{reference}` have no commit in common in this clone");
        Err(GitError::new(message, self.missing_reference(reference)?))
    }

    /// The folder relative to the top of its repository; empty for the top itself.
    ///
    /// # Errors
    /// When git fails.
    pub fn place(&self) -> Result<Utf8PathBuf, GitError> {
        let place = self.answer(&["rev-parse", "--show-prefix"])?;
        let place = String::from_utf8_lossy(&place);
        Ok(Utf8PathBuf::from(place.trim_end_matches(['\n', '\r']).trim_end_matches('/')))
    }

    /// The top of the work tree.
    ///
    /// # Errors
    /// When there is none.
    pub fn top(&self) -> Result<PathBuf, GitError> {
        let top = self.answer(&["rev-parse", "--show-toplevel"])?;
        Ok(git_command::path(git_command::line(&top)))
    }

    /// The text of the file at `path`, relative to the top, in `commit`; `None` if it does not exist.
    ///
    /// # Errors
    /// When git cannot be started.
    pub fn text(&self, commit: &str, path: &Utf8Path) -> Result<Option<String>, GitError> {
        let ended = self.run(&["cat-file", "blob", &format!("{commit}:{path}")])?;
        Ok(ended.succeeded().then(|| ended.stdout_text()))
    }

    /// Whether `commit` has a folder at `path`, relative to the top.
    ///
    /// # Errors
    /// When git cannot be started.
    pub fn has_folder(&self, commit: &str, path: &Utf8Path) -> Result<bool, GitError> {
        let kind = self.run(&["cat-file", "-t", &format!("{commit}:{path}")])?;
        Ok(kind.succeeded() && kind.stdout_text().trim() == "tree")
    }

    /// Every path, relative to the top, that differs between `commit` and the work tree: staged, unstaged, or
    /// untracked; ignored paths are excluded.
    ///
    /// # Errors
    /// When git fails.
    pub fn changed_since(&self, commit: &str) -> Result<Vec<Utf8PathBuf>, GitError> {
        // Nested trees can expand to any number of files, and comparing them keeps each in memory.
        snapshot::listing(self, &["-r", commit], commit)?;
        let mut all: Vec<Utf8PathBuf> =
            paths(&self.answer(&[&DIFF[..], &["-z", "--end-of-options", commit]].concat())?).collect();
        let new = ["ls-files", "-z", "--others", "--exclude-standard", "--full-name", "--", ":/"];
        all.extend(paths(&self.answer(&new)?));
        Ok(all)
    }

    /// Whether the clone is shallow.
    ///
    /// # Errors
    /// When git cannot be started.
    pub fn is_shallow(&self) -> Result<bool, GitError> {
        Ok(self.run(&["rev-parse", "--is-shallow-repository"])?.stdout_text().trim() == "true")
    }

    fn command(&self, arguments: &[&str]) -> Result<ChildCommand, GitError> {
        Ok(self.command.command(arguments.iter().copied(), |question| self.run_bounded(question, MOST))?)
    }

    fn missing_reference(&self, reference: &str) -> Result<String, GitError> {
        Ok(if self.is_shallow()? {
            "this clone is shallow: `git fetch --unshallow`, or check it out with more of its history"
                .to_owned()
        } else {
            let name = reference.strip_prefix("origin/").unwrap_or(reference);
            format!("check the name, or fetch it, for example with `git fetch origin {name}`")
        })
    }
}

fn not_run(error: std::io::Error) -> GitError {
    if error.kind() == std::io::ErrorKind::FileTooLarge {
        let message = format!("git's output is larger than {} MiB", MOST / 1024 / 1024);
        return GitError::new(message, "ask for less, such as one folder or a smaller change");
    }
    GitError::new(
        format!("`git` cannot be started: {error}"),
        "install git, or omit the options that need it",
    )
}

fn output_of(ended: &ChildOutput) -> Result<Vec<u8>, GitError> {
    if ended.succeeded() {
        return Ok(ended.stdout.clone());
    }
    if git_command::lacked_memory(&ended.stderr_text()) {
        let message = "`git` needs more than 2 GiB of memory for this command".to_owned();
        return Err(GitError::new(
            message,
            "inspect the commits: one may expand to more files than a disk can hold",
        ));
    }
    let message = format!("`git` failed with {}: {}", ended.status_text(), first_line(ended));
    Err(GitError::new(message, "run git by hand in this folder to see more"))
}

/// The first line of git's output.
fn first_line(ended: &ChildOutput) -> String {
    let text = ended.stderr_text();
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("no output");
    line.trim_start_matches("fatal: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_end_at_nul() {
        let listed: Vec<_> = paths(b"a b.md\0c\nd.md\0\xff\0").collect();
        assert_eq!(listed, ["a b.md", "c\nd.md"]);
    }
}
