//! What this program is doing right now, in a few words, for whoever shows it to a person.

use std::sync::{Mutex, PoisonError};

static CURRENT: Mutex<String> = Mutex::new(String::new());

/// Says what begins now, such as `Codex: showing a bundle`.
pub fn set(text: impl Into<String>) {
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = text.into();
}

/// What was said last.
pub fn current() -> String {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
