//! `polish`: the steps between a review that passed and the merge, at which a person looks at the running result.

pub mod arguments;

use clap::Subcommand;

use super::answer::{Failure, Said};
use super::launch::Mode;
use super::surroundings::Surroundings;
use crate::printable::line;

/// The commands of `polish`.
#[derive(Debug, Subcommand)]
#[allow(missing_docs, reason = "the options of each command say it")]
pub enum Verb {
    Args(arguments::Options),
}

impl Verb {
    /// The command in words.
    pub fn command(&self) -> &'static str {
        match self {
            Verb::Args(_) => "polish args",
        }
    }

    /// Runs the command.
    ///
    /// # Errors
    /// As the command says.
    pub fn run(&self, surroundings: &Surroundings) -> Result<Said, Failure> {
        match self {
            Verb::Args(options) => arguments::run(options, surroundings),
        }
    }
}

/// The last line of every envelope.
const END: &str = "Polish complete";

/// A failure as the caller of a headless polish reads it: two lines, of which the last one says that it has ended.
fn in_mode(mode: Mode, mut failure: Failure) -> Failure {
    if mode == Mode::Headless && failure.text.is_none() {
        let (reason, hint) =
            (failure.error.message.trim_end_matches('.'), failure.error.hint.trim_end_matches('.'));
        let start = hint.chars().next().map_or(0, char::len_utf8);
        let remedy = hint[..start].to_uppercase() + &hint[start..];
        failure.text = Some(format!(
            "Polish failed (headless mode). Reason: {}. {}.\n{END}",
            line(reason),
            line(&remedy)
        ));
    }
    failure
}
