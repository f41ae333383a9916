//! Ends a server that must not keep running, with everything that it started, including processes that left its session
//! or lost their parent.

use std::time::{Duration, Instant};

use crate::process::detached_process::DetachedProcess;
use crate::runtime::foreign_process;
use crate::runtime::listeners;

/// How long processes may take to end before they are killed.
const PATIENCE: Duration = Duration::from_secs(1);
/// The pause between two checks.
const BREAK: Duration = Duration::from_millis(20);

/// Processes, each with its start time.
pub(super) type Family = Vec<(u32, u64)>;

/// Adds the processes that currently belong to `leader`.
pub(super) fn remember(family: &mut Family, leader: u32) {
    for one in listeners::family(leader) {
        if !family.contains(&one) {
            family.push(one);
        }
    }
}

/// Terminates all, and kills those that have not ended after a second.
pub(super) fn end(detached: DetachedProcess, mut family: Family) {
    let leader = detached.id();
    remember(&mut family, leader);
    family.retain(|(pid, _)| *pid != leader);
    let signal = |kill| {
        for &(pid, started) in &family {
            // Ignores processes that have ended, or that this user may not end.
            let _ = foreign_process::end(pid, kill, || listeners::is_alive(pid, Some(started)));
        }
    };
    signal(false);
    detached.end();
    let until = Instant::now() + PATIENCE;
    let is_left = || family.iter().any(|&(pid, started)| listeners::is_alive(pid, Some(started)));
    while is_left() && Instant::now() < until {
        std::thread::sleep(BREAK);
    }
    signal(true);
}
