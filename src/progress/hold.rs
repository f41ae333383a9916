//! Pauses a run at a given activity, for tests only, never in a released build: with `PLUGCAST_HOLD=TEXT` it waits,
//! once, for a line on standard input when an activity starts with TEXT.
#![expect(clippy::disallowed_methods, reason = "only this feature reads the variable")]

use std::io;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

const VARIABLE: &str = "PLUGCAST_HOLD";

static TEXT: LazyLock<Option<String>> = LazyLock::new(|| std::env::var(VARIABLE).ok());
static HELD: AtomicBool = AtomicBool::new(false);

/// Waits if the run is to be paused at `shown`.
pub(super) fn pass(shown: &str) {
    let is_wanted = TEXT.as_ref().is_some_and(|text| shown.starts_with(text));
    if is_wanted && !HELD.swap(true, Ordering::SeqCst) {
        let _ = io::stdin().read_line(&mut String::new());
    }
}
