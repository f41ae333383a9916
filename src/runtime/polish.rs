//! `polish`: the steps between a review that passed and the merge, at which a person looks at the running result.

pub mod acquire;
pub mod arguments;
pub mod checklist;
mod clean_tree;
mod earlier;
pub mod gate;
pub mod merge_base;
pub(super) mod record;

use std::path::{Path, PathBuf};

use clap::Subcommand;

use super::answer::{Failure, REFUSED, Said};
use super::launch::Mode;
use super::run;
use super::surroundings::Surroundings;
use crate::printable::line;

/// The commands of `polish`.
#[derive(Debug, Subcommand)]
#[allow(missing_docs, reason = "the options of each command say it")]
pub enum Verb {
    Args(arguments::Options),
    Acquire(acquire::Options),
    Gate(gate::Options),
    MergeBase(merge_base::Options),
    /// What the user decides about each item
    #[command(subcommand)]
    Checklist(checklist::Verb),
}

impl Verb {
    /// The command in words.
    pub fn command(&self) -> &'static str {
        match self {
            Verb::Args(_) => "polish args",
            Verb::Acquire(_) => "polish acquire",
            Verb::Gate(_) => "polish gate",
            Verb::MergeBase(_) => "polish merge-base",
            Verb::Checklist(verb) => verb.command(),
        }
    }

    /// Runs the command; `root` is the folder of runs and records that was named.
    ///
    /// # Errors
    /// As the command says.
    pub fn run(&self, surroundings: &Surroundings, root: Option<PathBuf>) -> Result<Said, Failure> {
        let answered = match self {
            Verb::Args(options) => arguments::run(options, surroundings),
            Verb::Acquire(options) => acquire::run(options, surroundings, root),
            Verb::Gate(options) => gate::run(options, surroundings, root.as_deref()),
            Verb::MergeBase(options) => merge_base::run(options, surroundings),
            Verb::Checklist(verb) => verb.run(surroundings, root.as_deref()),
        };
        answered.map_err(|failure| {
            match self.run_folder().and_then(|run| run::mode_said(surroundings, run)) {
                Some(mode) if mode == "headless" => in_mode(Mode::Headless, failure),
                _ => failure,
            }
        })
    }

    /// The folder of the run that the call names.
    fn run_folder(&self) -> Option<&Path> {
        match self {
            Verb::Args(_) | Verb::Acquire(_) => None,
            Verb::Gate(options) => Some(&options.run),
            Verb::MergeBase(options) => Some(&options.run),
            Verb::Checklist(verb) => Some(verb.run_folder()),
        }
    }
}

/// A rule says no.
fn refused(code: &str, message: String, hint: &str) -> Failure {
    Failure::new(REFUSED, code, message, hint)
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
