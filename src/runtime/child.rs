//! Programs that the helper starts, `git` and `gh`: an argument array, the user's environment, pipes, limits on time
//! and output, and killing the whole process group. Refusals of a sandbox are told apart from other failures.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::answer::{CallFailure, TIMEOUT};
use super::environment::Environment;
use super::error_code::ErrorCode;
use super::hosts::{self, SandboxAccess};
use crate::disk;
use crate::git_command::{self, NoAnswer};
use crate::process::{ChildCommand, ChildOutput};

/// The largest output of a child, in bytes.
pub const MOST: usize = 256 * 1024 * 1024;

/// A program by its name, started in `folder` with the user's environment, without variables that name programs.
pub fn command(environment: &Environment, name: &str, folder: &Path, limit: Duration) -> ChildCommand {
    let own = environment.variables().map(|(key, value)| (key.clone(), value.clone()));
    let program = environment.program(name).map(OsString::from).unwrap_or_default();
    git_command::command(program, folder, own).limit(limit)
}

/// Runs a child to its end, whatever its exit code.
///
/// # Errors
/// `git_missing` or `gh_missing`, `timeout`, `file_unreadable` or `too_much_output`.
pub fn run(
    environment: &Environment,
    name: &str,
    command: &ChildCommand,
) -> Result<ChildOutput, CallFailure> {
    outcome_of(environment, (name, command.folder()), command.run_piped(MOST))
}

/// The failure for a file on which git would block.
pub fn special_file(path: &Path) -> CallFailure {
    let message = format!("`{}` {}", path.display(), disk::SPECIAL.0);
    let failure = CallFailure::environment(ErrorCode::FileUnreadable, message, disk::SPECIAL.1);
    failure.in_file(path.display().to_string(), None, None)
}

/// The outcome of a child that ran in a folder.
///
/// # Errors
/// As [`run`].
pub fn outcome_of(
    environment: &Environment,
    (name, folder): (&str, &Path),
    result: io::Result<ChildOutput>,
) -> Result<ChildOutput, CallFailure> {
    match result {
        Ok(ended) => match NoAnswer::find(&ended, folder) {
            None => Ok(ended),
            Some(NoAnswer::SpecialFile(path)) => Err(special_file(&path)),
            Some(NoAnswer::TimedOut) => {
                let message = format!("`{name}` did not end in time");
                let hint = "run it again; if it hangs again, run that program by hand to see why";
                Err(CallFailure::new(TIMEOUT, ErrorCode::Timeout, message, hint))
            }
        },
        Err(_) if crate::process::interrupt::pending() => Err(CallFailure::interrupted()),
        Err(error) if error.kind() == io::ErrorKind::NotFound && environment.program(name).is_none() => {
            Err(CallFailure::environment(
                // `doctor` runs others, but only those that it has found.
                if name == "gh" { ErrorCode::GhMissing } else { ErrorCode::GitMissing },
                format!("`{name}` was not found on the search path"),
                format!("install `{name}`, then run it again"),
            ))
        }
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Err(CallFailure::environment(
            ErrorCode::TooMuchOutput,
            format!("`{name}` wrote more than {} MiB", MOST / 1024 / 1024),
            "ask for less, such as one folder",
        )),
        Err(error) => {
            let message = format!("`{name}` cannot be run: {error}");
            Err(sandbox_refusal(environment, SandboxAccess::Write, &error.to_string())
                .unwrap_or_else(|| CallFailure::environment(ErrorCode::ChildFailed, message, "run it again")))
        }
    }
}

/// The failure of a child: `sandboxed` if a sandbox caused it, otherwise `code` with the child's own message.
pub fn failed(
    environment: &Environment,
    code: ErrorCode,
    what: &str,
    ended: &ChildOutput,
    access: SandboxAccess,
    hint: &str,
) -> CallFailure {
    let words = words(ended);
    sandbox_refusal(environment, access, &words).unwrap_or_else(|| {
        let hint = disk::remedy_in(&words).map_or(hint, |remedy| remedy.alone);
        CallFailure::environment(code, format!("{what}: {words}"), hint)
    })
}

/// How many of the lines that a message lists are named.
const MOST_LISTED: usize = 3;

/// The message of a failed child, on one line.
pub fn words(ended: &ChildOutput) -> String {
    let text = ended.stderr_text();
    let telling = |line: &&str| !line.trim().is_empty() && !line.starts_with("hint:");
    let is_reason = |line: &&str| line.starts_with("fatal:") || line.starts_with("error:");
    let mut below = text.lines().skip_while(|line| !is_reason(line));
    match below.next().or_else(|| text.lines().rfind(telling)) {
        // The files that it is about are listed below it, or the reason comes last.
        Some(line) if line.trim_end().ends_with(':') => {
            let is_listed = |line: &&str| line.starts_with(char::is_whitespace);
            let listed: Vec<&str> =
                below.clone().take_while(is_listed).take(MOST_LISTED).map(str::trim).collect();
            let rest = if listed.is_empty() { below.filter(telling).last() } else { None };
            format!("{} {}", line.trim(), rest.map_or_else(|| listed.join(", "), str::to_owned))
        }
        Some(line) => line.trim().to_owned(),
        None => ended.status_text(),
    }
}

/// The failure for what a sandbox refused, detected by the words of the error.
pub fn sandbox_refusal(environment: &Environment, access: SandboxAccess, words: &str) -> Option<CallFailure> {
    let host = hosts::sandbox(environment);
    let any = |signs: &[&str]| signs.iter().any(|sign| words.contains(sign));
    // A read-only file system counts even if no variable indicates a sandbox.
    // Git does not say why it cannot create a folder below `.git`.
    let git_folder =
        hosts::sandboxing_host(environment).is_some() && any(&["unable to create directory for .git"]);
    let unwritable = git_folder
        || any(&["Read-only file system"])
        || (host.is_some() && any(&["Operation not permitted", "Permission denied"]));
    let unreachable = host.is_some()
        && any(&[
            "Operation not permitted",
            "Could not resolve",
            "could not resolve",
            "unable to access",
            "Could not read from remote",
            "error connecting",
            "dial tcp",
            "dial unix",
            "Temporary failure in name resolution",
        ]);
    let what = match access {
        SandboxAccess::Write if unwritable => "writing here",
        SandboxAccess::GitWrite | SandboxAccess::Fetch if unwritable => "writing below `.git`",
        SandboxAccess::Network | SandboxAccess::Fetch if unreachable => "the network",
        _ => return None,
    };
    let host = hosts::sandboxing_host(environment);
    let who = if host.is_some() { "the sandbox" } else { "a sandbox or a read-only file system" };
    let elsewhere =
        if access == SandboxAccess::Write { ", or name a folder of another one with `--root`" } else { "" };
    let hint = host.map_or_else(
        || format!("run it outside of the sandbox, make the file system writable{elsewhere}"),
        |host| host.setting_for(access).to_owned(),
    );
    let line = words.trim().lines().next().unwrap_or_default();
    Some(CallFailure::environment(ErrorCode::Sandboxed, format!("{who} refuses {what}: {line}"), hint))
}
