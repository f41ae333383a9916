//! What `server start` waits for: the server itself answers, and others on the network cannot reach it.

use std::time::{Duration, Instant};

use super::ending::Family;
use super::probe;
use crate::process::detached_process::DetachedProcess;
use crate::process::interrupt;
use crate::runtime::answer::{CallFailure, REFUSED, TIMEOUT};
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::listeners::{self, ListeningProcess};

/// The pause between two checks.
const BREAK: Duration = Duration::from_millis(200);

/// What is waited for.
pub(super) struct Wait {
    /// For how long.
    pub(super) seconds: u16,
    /// On this port.
    pub(super) port: u16,
    /// What the server has in its environment.
    pub(super) mark: String,
}

/// Refuses a server that others on the network can reach, even if its configuration does not name the address.
pub(super) fn must_be_private(port: u16, family: &[(u32, u64)]) -> Result<(), CallFailure> {
    let Some(port) = listeners::public_port(port, family) else { return Ok(()) };
    let message = format!(
        "the server listened on all addresses of this machine, so that others on the network could reach port {port}, and was ended"
    );
    let hint = "let it listen on `127.0.0.1`, or ask the user and add `--allow-public-host`";
    Err(CallFailure::new(REFUSED, ErrorCode::PublicHost, message, hint))
}

impl Wait {
    /// Waits until the server itself answers.
    pub(super) fn until_it_answers(
        &self,
        detached: &mut DetachedProcess,
        family: &mut Family,
        environment: &Environment,
    ) -> Result<(String, u16), CallFailure> {
        let until = Instant::now() + Duration::from_secs(self.seconds.into());
        let (mut is_alone, mut patience) = (false, probe::PATIENCE);
        loop {
            if interrupt::pending() {
                return Err(CallFailure::interrupted());
            }
            let ended = detached.exit_status();
            // What succeeded may have started the server in the background. A process that is just being started may be
            // missing from a list of processes, but not from two of them.
            family.remember();
            let was_alone = std::mem::replace(&mut is_alone, family.alive_processes().next().is_none());
            let ended = ended
                .filter(|(_, succeeded)| !succeeded || (was_alone && is_alone) || Instant::now() >= until);
            if let Some((how, _)) = ended {
                let message = format!("the server ended with {how} before it answered on port {}", self.port);
                return Err(CallFailure::environment(
                    ErrorCode::ServerEnded,
                    message,
                    "read its log, and start it by hand to see why",
                ));
            }
            let found = probe::ask(self.port, patience).unwrap_or(None);
            patience = probe::extend_patience(patience, until);
            let owner =
                found.as_ref().map(|_| listeners::on_port(environment, self.port)).transpose()?.flatten();
            let is_own = |owner: &ListeningProcess| match owner.pid {
                Some(pid) => {
                    listeners::belongs_to(pid, detached.id()) || listeners::has_mark(pid, &self.mark)
                }
                None => !listeners::has_processes(),
            };
            match (found, owner) {
                (Some(found), Some(owner)) if is_own(&owner) => return Ok(found),
                _ if Instant::now() >= until => {
                    let message =
                        format!("the server did not answer on port {} within {} s", self.port, self.seconds);
                    let hint =
                        "read its log; pass a longer `--wait`, or another `--port` if it listens elsewhere";
                    return Err(CallFailure::new(TIMEOUT, ErrorCode::Timeout, message, hint));
                }
                _ => std::thread::sleep(BREAK),
            }
        }
    }
}
