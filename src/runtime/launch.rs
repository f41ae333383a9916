//! `launch`: how the user starts the project for development, as `.claude/launch.json` says.

mod addresses;
mod configuration;
pub mod read;
pub mod write;

use clap::{Subcommand, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{Failure, Said};
use super::surroundings::Surroundings;

/// The commands of `launch`.
#[derive(Debug, Subcommand)]
#[allow(missing_docs, reason = "the options of each command say it")]
pub enum Verb {
    Read(read::Options),
    Write(write::Options),
}

/// Whether a user looks at what is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A user answers questions
    Interactive,
    /// Nobody does
    Headless,
}

impl Verb {
    /// The command in words.
    pub fn command(&self) -> &'static str {
        match self {
            Verb::Read(_) => "launch read",
            Verb::Write(_) => "launch write",
        }
    }

    /// Runs the command.
    ///
    /// # Errors
    /// As the command says.
    pub fn run(&self, surroundings: &Surroundings) -> Result<Said, Failure> {
        match self {
            Verb::Read(options) => read::run(options, surroundings),
            Verb::Write(options) => write::run(options, surroundings),
        }
    }
}
