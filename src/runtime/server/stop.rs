//! `server stop`: ends the process that listens on a port, after a user agreed to end that specific process.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use super::record::{self, Server};
use crate::process::interrupt;
use crate::runtime::answer::{CONTENDED, CallFailure, Delivery, REFUSED, ShownText, TIMEOUT};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::foreign_process;
use crate::runtime::launch::LaunchMode;
use crate::runtime::listeners;
use crate::runtime::polish::record::PolishRun;

options! {
    /// End the process that listens on a port
    ///
    /// `--confirm-pid` and `--start-time` are those of `server owner` that the user agreed to. The process is asked to
    /// end; with `--force` it is killed if it has not ended a second later, which the user must agree to separately. A
    /// headless run needs `allow-port-kill:1`. The server that `server start` started, by the `pid` and `start_time` of
    /// `server status`, is ended with everything that it started, which may take six seconds; this needs no permission,
    /// and works after the run, too. What left its session and listens on another port is only named in `warnings`. If
    /// the system does not report when a process started, nothing is ended.
    ///
    /// Exit codes: 0 it ended, and nothing listens; 2 wrong call; 3 headless without permission, or state that
    /// this machine's helper did not write; 4 a malformed document of the helper; 5 a sandbox hides the ports,
    /// or the system refuses it or does not report their owners; 6 another process listens, even if several
    /// did, or the run ended and it is not its server; 7 it has not ended.
    pub struct Options {
        /// The run of `polish acquire --apply`
        pub(super) run: PathBuf = "--run <DIR>",
        /// The port
        port: u16 = "--port <PORT>" { range: Some((1, 65535)) },
        /// The process that the user agreed to
        confirm_pid: u32 = "--confirm-pid <PID>" { range: Some((1, 4194304)) },
        /// When it started
        start_time: u64 = "--start-time <NUMBER>" { range: Some((0, u64::MAX)) },
        /// Kill it if it does not end
        force: bool = "--force",
    }
    examples: ["plugcast-run server stop --run DIR --port 3000 --confirm-pid 4711 --start-time 123456"]
}

/// The answer of `server stop`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// The outcome.
    pub status: StopStatus,
    /// The port.
    pub port: u16,
    /// Whether it had to be killed.
    pub killed: bool,
    /// What a reader should know.
    #[serde(serialize_with = "ShownText::shown")]
    pub warnings: Vec<String>,
}

/// The outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopStatus {
    /// It ended.
    Stopped,
    /// Nothing listens.
    None,
}

/// How long a process may take to end.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long a server may take that first ends its own child processes.
const PATIENCE_WITH_CHILDREN: Duration = Duration::from_secs(6);
/// The pause between two checks.
const BREAK: Duration = Duration::from_millis(50);

/// Runs the command.
///
/// # Errors
/// `port_in_use`, `owner_changed`, `still_running`, `signal_refused`, `sandboxed`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let run = PolishRun::open(environment, &options.run)?;
    let mut response =
        Response { status: StopStatus::None, port: options.port, killed: false, warnings: Vec::new() };
    let confirmed = (Some(options.confirm_pid), Some(options.start_time));
    // The polish's own server is ended with everything that it started, and needs no permission. It outlives the
    // polish.
    if let Some(own) = Server::load_confirmed(&run, options.port, confirmed)? {
        response.killed = end(options, &own.words(), &own.family(&run))?;
        // It may be a program that the user still uses, such as a browser.
        let mark = record::mark(&run);
        let listening = listeners::marked(&mark);
        for pid in listeners::marked_processes(&mark) {
            let port = listening.iter().find(|(_, listener, _)| *listener == pid).map(|(port, ..)| port);
            let how =
                port.map_or_else(|| "has not ended".to_owned(), |port| format!("listens on port {port}"));
            response.warnings.push(format!("process {pid}, which the server started, {how}"));
        }
        return remaining_listener(options, environment, &own.words(), response);
    }
    let Some(owner) = listeners::on_port(environment, options.port)? else {
        return Ok(Delivery::from_answer(&response));
    };
    must_be_known(listeners::has_processes(), options.confirm_pid)?;
    run.must_be_open()?;
    if run.record.mode == LaunchMode::Headless && !run.record.flags.allow_port_kill {
        let message = format!("port {} is taken by {}", options.port, owner.words());
        let hint = "free the port, or begin again with `allow-port-kill:1`";
        return Err(CallFailure::new(REFUSED, ErrorCode::PortInUse, message, hint));
    }
    if (owner.pid, owner.start_time) != confirmed {
        let message =
            format!("port {} is taken by {}, not by the confirmed process", options.port, owner.words());
        let hint = "run `server owner` again, and ask the user";
        return Err(CallFailure::new(CONTENDED, ErrorCode::OwnerChanged, message, hint));
    }
    response.killed = end(options, &owner.words(), &[])?;
    remaining_listener(options, environment, &owner.words(), response)
}

/// The answer once the confirmed process has ended: no other process may listen there.
fn remaining_listener(
    options: &Options,
    environment: &Environment,
    who: &str,
    mut response: Response,
) -> Result<Delivery, CallFailure> {
    let mut others = listeners::all(environment, options.port)?;
    let until = Instant::now() + PATIENCE;
    // A process that has ended may still hold its socket for a moment.
    while others.iter().any(|one| one.pid.is_none()) && Instant::now() < until && !interrupt::pending() {
        std::thread::sleep(BREAK);
        others = listeners::all(environment, options.port)?;
    }
    if !others.is_empty() {
        let message =
            format!("{who} ended, but port {} is still taken by {}", options.port, listeners::words(&others));
        let hint = "run `server owner` again, and ask the user";
        return Err(CallFailure::new(CONTENDED, ErrorCode::OwnerChanged, message, hint));
    }
    response.status = StopStatus::Stopped;
    Ok(Delivery::from_answer(&response))
}

/// Refuses to end a process if the system does not report start times: its id may belong to another process by now.
fn must_be_known(tells: bool, pid: u32) -> Result<(), CallFailure> {
    if tells {
        return Ok(());
    }
    let message = format!("this system does not report whether {pid} is still the confirmed process");
    Err(CallFailure::environment(
        ErrorCode::SignalRefused,
        message,
        format!("look at it, and end it with `kill {pid}`"),
    ))
}

/// Ends the confirmed process, with its `family` if it is our own server, as far as the user agreed; returns whether it
/// was killed.
fn end(options: &Options, who: &str, family: &[(u32, u64)]) -> Result<bool, CallFailure> {
    let killed = !end_family(options, family, false)?;
    if killed && (!options.force || !end_family(options, family, true)?) {
        let others = if family.is_empty() { "" } else { ", or a process that it started," };
        let message = format!("{who}{others} has not ended");
        let hint =
            if options.force { "end it by hand" } else { "ask the user, and pass `--force` after a yes" };
        return Err(CallFailure::new(TIMEOUT, ErrorCode::StillRunning, message, hint));
    }
    Ok(killed)
}

/// Sends the signal, and returns whether all processes ended in time.
fn end_family(options: &Options, family: &[(u32, u64)], kill: bool) -> Result<bool, CallFailure> {
    let (pid, started) = (options.confirm_pid, options.start_time);
    let is_there = |&(pid, started): &(u32, u64)| listeners::is_alive(pid, Some(started));
    let is_family_alive = || listeners::is_family_alive(pid, Some(started));
    let refused = |error: std::io::Error| {
        let message = format!("process {pid} cannot be ended: {error}");
        CallFailure::environment(ErrorCode::SignalRefused, message, "end it by hand")
    };
    let meant = if family.is_empty() { vec![(pid, started)] } else { family.to_vec() };
    if !family.is_empty() {
        // Processes that it starts meanwhile are in its group.
        foreign_process::end_group(pid, kill, is_family_alive).map_err(refused)?;
    }
    for one in meant.iter().filter(|one| family.is_empty() || is_there(one)) {
        foreign_process::end(one.0, kill, || is_there(one)).map_err(refused)?;
    }
    let is_left = || meant.iter().any(is_there) || !family.is_empty() && is_family_alive();
    let until = Instant::now() + if family.is_empty() { PATIENCE } else { PATIENCE_WITH_CHILDREN };
    while is_left() && Instant::now() < until && !interrupt::pending() {
        std::thread::sleep(BREAK);
    }
    Ok(!is_left())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_that_does_not_tell_when_processes_started_ends_none() {
        assert!(must_be_known(true, 7).is_ok());
        let refused = must_be_known(false, 7).unwrap_err();
        assert_eq!((refused.exit, refused.error.code), (5, ErrorCode::SignalRefused));
        assert!(refused.error.hint.contains("`kill 7`"), "{}", refused.error.hint);
    }
}
