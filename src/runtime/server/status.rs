//! `server status`: the server of a polish, and whether it is still running.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::record::{self, Server};
use crate::runtime::answer::{CallFailure, Delivery, ShownText};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::listeners;
use crate::runtime::polish::record::PolishRun;

options! {
    /// Check whether the server of a polish still runs
    ///
    /// Works after the polish has ended, too. A process is identified by its number and start time. `url` is null until
    /// it answers, when it no longer listens on its port, and if it listens on all addresses without the user's
    /// consent.
    ///
    /// Exit codes: 0 answered: `running`, `dead` or `none`; 2 wrong call; 3 state that this machine's helper
    /// did not write; 4 a malformed document of the helper; 5 no such run, or a file that cannot be read.
    pub struct Options {
        /// The run of `polish acquire --apply`
        pub(super) run: PathBuf = "--run <DIR>",
    }
    examples: ["plugcast-run server status --run DIR"]
}

/// The answer of `server status`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether it is running.
    pub status: ServerStatus,
    /// The server that was started or adopted last.
    pub server: Option<Server>,
    /// The last lines of its output, if it is dead.
    pub log: Vec<String>,
    /// What a reader should know.
    #[serde(serialize_with = "ShownText::shown")]
    pub warnings: Vec<String>,
}

/// Whether it is running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServerStatus {
    /// Its process is running.
    Running,
    /// Its process has ended.
    Dead,
    /// None was started or adopted.
    None,
}

/// Runs the command.
///
/// # Errors
/// What the store refuses.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let run = PolishRun::open(environment, &options.run)?;
    let mut server = Server::load(&run)?;
    let status = match &server {
        None => ServerStatus::None,
        Some(server) if server.is_alive() => ServerStatus::Running,
        Some(_) => ServerStatus::Dead,
    };
    let mut warnings = Vec::new();
    if let Some(server) = server.as_mut().filter(|_| status == ServerStatus::Running) {
        let mut family = server.family(&run);
        server.find_url(&family);
        // It may have begun to after it was started.
        if server.pgid.is_some() {
            family.extend(listeners::marked(&record::mark(&run)).into_iter().map(|(_, pid, at)| (pid, at)));
            warnings.extend(listeners::public_port(server.port, &family).map(record::reachable));
        } else {
            family.extend(server.pid.map(listeners::family).unwrap_or_default());
        }
        if server.url.is_some() && listeners::has_processes() {
            if listeners::listens_on(server.port, &family) {
                warnings.extend(sharing(server.port, &family, environment));
            } else {
                server.url = None;
                warnings.push(format!(
                    "it does not listen on port {0}: `server owner --port {0}` names what does",
                    server.port
                ));
            }
        }
    }
    let printed = status == ServerStatus::Dead && server.as_ref().is_some_and(|server| server.log.is_some());
    let log = if printed { record::log_end(&run)? } else { Vec::new() };
    Ok(Delivery::from_answer(&Response { status, server, log, warnings }))
}

/// The warning about other processes that listen on the port, too: the system gives them a part of the requests.
fn sharing(port: u16, family: &[(u32, u64)], environment: &Environment) -> Option<String> {
    let mut others = listeners::all(environment, port).ok()?;
    others.retain(|other| family.iter().all(|(own, _)| other.pid != Some(*own)));
    let words = listeners::words(&others);
    (!others.is_empty()).then(|| format!("port {port} is also taken by {words}: it may answer in its place"))
}
