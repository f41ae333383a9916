//! Ends a server that must not keep running, with everything that it started, including processes that left its session
//! or lost their parent.

use std::time::{Duration, Instant};

use crate::process::detached_process::DetachedProcess;
use crate::runtime::foreign_process;
use crate::runtime::listeners;

/// How long processes may take to end before they are killed, and afterwards.
const PATIENCE: Duration = Duration::from_secs(1);
/// The pause between two checks.
const BREAK: Duration = Duration::from_millis(20);

/// The processes that a server started, each with its start time.
#[derive(Debug)]
pub(super) struct Family {
    leader: u32,
    started: u64,
    members: Vec<(u32, u64)>,
}

impl Family {
    /// The family of a server that is about to start.
    pub(super) fn new(leader: u32) -> Self {
        Self { leader, started: listeners::start_time(leader).unwrap_or_default(), members: Vec::new() }
    }

    /// Its processes, as far as they were seen.
    pub(super) fn members(&self) -> &[(u32, u64)] {
        &self.members
    }

    /// Those that have not ended.
    pub(super) fn alive_processes(&self) -> impl Iterator<Item = u32> {
        let left = self.members.iter().filter(|&&(pid, started)| listeners::is_alive(pid, Some(started)));
        left.map(|(pid, _)| *pid)
    }

    /// Adds the processes that currently belong to it.
    pub(super) fn remember(&mut self) {
        let this = std::process::id();
        // Below this process is also what lost its parent, and maybe what a shell started that became this process.
        for one in listeners::family(self.leader).into_iter().chain(listeners::family(this)) {
            if one.0 != this && one.1 >= self.started && !self.members.contains(&one) {
                self.members.push(one);
            }
        }
    }

    fn signal(&self, kill: bool) {
        for &(pid, started) in self.members.iter().filter(|one| kill || one.0 != self.leader) {
            // Ignores processes that have ended, or that this user may not end.
            let _ = foreign_process::end(pid, kill, || listeners::is_alive(pid, Some(started)));
        }
    }

    /// Terminates all, and kills those that have not ended after a second, with what they start meanwhile; returns
    /// those that go on.
    pub(super) fn end(&mut self, detached: DetachedProcess) -> Vec<u32> {
        self.remember();
        self.signal(false);
        detached.end();
        let until = Instant::now() + PATIENCE;
        while self.alive_processes().next().is_some() && Instant::now() < until {
            std::thread::sleep(BREAK);
        }
        let until = Instant::now() + PATIENCE;
        loop {
            self.remember();
            let left: Vec<u32> = self.alive_processes().collect();
            if left.is_empty() || Instant::now() > until {
                return left;
            }
            self.signal(true);
            std::thread::sleep(BREAK);
        }
    }
}
