//! The end of a server that was started and is not to stay, with all that it started: also what left its session, and
//! what lost its parent meanwhile.

use std::time::{Duration, Instant};

use crate::process::detached_process::DetachedProcess;
use crate::runtime::foreign_process;
use crate::runtime::listeners;

/// How long they may take to end before they are killed.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two looks.
const BREAK: Duration = Duration::from_millis(20);

/// Processes, each with when it started.
pub(super) type Family = Vec<(u32, u64)>;

/// Adds what belongs to `leader` now.
pub(super) fn remember(family: &mut Family, leader: u32) {
    for one in listeners::family(leader) {
        if !family.contains(&one) {
            family.push(one);
        }
    }
}

/// Asks all to end, and kills a second later what has not.
pub(super) fn end(detached: DetachedProcess, mut family: Family) {
    let leader = detached.id();
    remember(&mut family, leader);
    family.retain(|(pid, _)| *pid != leader);
    let signal = |kill| {
        for &(pid, started) in &family {
            // One that has ended, or may not be ended by this user, is left.
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
