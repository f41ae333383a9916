//! `review`: the steps of a code review that need no judgement. Agents find; these commands read arguments, fix
//! what is looked at, merge what was found, and write it down.

pub mod abandon;
pub mod applied;
pub mod approve;
pub mod arguments;
pub mod begin;
pub mod findings;
pub mod finish;
mod fix;
pub mod merge;
mod obstacles;
pub mod record;
pub mod render;
pub mod reply;
pub mod reviewers;
pub mod run_folder;
pub mod scope;
mod seal;
mod shown;
pub mod start;
pub(super) mod target;
mod ticket;
pub mod verdict;

use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{Failure, Said};
use super::surroundings::Surroundings;

/// The commands of `review`.
#[derive(Debug, Subcommand)]
#[allow(missing_docs, reason = "the options of each command say it")]
pub enum Verb {
    Args(arguments::Options),
    Begin(begin::Options),
    Scope(scope::Options),
    Start(start::Options),
    Merge(Box<merge::Options>),
    Approve(approve::Options),
    Render(render::Options),
    Finish(finish::Options),
    Abandon(abandon::Options),
}

/// How a review runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Asks, and repairs what it may
    Interactive,
    /// Repairs what is safe, without questions
    Autofix,
    /// Changes nothing at all
    ReportOnly,
    /// One pass for another program, without questions
    Headless,
}

impl Mode {
    /// The mode of a token.
    fn token(word: &str) -> Option<Self> {
        match word {
            "mode:autofix" => Some(Mode::Autofix),
            "mode:report-only" => Some(Mode::ReportOnly),
            "mode:headless" => Some(Mode::Headless),
            _ => None,
        }
    }
}

impl Verb {
    /// The command in words.
    pub fn command(&self) -> &'static str {
        match self {
            Verb::Args(_) => "review args",
            Verb::Begin(_) => "review begin",
            Verb::Scope(_) => "review scope",
            Verb::Start(_) => "review start",
            Verb::Merge(_) => "review merge",
            Verb::Approve(_) => "review approve",
            Verb::Render(_) => "review render",
            Verb::Finish(_) => "review finish",
            Verb::Abandon(_) => "review abandon",
        }
    }

    /// Runs the command; `root` is the folder of runs and records that was named.
    ///
    /// # Errors
    /// As the command says.
    pub fn run(&self, surroundings: &Surroundings, root: Option<PathBuf>) -> Result<Said, Failure> {
        let answered = match self {
            Verb::Args(options) => arguments::run(options, surroundings),
            Verb::Begin(options) => begin::run(options, surroundings, root),
            Verb::Scope(options) => scope::run(options, surroundings),
            Verb::Start(options) => start::run(options, surroundings, root),
            Verb::Merge(options) => merge::run(options, surroundings),
            Verb::Approve(options) => approve::run(options, surroundings),
            Verb::Render(options) => render::run(options, surroundings),
            Verb::Finish(options) => finish::run(options, surroundings),
            Verb::Abandon(options) => abandon::run(options, surroundings),
        };
        answered.map_err(|failure| {
            match self.run_folder().map(|run| run_folder::mode_said(surroundings, run)) {
                Some(Some(Mode::Headless)) => in_mode(Mode::Headless, failure),
                // The record may have said `headless` before it was changed or taken away.
                Some(_) if UNTOLD.contains(&failure.error.code.as_str()) => with_reason("", failure),
                _ => failure,
            }
        })
    }

    /// The folder of the run that the call names.
    fn run_folder(&self) -> Option<&Path> {
        let run = match self {
            Verb::Args(_) | Verb::Begin(_) | Verb::Start(_) => None,
            Verb::Scope(options) => options.run.as_ref(),
            Verb::Merge(options) => options.run.as_ref(),
            Verb::Approve(options) => Some(&options.run),
            Verb::Render(options) => Some(&options.run),
            Verb::Finish(options) => Some(&options.run),
            Verb::Abandon(options) => Some(&options.run),
        };
        run.map(PathBuf::as_path)
    }
}

/// Failures of a run whose mode nobody can tell.
const UNTOLD: [&str; 5] = ["malformed_json", "no_folder", "no_run", "not_a_run", "untrusted_state"];

/// A review that cannot go on, in the words that its caller reads.
fn failed(exit: u8, code: &str, mode: Mode, reason: &str) -> Failure {
    let how = if mode == Mode::Headless { " (headless mode)" } else { "" };
    let text = format!("Review failed{how}. Reason: {reason}");
    Failure::new(exit, code, text.clone(), "print the message, and stop").saying(text)
}

/// A failure of any step after the arguments were read, as the caller of a headless review reads it.
fn in_mode(mode: Mode, failure: Failure) -> Failure {
    if mode == Mode::Headless { with_reason(" (headless mode)", failure) } else { failure }
}

fn with_reason(how: &str, mut failure: Failure) -> Failure {
    if failure.text.is_none() {
        let text = format!("Review failed{how}. Reason: {}", failure.error.message);
        failure.error.message.clone_from(&text);
        failure.text = Some(text);
    }
    failure
}
