//! What this program is doing right now, in a few words, for whoever shows it to a person.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is being done, of how many things.
struct Activity {
    text: String,
    /// 0 where nobody knows yet.
    total: usize,
}

static CURRENT: Mutex<Activity> = Mutex::new(Activity { text: String::new(), total: 0 });
/// What is done over and over, and how often it was.
static OUTER: Mutex<Option<(Activity, usize)>> = Mutex::new(None);
/// Who tells a person what is worth a line of its own.
static TELL: Mutex<Option<fn(&str)>> = Mutex::new(None);
/// How many of them are done.
static DONE: AtomicUsize = AtomicUsize::new(0);

/// Says what begins now, such as `Codex: showing a bundle`; things that turn up meanwhile each call [`step`].
pub fn set(text: impl Into<String>) {
    begin(text, 0);
}

/// Says what begins now and is done to `total` things, each of which calls [`step`].
pub fn begin(text: impl Into<String>, total: usize) {
    let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    DONE.store(0, Ordering::Relaxed);
    *current = Activity { text: text.into(), total };
}

/// From now on `tell` is given what [`announce`] says.
pub fn tell_by(tell: fn(&str)) {
    *TELL.lock().unwrap_or_else(PoisonError::into_inner) = Some(tell);
}

/// Says in one line what a person should know before a long work goes on.
pub fn announce(line: &str) {
    let tell = *TELL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(tell) = tell {
        tell(line);
    }
}

/// Says what is done to each of `total` things. As long as the answer lives, what is begun within each is not shown.
pub fn each(text: impl Into<String>, total: usize) -> Each {
    *outer() = Some((Activity { text: text.into(), total }, 0));
    Each(())
}

/// Something that is done over and over.
pub struct Each(());

impl Each {
    /// One more is done.
    pub fn step(&self) {
        if let Some((_, done)) = outer().as_mut() {
            *done += 1;
        }
    }
}

impl Drop for Each {
    fn drop(&mut self) {
        *outer() = None;
    }
}

fn outer() -> MutexGuard<'static, Option<(Activity, usize)>> {
    OUTER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One more is done, or has turned up.
pub fn step() {
    DONE.fetch_add(1, Ordering::Relaxed);
}

/// What was said last, with how much of it is done.
pub fn current() -> String {
    if let Some((outer, done)) = outer().as_ref() {
        return shown(outer, *done);
    }
    let current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    shown(&current, DONE.load(Ordering::Relaxed))
}

fn shown(current: &Activity, done: usize) -> String {
    match (current.total, done) {
        (0, 0) => current.text.clone(),
        (0, found) => format!("{}: {found} found", current.text),
        (total, done) => format!("{}: {} of {total}", current.text, done.min(total)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_over_and_over_is_counted_whatever_is_done_within() {
        let cases = each("cases", 7);
        begin("files", 9);
        cases.step();
        assert_eq!(current(), "cases: 1 of 7");
        drop(cases);
        assert_ne!(current(), "cases: 1 of 7");
    }

    #[test]
    fn what_turns_up_is_counted_before_anybody_knows_how_much_it_is() {
        let shown = |total, done| shown(&Activity { text: "files".to_owned(), total }, done);
        assert_eq!(shown(0, 0), "files");
        assert_eq!(shown(0, 2), "files: 2 found");
        assert_eq!(shown(9, 2), "files: 2 of 9");
        assert_eq!(shown(9, 10), "files: 9 of 9");
    }
}
