//! What this program is doing right now, in a few words, for whoever shows it to a person.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What is being done, of how many things.
struct Activity {
    text: String,
    total: usize,
}

static CURRENT: Mutex<Activity> = Mutex::new(Activity { text: String::new(), total: 0 });
/// How many of them are done.
static DONE: AtomicUsize = AtomicUsize::new(0);

/// Says what begins now, such as `Codex: showing a bundle`.
pub fn set(text: impl Into<String>) {
    begin(text, 0);
}

/// Says what begins now and is done to `total` things, each of which calls [`step`].
pub fn begin(text: impl Into<String>, total: usize) {
    let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    DONE.store(0, Ordering::Relaxed);
    *current = Activity { text: text.into(), total };
}

/// One more is done.
pub fn step() {
    DONE.fetch_add(1, Ordering::Relaxed);
}

/// What was said last, with how much of it is done.
pub fn current() -> String {
    let current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    match current.total {
        0 => current.text.clone(),
        total => format!("{}: {} of {total}", current.text, DONE.load(Ordering::Relaxed).min(total)),
    }
}
