//! `schema`: the list of all commands, and the schema of the answer of one.

use schemars::JsonSchema;
use serde::Serialize;

use super::{COMMANDS, Need, find};
use crate::runtime::answer::{Failure, Said};
use crate::runtime::command_line::options;
use crate::runtime::surroundings::Surroundings;

options! {
    /// Print the schema of a command's answer, with what it needs; without words, list them
    ///
    /// Exit codes: 0 printed; 2 no such command; 5 this helper is too old.
    pub struct Options {
        /// The words of the command
        words: Vec<String> = "[WORD]...",
    }
    examples: ["plugcast-run schema", "plugcast-run schema repo base"]
}

/// The answer of `schema` without the words of a command; with them the schema itself is printed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listing {
    /// `ok`.
    pub status: ListingStatus,
    /// Every command that has a schema.
    pub commands: Vec<Listed>,
}

/// `schema` has no other answer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ListingStatus {
    /// Listed.
    Ok,
}

/// One command.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listed {
    /// Its words.
    pub command: String,
    /// The schema of its answer.
    pub schema: String,
    /// What it needs: a sandbox may refuse it.
    pub needs: Vec<Need>,
}

/// The list of commands.
pub fn listing() -> Listing {
    let commands = COMMANDS.iter().map(|row| Listed {
        command: row.command.to_owned(),
        schema: row.schema_id(),
        needs: row.needs.to_vec(),
    });
    Listing { status: ListingStatus::Ok, commands: commands.collect() }
}

/// Runs `schema`.
///
/// # Errors
/// `usage` for a command that there is not.
pub fn run(options: &Options, _: &Surroundings) -> Result<Said, Failure> {
    if options.words.is_empty() {
        return Ok(Said::of(&listing()));
    }
    let words = options.words.join(" ");
    let row = find(&words).ok_or_else(|| {
        Failure::usage(format!("unknown command `{words}`")).hinting("see `plugcast-run schema`")
    })?;
    Ok(Said::document(&row.schema()))
}
