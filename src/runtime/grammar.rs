//! The command line: groups and their commands, and the options that all of them share.

use std::ffi::OsString;
use std::path::PathBuf;

use semver::Version;

use super::answer::{CallFailure, Delivery, ResponseFormat};
use super::command_line::{self, Options, ParameterMatches, options};
use super::environment::Environment;
use super::published::{self, PublishedCommand};
use super::{polish, review};

/// What the groups of commands are for.
pub static GROUPS: [(&str, &str); 10] = [
    ("dispatch", "Plan the repairs that the user chose"),
    ("feedback", "The mechanical steps of answering the comments on a pull request"),
    ("launch", "How the project starts its development server"),
    ("polish", "The mechanical steps between a passed review and the merge"),
    ("polish checklist", "The checklist in which the user decides about each item"),
    ("polish seed", "Write down work that is too large for a polish"),
    ("repo", "What a skill needs to know about the repository"),
    ("repo size", "Check whether work is small enough to continue"),
    ("review", "The mechanical steps of a code review"),
    ("server", "The development server that the user tries out"),
];

options! {
    /// The helper that skills call for every mechanical step
    ///
    /// Prints one JSON object, which always has `schema` and `status`; `plugcast-run schema` lists the
    /// commands. Every exit code other than 0 comes with `error.code`, `error.message` and `error.hint`.
    ///
    /// Exit codes: 0 answered, even with `none`; 2 wrong call; 3 a rule forbids it; 4 a malformed
    /// document; 5 this machine, git, GitHub or the network failed; 6 another process holds it, or it
    /// has changed; 7 it took too long; 130 interrupted.
    pub struct GlobalArguments {
        /// Continue only if this helper is VERSION or newer; otherwise exit with code 5
        require: Option<Version> = "--require <VERSION>",
        /// How the answer is printed: `json`, `text` for people, or `sentinel`, single words for scripts
        format: ResponseFormat = "--format <FORMAT>" { default: Some("json"), hides_choices: true },
        /// The folder of runs and records; by default `PLUGCAST_STATE`, else `.plugcast` in the main working tree
        root: Option<PathBuf> = "--root <DIR>",
        /// Print name and version
        version: bool = "-V, --version",
    }
    examples: ["plugcast-run --require 0.1.0 repo base", "plugcast-run doctor --format text"]
}

/// What a command line asks for.
#[derive(Debug)]
pub enum HelperRequest {
    /// The help text.
    Help(String),
    /// Name and version.
    Version,
    /// To run a command.
    Run(HelperInvocation),
}

/// A command with its options.
#[derive(Debug)]
pub struct HelperInvocation {
    /// The command.
    pub command: &'static PublishedCommand,
    /// How the answer is printed.
    pub format: ResponseFormat,
    /// The folder of runs and records that was named.
    pub root: Option<PathBuf>,
    matches: ParameterMatches,
}

impl HelperInvocation {
    /// Runs the command.
    ///
    /// # Errors
    /// As the command says.
    pub fn run(mut self, environment: &Environment) -> Result<Delivery, CallFailure> {
        let run = self.matches.value("--run").map(PathBuf::from);
        let command = self.command;
        (command.run)(&mut self.matches, environment).map_err(|failure| {
            match command.command.split(' ').next() {
                Some("review") => review::reported(failure, environment, run.as_deref()),
                Some("polish" | "dispatch" | "server") => {
                    polish::reported(failure, environment, run.as_deref())
                }
                _ => failure,
            }
        })
    }
}

/// Parses a command line, the program's name first.
///
/// # Errors
/// A usage error, with a suggestion if a known word is similar.
pub fn parse(words: &[OsString]) -> Result<HelperRequest, CallFailure> {
    let parsed = command_line::parse(words.get(1..).unwrap_or_default(), GlobalArguments::PARAMETERS)?;
    if let Some(path) = parsed.help {
        return Ok(HelperRequest::Help(command_line::help(&path)));
    }
    let mut global = parsed.global;
    let GlobalArguments { format, root, version, .. } = GlobalArguments::read(&mut global)?;
    match parsed.command {
        _ if version => Ok(HelperRequest::Version),
        Some((command, matches)) => {
            Ok(HelperRequest::Run(HelperInvocation { command, format, root, matches }))
        }
        None => Err(CallFailure::usage("no command is named")),
    }
}

/// The longest known command that a command line names.
pub fn published_words(words: &[OsString]) -> Option<&'static str> {
    let plain: Vec<&str> =
        words.iter().skip(1).filter_map(|word| word.to_str()).filter(|word| !word.starts_with('-')).collect();
    let mut best: Option<&'static str> = None;
    for row in &published::COMMANDS {
        let own: Vec<&str> = row.command.split(' ').collect();
        if plain.windows(own.len()).any(|window| window == own)
            && best.is_none_or(|best| best.len() < row.command.len())
        {
            best = Some(row.command);
        }
    }
    best
}

/// The value of a global option, read before anything else can fail.
pub fn early_value(words: &[OsString], name: &str) -> Option<String> {
    let mut words = words.iter().skip(1).map(|word| word.to_string_lossy()).take_while(|word| word != "--");
    while let Some(word) = words.next() {
        if word == name {
            return words.next().map(|value| value.into_owned());
        }
        if let Some(value) = word.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')) {
            return Some(value.to_owned());
        }
    }
    None
}

/// The words of all groups and commands, each group before what is in it, the program itself first.
pub fn tree() -> Vec<(Vec<&'static str>, Option<&'static PublishedCommand>)> {
    let commands = published::COMMANDS.iter().map(|row| (row.command, Some(row)));
    let groups = GROUPS.iter().map(|(words, _)| (*words, None));
    let mut all: Vec<_> =
        commands.chain(groups).map(|(words, row)| (words.split(' ').collect(), row)).collect();
    all.push((Vec::new(), None));
    crate::order::sort_by(&mut all, |(one, _): &(Vec<&str>, _), (other, _)| one.cmp(other));
    all
}
