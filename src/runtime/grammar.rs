//! The command line: groups and their commands, with what holds for all of them.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{CommandFactory, Parser, Subcommand};
use semver::Version;

use super::answer::{Failure, Format, Said};
use super::surroundings::Surroundings;
use super::{dispatch, doctor, gc, launch, polish, published, repo, review};
use crate::usage_error::UsageError;

/// Over the options that every command has.
const EVERY: &str = "Options of every command";

/// The helper that skills call: every step of theirs that needs no judgement
///
/// Prints one JSON object, whose `schema` and `status` are always there; `plugcast-run schema` lists the
/// commands. Any exit code but 0 comes with `error.code`, `error.message` and `error.hint`.
///
/// Exit codes: 0 answered, "there is none" included; 2 wrong call; 3 a rule says no; 4 a malformed
/// document; 5 this machine or what is on it cannot do it; 6 somebody else holds it, or it is not what it
/// was; 7 it took too long; 130 interrupted.
#[derive(Debug, Parser)]
#[command(name = "plugcast-run", disable_version_flag = true)]
#[command(
    after_help = "Examples:\n  plugcast-run --require 0.1.0 repo base\n  plugcast-run doctor --format text"
)]
pub struct Arguments {
    /// Go on only if this helper is VERSION or newer; otherwise exit with code 5
    #[arg(long, value_name = "VERSION", value_parser = Version::parse, global = true, help_heading = EVERY)]
    pub require: Option<Version>,
    /// How the answer is printed: `json`, `text` for people, or `sentinel`, single words for scripts
    #[arg(long, value_enum, default_value_t = Format::Json, global = true, hide_possible_values = true, help_heading = EVERY)]
    pub format: Format,
    /// The folder of runs and records; by default `PLUGCAST_STATE`, else `.plugcast` in the main working tree
    #[arg(long, value_name = "DIR", global = true, help_heading = EVERY)]
    pub root: Option<PathBuf>,
    /// Print name and version
    #[arg(long, short = 'V')]
    pub version: bool,
    #[command(subcommand)]
    #[allow(missing_docs, reason = "a doc comment here would hide that of the program")]
    pub command: Option<Command>,
}

/// The groups, and the commands without one.
#[derive(Debug, Subcommand)]
#[allow(missing_docs, reason = "the options of each command say it")]
pub enum Command {
    /// What a skill must know of the repository
    #[command(subcommand)]
    Repo(repo::Verb),
    /// How the project is started for development
    #[command(subcommand)]
    Launch(launch::Verb),
    /// The steps between a review that passed and the merge that need no judgement
    #[command(subcommand)]
    Polish(polish::Verb),
    /// Who repairs what the user decided to have repaired
    #[command(subcommand)]
    Dispatch(dispatch::Verb),
    /// The steps of a code review that need no judgement
    #[command(subcommand)]
    Review(review::Verb),
    Gc(gc::Options),
    Schema(Schema),
    Doctor(doctor::Options),
}

/// Print the schema of a command's answer, with what it needs; without words, list them
///
/// Exit codes: 0 printed; 2 no such command; 5 this helper is too old.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  plugcast-run schema\n  plugcast-run schema repo base")]
pub struct Schema {
    /// The words of the command
    #[arg(value_name = "WORD")]
    words: Vec<String>,
}

impl Command {
    /// The words of the command.
    pub fn words(&self) -> &'static str {
        match self {
            Command::Repo(verb) => verb.command(),
            Command::Launch(verb) => verb.command(),
            Command::Polish(verb) => verb.command(),
            Command::Dispatch(verb) => verb.command(),
            Command::Review(verb) => verb.command(),
            Command::Gc(_) => "gc",
            Command::Schema(_) => "schema",
            Command::Doctor(_) => "doctor",
        }
    }

    /// Runs the command; `root` is the folder of runs and records that was named.
    ///
    /// # Errors
    /// As the command says.
    pub fn run(&self, surroundings: &Surroundings, root: Option<PathBuf>) -> Result<Said, Failure> {
        match self {
            Command::Repo(verb) => verb.run(surroundings),
            Command::Launch(verb) => verb.run(surroundings),
            Command::Polish(verb) => verb.run(surroundings, root),
            Command::Dispatch(verb) => verb.run(surroundings),
            Command::Review(verb) => verb.run(surroundings, root),
            Command::Gc(options) => gc::run(options, surroundings, root),
            Command::Schema(options) => schema(options),
            Command::Doctor(_) => doctor::run(surroundings),
        }
    }
}

fn schema(options: &Schema) -> Result<Said, Failure> {
    if options.words.is_empty() {
        return Ok(Said::of(&published::listing()));
    }
    let words = options.words.join(" ");
    let row = published::find(&words).ok_or_else(|| {
        Failure::usage(format!("there is no command `{words}`")).hinting("see `plugcast-run schema`")
    })?;
    Ok(Said::document(&row.schema()))
}

/// Parses a command line. Help asked for comes back as `Ok(Err(text))`.
///
/// # Errors
/// A wrong call, with what was perhaps meant.
pub fn parse(words: &[OsString]) -> Result<Result<Arguments, String>, Failure> {
    match Arguments::try_parse_from(words) {
        Ok(arguments) => Ok(Ok(arguments)),
        Err(error) if error.kind() == clap::error::ErrorKind::DisplayHelp => Ok(Err(error.to_string())),
        Err(error) => Err(wrong(&error, words)),
    }
}

fn wrong(error: &clap::Error, words: &[OsString]) -> Failure {
    let command =
        published_words(words).map_or("plugcast-run".to_owned(), |words| format!("plugcast-run {words}"));
    let error = UsageError::from_clap(error);
    let help = error.help(&command);
    Failure::usage(error.message).hinting(help)
}

/// The command that a command line names, as far as it is known.
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

/// The value of an option of all commands, read before anything else may fail.
pub fn early(words: &[OsString], name: &str) -> Option<String> {
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

/// The names of all commands and options by their full words, for tests of the grammar.
pub fn command() -> clap::Command {
    Arguments::command()
}
