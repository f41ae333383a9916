//! `dispatch`: who repairs what the user decided to have repaired.

pub mod plan;

use std::path::Path;

use clap::Subcommand;

use super::answer::{Failure, Said};
use super::surroundings::Surroundings;

/// The commands of `dispatch`.
#[derive(Debug, Subcommand)]
#[allow(missing_docs, reason = "the options of each command say it")]
pub enum Verb {
    Plan(plan::Options),
}

impl Verb {
    /// The command in words.
    pub fn command(&self) -> &'static str {
        match self {
            Verb::Plan(_) => "dispatch plan",
        }
    }

    /// The folder of the run that the call names.
    pub fn run_folder(&self) -> &Path {
        match self {
            Verb::Plan(options) => &options.run,
        }
    }

    /// Runs the command.
    ///
    /// # Errors
    /// As the command says.
    pub fn run(&self, surroundings: &Surroundings) -> Result<Said, Failure> {
        match self {
            Verb::Plan(options) => plan::run(options, surroundings),
        }
    }
}
