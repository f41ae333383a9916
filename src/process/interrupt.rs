//! An interrupt (SIGINT, SIGTERM): remembered, so that all work stops at the next safe place and
//! tidies up, while every child that we started is killed at once. A second one ends the program, and so
//! does the first one as long as nothing was changed or started.

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
/// Whether there is something that an interrupt must not leave as it is.
static BUSY: AtomicBool = AtomicBool::new(false);
/// Leaders of the groups that were started and not reaped yet.
static GROUPS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Listens from now on, until the program ends.
///
/// # Errors
/// When the system does not let us.
pub fn listen() -> io::Result<()> {
    listen_for(&[SIGINT, SIGTERM], || {})
}

/// Every signal that asks a program to end, that of a terminal that is closed included.
pub const ALL: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// A signal so soon after the first is the same one: who ends a group tells its leader twice.
const SAME: Duration = Duration::from_secs(1);

/// Listens for these signals, until the program ends. `last` is called before one ends it at once.
///
/// # Errors
/// When the system does not let us.
pub fn listen_for(signals: &[i32], last: impl Fn() + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new(signals)?;
    // A file that grows beyond the limit of the user fails to be written, and ends nothing.
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    std::thread::Builder::new().name("interrupt".to_owned()).spawn(move || {
        let mut first = None;
        for _ in signals.forever() {
            PENDING.store(true, Ordering::SeqCst);
            let again = first.is_some_and(|first: Instant| first.elapsed() > SAME);
            first.get_or_insert_with(Instant::now);
            if again || !BUSY.load(Ordering::SeqCst) {
                last();
                signal_hook::low_level::exit(INTERRUPTED.into());
            }
            groups().iter().for_each(|leader| group::kill(*leader));
        }
    })?;
    Ok(())
}

/// Says that something is about to be changed or started, which an interrupt must not leave half done.
/// The caller asks [`check`] afterwards.
pub fn busy() {
    BUSY.store(true, Ordering::SeqCst);
}

/// Whether an interrupt came.
pub fn pending() -> bool {
    PENDING.load(Ordering::SeqCst)
}

/// Does what must still be done after an interrupt, such as giving something back; a second one ends the program.
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
/// When an interrupt came.
pub fn check() -> io::Result<()> {
    if pending() { Err(io::Error::other("interrupted")) } else { Ok(()) }
}

/// A group that an interrupt must kill; one that started after the interrupt is killed now.
pub(super) fn started(leader: u32) {
    busy();
    groups().insert(leader);
    if pending() {
        group::kill(leader);
    }
}

/// Kills what is left of a group. Its leader may be reaped afterwards, never before: until then its
/// id cannot belong to anybody else.
pub(super) fn end(leader: u32) {
    let mut groups = groups();
    group::kill(leader);
    groups.remove(&leader);
}

fn groups() -> MutexGuard<'static, BTreeSet<u32>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}
