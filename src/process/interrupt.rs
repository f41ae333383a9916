//! Interrupts (SIGINT, SIGTERM): recorded, so that all work stops at the next safe point and cleans up, while every
//! child is killed at once. A second one ends the program, and so does the first one if nothing was changed or started
//! yet.

use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

use super::group;

/// The exit code of an interrupted program.
pub const INTERRUPTED: u8 = 130;

static PENDING: AtomicBool = AtomicBool::new(false);
/// Whether an interrupt must leave time for cleanup.
static IN_CRITICAL_SECTION: AtomicBool = AtomicBool::new(false);
/// Leaders of the running groups, which are not reaped yet.
static GROUPS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Installs the signal handlers.
///
/// # Errors
/// When the handlers cannot be installed.
pub fn listen() -> io::Result<()> {
    listen_for(&[SIGINT, SIGTERM], || {})
}

/// Every signal that asks a program to terminate, including that of a closed terminal.
pub const ALL: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// A signal this soon after the first is the same one: a group leader may receive it twice.
const REPEATED_SIGNAL: Duration = Duration::from_secs(1);

/// Installs handlers for these signals. `last` is called before one ends the program at once.
///
/// # Errors
/// When the handlers cannot be installed.
pub fn listen_for(signals: &[i32], last: impl Fn() + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new(signals)?;
    // Ignore SIGXFSZ, so that a write beyond the file size limit fails instead of killing the program.
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    std::thread::Builder::new().name("interrupt".to_owned()).spawn(move || {
        let mut first = None;
        for _ in signals.forever() {
            PENDING.store(true, Ordering::SeqCst);
            let again = first.is_some_and(|first: Instant| first.elapsed() > REPEATED_SIGNAL);
            first.get_or_insert_with(Instant::now);
            if again || !IN_CRITICAL_SECTION.load(Ordering::SeqCst) {
                last();
                signal_hook::low_level::exit(INTERRUPTED.into());
            }
            groups().iter().for_each(|leader| group::kill(*leader));
        }
    })?;
    Ok(())
}

/// Marks the start of a change that an interrupt must not leave half done. The caller calls [`check`] afterwards.
pub fn enter_critical_section() {
    IN_CRITICAL_SECTION.store(true, Ordering::SeqCst);
}

/// Whether an interrupt is pending.
pub fn pending() -> bool {
    PENDING.load(Ordering::SeqCst)
}

/// Runs cleanup that is still needed after an interrupt, such as releasing a resource; a second one ends the program.
pub fn set_aside<T>(work: impl FnOnce() -> T) -> T {
    let was_pending = PENDING.swap(false, Ordering::SeqCst);
    let done = work();
    if was_pending {
        PENDING.store(true, Ordering::SeqCst);
    }
    done
}

/// The error of work that stopped because of an interrupt.
///
/// # Errors
/// When an interrupt is pending.
pub fn check() -> io::Result<()> {
    if pending() { Err(io::Error::other("interrupted")) } else { Ok(()) }
}

/// A group that an interrupt must kill; one that started after the interrupt is killed now.
pub(super) fn started(leader: u32) {
    enter_critical_section();
    groups().insert(leader);
    if pending() {
        group::kill(leader);
    }
}

/// Kills the rest of a group. Its leader must not be reaped before: until then its id cannot be reused.
pub(super) fn end(leader: u32) {
    let mut groups = groups();
    group::kill(leader);
    groups.remove(&leader);
}

fn groups() -> MutexGuard<'static, BTreeSet<u32>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}
