//! `repo ide`: which program runs the helper, and whether it opens an address by itself.

use schemars::JsonSchema;
use serde::Serialize;

use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::hosts::{self, AddressHandoff};

options! {
    /// Show which program this runs in, and how to show an address to the user
    ///
    /// Uses only environment variables. With `open` the program can open an address in its own browser; print
    /// the address in any case.
    ///
    /// Exit codes: 0 answered, `none` included; 2 no port; 5 this helper is too old.
    pub struct Options {
        /// The port of the address
        port: Option<u16> = "--port <PORT>" { range: Some((1, 65535)) },
        /// The host name of the address
        host: String = "--host <NAME>" { default: Some("localhost") },
    }
    examples: ["plugcast-run repo ide --port 3000"]
}

/// The answer of `repo ide`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// `ok`, or `none` if no known program was detected.
    pub status: IdeStatus,
    /// `claude-code`, `cursor`, `codex`, `opencode`, `vscode` or `none`.
    pub ide: String,
    /// What to do with the address.
    pub handoff: AddressHandoff,
    /// The address, if a port was given.
    pub url: Option<String>,
    /// What to do, in a sentence.
    pub note: String,
}

/// Whether a known program was detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdeStatus {
    /// One was.
    Ok,
    /// None was.
    None,
}

/// Runs the command.
///
/// # Errors
/// None.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let found = hosts::detect(environment);
    let handoff = found.as_ref().map_or(AddressHandoff::Print, |host| host.handoff);
    let note = match handoff {
        AddressHandoff::Open => "open the address in this program's own browser, and print it, too",
        AddressHandoff::Print => "print the address for the user to open",
    };
    let answer = Response {
        status: if found.is_some() { IdeStatus::Ok } else { IdeStatus::None },
        ide: found.map_or_else(|| "none".to_owned(), |host| host.id),
        handoff,
        url: options.port.map(|port| format!("http://{}:{port}", options.host)),
        note: note.to_owned(),
    };
    let words = answer.ide.clone();
    Ok(Delivery::from_answer(&answer).sentinel(words))
}
