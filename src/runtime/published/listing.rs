//! `schema`: the list of all commands, and the schema of the answer of one.

use schemars::JsonSchema;
use serde::Serialize;

use super::{COMMANDS, CommandNeed, find};
use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;

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
pub struct CommandListing {
    /// `ok`.
    pub status: ListingStatus,
    /// Every command that has a schema.
    pub commands: Vec<ListedCommand>,
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
pub struct ListedCommand {
    /// Its words.
    pub command: String,
    /// The schema of its answer.
    pub schema: String,
    /// What it needs: a sandbox may refuse it.
    pub needs: Vec<CommandNeed>,
}

/// The list of commands.
pub fn listing() -> CommandListing {
    let commands = COMMANDS.iter().map(|row| ListedCommand {
        command: row.command.to_owned(),
        schema: row.schema_id(),
        needs: row.needs.to_vec(),
    });
    CommandListing { status: ListingStatus::Ok, commands: commands.collect() }
}

/// Runs `schema`.
///
/// # Errors
/// `usage` for an unknown command.
pub fn run(options: &Options, _: &Environment) -> Result<Delivery, CallFailure> {
    if options.words.is_empty() {
        return Ok(Delivery::from_answer(&listing()));
    }
    let words = options.words.join(" ");
    let row = find(&words).ok_or_else(|| {
        CallFailure::usage(format!("unknown command `{words}`")).with_hint("see `plugcast-run schema`")
    })?;
    Ok(Delivery::document(&row.schema()))
}
