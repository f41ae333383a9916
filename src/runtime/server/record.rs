//! The server of a polish: `server.json`, sealed like every document of the run, and `server.log`.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::probe;
use crate::printable::line;
use crate::runtime::answer::{CallFailure, ShownText};
use crate::runtime::launch::LaunchMode;
use crate::runtime::listeners;
use crate::runtime::polish::record::PolishRun;

/// The record in the folder of its run.
pub(in crate::runtime) const RECORD: &str = "server.json";
/// The variable that everything inherits which the server starts; its value is the folder of the run.
pub(super) const MARK: &str = "PLUGCAST_SERVER";
/// What the server printed.
pub(super) const LOG: &str = "server.log";
pub(super) const SCHEMA: &str = "plugcast.server/1";
/// How much of a log is read.
const MOST: u64 = 64 * 1024;
/// How much of a line is shown.
const LONGEST: usize = 400;

/// The server that a polish started or adopted.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// The kind of document.
    pub schema: String,
    /// Its process id; none if the system does not reveal it.
    pub pid: Option<u32>,
    /// The process group that it leads; none if it was adopted.
    pub pgid: Option<u32>,
    /// When it started, in clock ticks since boot: a later process with the same id has a different value.
    pub start_time: Option<u64>,
    /// Its command line; a single text if it was adopted.
    #[serde(serialize_with = "ShownText::shown")]
    pub argv: Vec<String>,
    /// Its working directory.
    #[serde(serialize_with = "ShownText::shown")]
    pub cwd: Option<String>,
    /// The port that it listens on.
    pub port: u16,
    /// Its address for a browser, once it answered.
    pub url: Option<String>,
    /// The file with its output; none if it was adopted.
    pub log: Option<String>,
    /// When it was started or adopted.
    pub started_at: String,
    /// Whether it was adopted rather than started.
    pub adopted: bool,
}

impl Server {
    /// Loads the server of a run.
    ///
    /// # Errors
    /// As [`crate::runtime::run::RunDirectory::sealed`].
    pub(in crate::runtime) fn load(run: &PolishRun) -> Result<Option<Self>, CallFailure> {
        let mut server: Option<Self> = run.folder().sealed(RECORD)?;
        server.iter_mut().for_each(|server| server.follow(run));
        Ok(server)
    }

    /// The server of a run that listens on `port`, if `confirmed` is its process, or the one that started it.
    pub(super) fn load_confirmed(
        run: &PolishRun,
        port: u16,
        confirmed: (Option<u32>, Option<u64>),
    ) -> Result<Option<Self>, CallFailure> {
        let is_meant = |server: &Self| (server.pgid, server.start_time) == confirmed;
        let recorded: Option<Self> = run.folder().sealed(RECORD)?;
        let started = recorded.is_some_and(|recorded| is_meant(&recorded));
        let own = Self::load(run)?.filter(|own| own.port == port && (started || is_meant(own)));
        Ok(own.filter(Self::is_alive))
    }

    /// If its process has ended and left one behind that listens on its port, that one is the server.
    pub(super) fn follow(&mut self, run: &PolishRun) {
        if self.adopted || self.is_alive() {
            return;
        }
        let left = self.left_behind(run).next();
        if let Some(pid) = left {
            (self.pid, self.pgid, self.start_time) = (Some(pid), Some(pid), listeners::start_time(pid));
        }
    }

    /// What it started that listens on its port, or started what does.
    fn left_behind(&self, run: &PolishRun) -> impl Iterator<Item = u32> + use<> {
        let (port, mark) = (self.port, mark(run));
        let own = listeners::marked(&mark).into_iter().filter(move |(own, ..)| *own == port);
        own.map(move |(_, pid, _)| listeners::first_marked(pid, &mark))
    }

    /// Its processes, also those that left its session and lost their parent, if they listen on its port; empty if it
    /// was adopted.
    pub(super) fn family(&self, run: &PolishRun) -> Vec<(u32, u64)> {
        let Some(leader) = self.pgid else { return Vec::new() };
        let mut all = Vec::new();
        for one in std::iter::once(leader).chain(self.left_behind(run)).flat_map(listeners::family) {
            if !all.contains(&one) {
                all.push(one);
            }
        }
        all
    }

    /// Whether its process, or one that it started, is alive.
    pub fn is_alive(&self) -> bool {
        let is_family_alive = |leader| listeners::is_family_alive(leader, self.start_time);
        self.pid.is_none_or(|pid| listeners::is_alive(pid, self.start_time))
            || self.pgid.is_some_and(is_family_alive)
    }

    /// Determines the address if the start was interrupted before it knew what the server listens on.
    pub(super) fn find_url(&mut self, family: &[(u32, u64)]) {
        if self.url.is_none()
            && listeners::listens_on(self.port, family)
            && listeners::public_port(self.port, family).is_none()
        {
            self.url = probe::ask(self.port, probe::PATIENCE).ok().flatten().map(|(url, _)| url);
        }
    }

    /// A description for the envelope.
    pub fn words(&self) -> String {
        let pid = self.pid.map_or_else(|| "unknown".to_owned(), |pid| pid.to_string());
        format!("{pid} on :{} (logs: {})", self.port, self.log.as_deref().unwrap_or("none"))
    }
}

/// The variable with its value, as a process has it.
pub(super) fn mark(run: &PolishRun) -> String {
    format!("{MARK}={}", run.path.display())
}

/// The warning about a server that listens on all addresses.
pub(super) fn reachable(port: u16) -> String {
    format!("it listens on all addresses: others on the network can reach port {port}")
}

/// The last lines of the server's output: 20, or 5 in a headless run.
///
/// # Errors
/// As [`crate::runtime::store::Store::bytes`].
pub(super) fn log_end(run: &PolishRun) -> Result<Vec<String>, CallFailure> {
    let most = if run.record.mode == LaunchMode::Headless { 5 } else { 20 };
    let bytes = run.store.end_of(&run.path.join(Path::new(LOG)), MOST)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().filter(|text| !text.trim().is_empty()).collect();
    let first = lines.len().saturating_sub(most);
    let short = |text: &&str| line(text.trim_end()).chars().take(LONGEST).collect();
    Ok(lines[first..].iter().map(short).collect())
}
