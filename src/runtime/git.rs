//! The user's `git` in one working tree: NUL-separated output, and no locks, pagers, prompts, colours or programs from
//! the user's configuration.

mod attributes;
mod checkout;
mod commit_creation;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::answer::CallFailure;
use super::child;
use super::environment::Environment;
use super::error_code::ErrorCode;
use super::hosts::SandboxAccess;
use crate::git_command::{self, ConfigFailure, GitCommand, GitOverrides, UnreadableKey, lacked_memory, line};
pub use crate::git_command::{path, records};
use crate::process::{ChildCommand, ChildOutput, OutputSink};
pub use attributes::ATTRIBUTES_VERSION;
pub use checkout::MergeOutcome;
pub use commit_creation::{CommitLogs, LogAction};

/// The time limit for calls of git without the network.
const LOCAL: Duration = Duration::from_secs(120);
/// The time limit for calls of git over the network.
const REMOTE: Duration = Duration::from_secs(100);

/// A working tree.
#[derive(Debug, Clone)]
pub struct Repository {
    /// Its top-level folder, absolute, with links resolved.
    pub top: PathBuf,
    /// A file to use in place of the working tree's index.
    index: Option<PathBuf>,
    /// The commit whose attributes count, in place of those of the working tree.
    attributes: Option<String>,
    environment: Environment,
    command: GitCommand,
}

/// Where git finds no repository, but has been told of one.
const UNUSED_VARIABLES: &str = "`GIT_DIR` and `GIT_WORK_TREE`, which are set, are not used here: write a file `.git` with `gitdir: PATH` at the top of the working tree";

/// Commands that read no objects or files, so that no filter or remote is involved.
const PLAIN_COMMANDS: [&str; 4] = ["config", "ls-files", "symbolic-ref", "version"];

impl Repository {
    /// The working tree that holds `folder`.
    ///
    /// # Errors
    /// `not_a_repository`, with git's own words; `file_unreadable` if git would block on a pipe or a device.
    pub fn find(environment: &Environment, folder: &Path) -> Result<Self, CallFailure> {
        let mut found = Self {
            top: folder.to_owned(),
            index: None,
            attributes: None,
            environment: environment.clone(),
            command: GitCommand::new(child::command(environment, "git", folder, LOCAL)),
        };
        if !crate::disk::is_folder(folder) {
            return Err(CallFailure::environment(
                ErrorCode::NoFolder,
                format!("`{}` is not a folder", folder.display()),
                "check the path",
            ));
        }
        let top = found.command.plain_call(["rev-parse", "--show-toplevel"]);
        let ended = child::run(environment, "git", &top)?;
        if !ended.succeeded() || ended.stdout.is_empty() {
            let stderr = ended.stderr_text();
            let (what, way) = if stderr.contains("not a git repository") {
                let is_named = ["GIT_DIR", "GIT_WORK_TREE"].map(|name| environment.variable(name).is_some());
                let way =
                    if is_named.contains(&true) { UNUSED_VARIABLES } else { "run it inside a repository" };
                ("is not in a git working tree", way)
            } else if stderr.contains("must be run in a work tree") {
                (
                    "is not in a git working tree",
                    "run it in a working tree; if this is one, set `core.bare` to `false`",
                )
            } else {
                (
                    "is in a repository that git does not open",
                    "repair what git names, such as the repository's configuration",
                )
            };
            let message = format!("`{}` {what}: {}", folder.display(), child::words(&ended));
            // git names the command for a repository of another user, with the path as a shell needs it.
            let trust = stderr.lines().map(str::trim).find(|line| line.starts_with("git config --global"));
            let hint = trust.map_or_else(
                || way.to_owned(),
                |trust| format!("if you trust its owner, run `{trust}`; or make it your own with `chown`"),
            );
            return Err(CallFailure::environment(ErrorCode::NotARepository, message, hint));
        }
        let top = path(line(&ended.stdout));
        // `core.worktree` can name any folder.
        let inside = crate::disk::canonical(folder).is_ok_and(|folder| folder.starts_with(&top));
        let repository = found.command.plain_call(["rev-parse", "--absolute-git-dir"]);
        let repository = path(line(&child::run(environment, "git", &repository)?.stdout));
        if !inside || !crate::disk::is_work_tree_of(&top, &repository) {
            let message =
                format!("git treats `{}` as the working tree of `{}`", top.display(), folder.display());
            let hint = "remove `core.worktree` from the repository's configuration";
            return Err(CallFailure::environment(ErrorCode::NotARepository, message, hint));
        }
        if let Some(special) = crate::disk::special_file_in(&top) {
            return Err(child::special_file(&special));
        }
        found.command = found.command.in_folder(&top);
        found.top = top;
        Ok(found)
    }

    /// The same with another file as its index.
    #[must_use]
    pub fn with_index(self, index: PathBuf) -> Self {
        Self { index: Some(index), ..self }
    }

    /// A call of git, not yet started.
    ///
    /// # Errors
    /// When git does not list the programs in the configuration.
    pub fn git<A: Into<OsString>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<ChildCommand, CallFailure> {
        let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
        let command =
            if arguments.first().is_some_and(|verb| PLAIN_COMMANDS.iter().any(|plain| verb == plain)) {
                self.command.plain_call(arguments)
            } else {
                let ask = |question: &ChildCommand| child::run(&self.environment, "git", question);
                self.command.command(arguments, ask).map_err(|failure| self.unknown_programs(failure))?
            };
        let index = self.index.iter().map(|index| ("GIT_INDEX_FILE", index.as_os_str()));
        let attributes = self.attributes.iter().map(|commit| ("GIT_ATTR_SOURCE", OsStr::new(commit)));
        Ok(command.environment(index.chain(attributes)))
    }

    /// The options that override programs named in the configuration.
    fn overrides(&self) -> Result<Arc<GitOverrides>, CallFailure> {
        let ask = |question: &ChildCommand| child::run(&self.environment, "git", question);
        self.command.overrides(ask).map_err(|failure| self.unknown_programs(failure))
    }

    /// The failure when git does not list the programs in the configuration.
    fn unknown_programs(&self, failure: ConfigFailure<CallFailure>) -> CallFailure {
        match failure {
            ConfigFailure::Call(failure) => failure,
            ConfigFailure::Key(key) => {
                CallFailure::environment(ErrorCode::NotUtf8, key.to_string(), UnreadableKey::HELP)
            }
            ConfigFailure::Ended(ended) => self.failed("config", &ended),
        }
    }

    /// The filters in the configuration, which are disabled here.
    ///
    /// # Errors
    /// As [`Repository::git`].
    pub fn filters(&self) -> Result<Vec<String>, CallFailure> {
        Ok(self.overrides()?.filters().map(str::to_owned).collect())
    }

    /// Runs git to its end, whatever its exit code.
    ///
    /// # Errors
    /// When git is missing or does not end.
    pub fn ask(&self, arguments: &[&str]) -> Result<ChildOutput, CallFailure> {
        child::run(&self.environment, "git", &self.git(arguments.iter().copied())?)
    }

    /// The one line that git prints; `None` if it fails or prints nothing.
    ///
    /// # Errors
    /// As [`Repository::ask`].
    pub fn line(&self, arguments: &[&str]) -> Result<Option<String>, CallFailure> {
        let ended = self.ask(arguments)?;
        let text = String::from_utf8_lossy(line(&ended.stdout)).into_owned();
        Ok((ended.succeeded() && !text.is_empty()).then_some(text))
    }

    /// The output of git, which must succeed.
    ///
    /// # Errors
    /// `git_failed` with git's own words.
    pub fn must(&self, arguments: &[&str]) -> Result<Vec<u8>, CallFailure> {
        let ended = self.ask(arguments)?;
        if ended.succeeded() { Ok(ended.stdout) } else { Err(self.failed(arguments[0], &ended)) }
    }

    /// The failure of a call that must succeed.
    pub fn failed(&self, verb: &str, ended: &ChildOutput) -> CallFailure {
        let what = format!("`git {verb}` failed");
        let output = ended.stderr_text();
        let hint = if output.contains("lazy fetching disabled") {
            "objects are missing in this partial clone: fetch them with `git fetch --refetch --no-filter`"
        } else if lacked_memory(&output) {
            "git may use 2 GiB of memory here; one of the commits may list more files than any disk can hold"
        } else {
            "run the same command by hand to see more"
        };
        child::failed(&self.environment, ErrorCode::GitFailed, &what, ended, SandboxAccess::GitWrite, hint)
    }

    /// Passes git's output to `sink` as it arrives, until `sink` has enough.
    ///
    /// # Errors
    /// As [`Repository::must`], or what `sink` fails with.
    pub fn stream(
        &self,
        command: &ChildCommand,
        verb: &str,
        sink: &mut OutputSink<'_>,
    ) -> Result<(), CallFailure> {
        let mut enough = false;
        let result = command.run_into(&mut |piece| {
            let took = sink(piece)?;
            enough = took.is_break();
            Ok(took)
        });
        let ended = child::outcome_of(&self.environment, ("git", command.folder()), result)?;
        if enough || ended.succeeded() { Ok(()) } else { Err(self.failed(verb, &ended)) }
    }

    /// The commit that `reference` names; `None` when there is none.
    ///
    /// # Errors
    /// As [`Repository::ask`].
    pub fn commit(&self, reference: &str) -> Result<Option<String>, CallFailure> {
        if reference.contains('\0') {
            return Ok(None);
        }
        let named = |name: &str| {
            let wanted = format!("{name}^{{commit}}");
            self.line(&["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted])
        };
        // A branch takes precedence over a tag of the same name.
        let is_hash = reference.len() >= 40 && reference.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_plain = reference.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte));
        if is_plain && !is_hash && reference != "HEAD" && !reference.starts_with("refs/") {
            for kind in ["refs/heads/", "refs/remotes/"] {
                if let Some(commit) = named(&format!("{kind}{reference}"))? {
                    return Ok(Some(commit));
                }
            }
        }
        named(reference)
    }

    /// The commit that `reference` names.
    ///
    /// # Errors
    /// `bad_ref` when there is none.
    pub fn must_commit(&self, reference: &str) -> Result<String, CallFailure> {
        self.commit(reference)?.ok_or_else(|| {
            CallFailure::environment(
                ErrorCode::BadRef,
                format!("`{reference}` is not a commit in this repository"),
                "fetch it, or name another ref",
            )
        })
    }

    /// The current branch; `None` for a detached HEAD.
    ///
    /// # Errors
    /// As [`Repository::ask`].
    pub fn branch(&self) -> Result<Option<String>, CallFailure> {
        // With `--short`, git would print `heads/NAME` if a tag has the same name.
        let head = self.line(&["symbolic-ref", "--quiet", "HEAD"])?;
        Ok(head.map(|head| head.strip_prefix("refs/heads/").map_or(head.clone(), str::to_owned)))
    }

    /// The best common ancestor of two commits; `None` when they have none.
    ///
    /// # Errors
    /// As [`Repository::ask`].
    pub fn merge_base(&self, one: &str, other: &str) -> Result<Option<String>, CallFailure> {
        self.line(&["merge-base", "--end-of-options", one, other])
    }

    /// Fetches `refs` from a remote.
    ///
    /// # Errors
    /// `sandboxed` or `fetch_failed`.
    pub fn fetch(&self, options: &[&str], remote: &str, refs: &[&str]) -> Result<(), CallFailure> {
        let program = format!("--upload-pack={}", git_command::UPLOAD_PACK);
        let fixed =
            ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", &program];
        let words = [&fixed[..], options, &["--end-of-options", remote], refs].concat();
        let ended = child::run(&self.environment, "git", &self.git(words)?.limit(REMOTE))?;
        if ended.succeeded() {
            return Ok(());
        }
        let words = ended.stderr_text();
        let refused = child::sandbox_refusal(&self.environment, SandboxAccess::Fetch, &words);
        Err(refused.unwrap_or_else(|| {
            let message = format!("the fetch failed: {}", child::words(&ended));
            let remedy = crate::disk::remedy_in(&words);
            let hint = remedy.map_or("check the network and the remote", |remedy| remedy.alone);
            CallFailure::environment(ErrorCode::FetchFailed, message, hint)
        }))
    }

    /// The remotes with their addresses, in the order of the configuration.
    ///
    /// # Errors
    /// As [`Repository::ask`].
    pub fn remotes(&self) -> Result<Vec<(String, String)>, CallFailure> {
        let keys = r"^(remote\..*\.url|url\..*\.insteadof)$";
        let ended = self.ask(&["config", "-z", "--get-regexp", keys])?;
        let text = String::from_utf8_lossy(&ended.stdout);
        let settings = || text.split('\0').filter_map(|record| record.split_once('\n'));
        let bases = settings().filter_map(|(key, alias)| {
            let base = key.strip_prefix("url.")?.strip_suffix(".insteadof")?;
            // With the name of a host, it redirects to another copy of the same repository.
            (!alias.contains('.')).then_some((alias, base))
        });
        let longest = |url: &str| {
            bases.clone().filter(|(alias, _)| url.starts_with(alias)).max_by_key(|(alias, _)| alias.len())
        };
        let remotes = settings().filter_map(|(key, url)| {
            let name = key.strip_prefix("remote.")?.strip_suffix(".url")?;
            let whole = longest(url).map(|(alias, base)| format!("{base}{}", &url[alias.len()..]));
            Some((name.to_owned(), whole.unwrap_or_else(|| url.to_owned())))
        });
        let mut found: Vec<(String, String)> = Vec::new();
        for (name, url) in remotes {
            // Any further address is for pushing alone.
            if !found.iter().any(|(known, _)| *known == name) {
                found.push((name, url));
            }
        }
        Ok(found)
    }

    /// The working trees of this repository: path, and whether it is bare.
    ///
    /// # Errors
    /// As [`Repository::must`].
    pub fn worktrees(&self) -> Result<Vec<(PathBuf, bool)>, CallFailure> {
        let listed = self.must(&["worktree", "list", "--porcelain", "-z"])?;
        let mut trees: Vec<(PathBuf, bool)> = Vec::new();
        for record in listed.split(|byte| *byte == 0) {
            if let Some(at) = record.strip_prefix(b"worktree ") {
                trees.push((path(at), false));
            } else if record == b"bare"
                && let Some(last) = trees.last_mut()
            {
                last.1 = true;
            }
        }
        Ok(trees)
    }

    /// The folder of git that all working trees of this repository share.
    ///
    /// # Errors
    /// As [`Repository::must`].
    pub fn common_folder(&self) -> Result<PathBuf, CallFailure> {
        let folder = self.top.join(path(line(&self.must(&["rev-parse", "--git-common-dir"])?)));
        Ok(crate::disk::canonical(&folder).unwrap_or(folder))
    }

    /// The version of git, if it can be determined.
    pub fn version(&self) -> Option<(u32, u32)> {
        let output = self.line(&["version"]).ok()??;
        let mut numbers = output.strip_prefix("git version ")?.split('.').map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    }

    /// The environment of the helper.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }
}

/// An abbreviated commit; another name of one as it is.
pub fn short_commit(name: &str) -> &str {
    let is_hash = name.len() >= 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { name.get(..10).unwrap_or(name) } else { name }
}
