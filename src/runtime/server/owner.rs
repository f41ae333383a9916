//! `server owner`: which process listens on a port. Clients, such as a browser, do not count.

use schemars::JsonSchema;
use serde::Serialize;

use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::listeners::{self, ListeningProcess};

options! {
    /// Show which process listens on a port
    ///
    /// Only listeners count, not their clients. Pass on `pid` and `start_time` when the user agrees to end it:
    /// a number alone may by now belong to another process.
    ///
    /// Exit codes: 0 answered, `none` included; 2 wrong call; 5 a sandbox hides the ports.
    pub struct Options {
        /// The port
        port: u16 = "--port <PORT>" { range: Some((1, 65535)) },
    }
    examples: ["plugcast-run server owner --port 3000"]
}

/// The answer of `server owner`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether a process listens.
    pub status: OwnerStatus,
    /// The port.
    pub port: u16,
    /// The process; none if there is none.
    pub owner: Option<ListeningProcess>,
    /// Other processes that listen there, on the same or another address.
    pub others: Vec<ListeningProcess>,
}

/// Whether a process listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OwnerStatus {
    /// A process does.
    Ok,
    /// None does.
    None,
}

/// Runs the command.
///
/// # Errors
/// `sandboxed`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let mut all = listeners::all(environment, options.port)?.into_iter();
    let owner = all.next();
    let status = if owner.is_some() { OwnerStatus::Ok } else { OwnerStatus::None };
    Ok(Delivery::from_answer(&Response { status, port: options.port, owner, others: all.collect() }))
}
