//! `server owner`: who listens on a port. Clients of it, such as a browser, do not count.

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
    /// Whether somebody listens.
    pub status: OwnerStatus,
    /// The port.
    pub port: u16,
    /// Who; none where nobody does.
    pub owner: Option<ListeningProcess>,
    /// Who else does: at another address, or at the same one.
    pub others: Vec<ListeningProcess>,
}

/// Whether somebody listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OwnerStatus {
    /// Somebody does.
    Ok,
    /// Nobody does.
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
