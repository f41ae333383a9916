//! `review`: the steps of a code review that need no judgement. Agents find; these commands read arguments, fix
//! what is looked at, merge what was found, and write it down.

pub mod applied;
pub mod arguments;
pub mod findings;
pub mod finish;
pub mod merge;
pub mod render;
pub mod run_folder;
pub mod scope;
pub mod start;
pub mod verdict;

use std::path::PathBuf;

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
    Scope(scope::Options),
    Start(start::Options),
    Merge(merge::Options),
    Render(render::Options),
    Finish(finish::Options),
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
            Verb::Scope(_) => "review scope",
            Verb::Start(_) => "review start",
            Verb::Merge(_) => "review merge",
            Verb::Render(_) => "review render",
            Verb::Finish(_) => "review finish",
        }
    }

    /// Runs the command; `root` is the folder of runs and records that was named.
    ///
    /// # Errors
    /// As the command says.
    pub fn run(&self, surroundings: &Surroundings, root: Option<PathBuf>) -> Result<Said, Failure> {
        match self {
            Verb::Args(options) => arguments::run(options, surroundings),
            Verb::Scope(options) => scope::run(options, surroundings),
            Verb::Start(options) => start::run(options, surroundings, root),
            Verb::Merge(options) => merge::run(options, surroundings),
            Verb::Render(options) => render::run(options, surroundings),
            Verb::Finish(options) => finish::run(options, surroundings),
        }
    }
}

/// A review that cannot go on, in the words that its caller reads.
fn failed(exit: u8, code: &str, mode: Mode, reason: &str) -> Failure {
    let how = if mode == Mode::Headless { " (headless mode)" } else { "" };
    let text = format!("Review failed{how}. Reason: {reason}");
    Failure::new(exit, code, text.clone(), "print the message, and stop").saying(text)
}
