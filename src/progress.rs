//! The progress of a run, in a few words, for display to the user; requests carry it as a value.

#[cfg(feature = "fault")]
mod hold;

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The current activity and its number of items.
#[derive(Debug, Default)]
struct Activity {
    text: String,
    /// 0 if unknown.
    total: usize,
}

/// Prints a separate line.
type Announcer = Box<dyn Fn(&str) + Send + Sync + UnwindSafe + RefUnwindSafe>;

struct ProgressState {
    current: Mutex<Activity>,
    /// The repeated outer activity, and how many repetitions are done.
    outer: Mutex<Option<(Activity, usize)>>,
    /// How many items of the current activity are done.
    done: AtomicUsize,
    announcer: Announcer,
}

/// Receives the progress of a run; the default ignores it at no cost. Clones share the same state.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<ProgressState>>);

impl fmt::Debug for Progress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Progress({:?})", self.activity())
    }
}

impl Progress {
    /// Records the progress, and passes announcements to `announcer`.
    pub fn new(announcer: impl Fn(&str) + Send + Sync + UnwindSafe + RefUnwindSafe + 'static) -> Self {
        Self(Some(Arc::new(ProgressState {
            current: Mutex::default(),
            outer: Mutex::default(),
            done: AtomicUsize::new(0),
            announcer: Box::new(announcer),
        })))
    }

    /// Starts an activity, such as `Codex: showing a bundle`; each item found during it calls [`Self::step`].
    pub fn set(&self, text: impl Into<String>) {
        self.begin(text, 0);
    }

    /// Starts an activity with `total` items, each of which calls [`Self::step`].
    pub fn begin(&self, text: impl Into<String>, total: usize) {
        let Some(state) = &self.0 else { return };
        let mut current = lock(&state.current);
        state.done.store(0, Ordering::Relaxed);
        *current = Activity { text: text.into(), total };
        drop(current);
        if total == 0 {
            self.hold();
        }
    }

    /// A point where a test can pause the run.
    fn hold(&self) {
        #[cfg(feature = "fault")]
        hold::pass(&self.activity());
    }

    /// Announces, in one line, what the user should know before a long operation continues.
    pub fn announce(&self, line: &str) {
        if let Some(state) = &self.0 {
            (state.announcer)(line);
        }
    }

    /// Starts a repeated activity with `total` items. While the returned value exists, activities within each item are
    /// not shown.
    pub fn repeat(&self, text: impl Into<String>, total: usize) -> RepeatedWork {
        if let Some(state) = &self.0 {
            *lock(&state.outer) = Some((Activity { text: text.into(), total }, 0));
        }
        RepeatedWork(self.clone())
    }

    /// Counts one more item.
    pub fn step(&self) {
        if let Some(state) = &self.0 {
            state.done.fetch_add(1, Ordering::Relaxed);
            self.hold();
        }
    }

    /// The current activity, with its count.
    pub fn activity(&self) -> String {
        let Some(state) = &self.0 else { return String::new() };
        if let Some((outer, done)) = lock(&state.outer).as_ref() {
            return counted_activity(outer, *done);
        }
        let current = lock(&state.current);
        counted_activity(&current, state.done.load(Ordering::Relaxed))
    }
}

/// A repeated activity.
#[derive(Debug)]
pub struct RepeatedWork(Progress);

impl RepeatedWork {
    /// Counts one more item.
    pub fn step(&self) {
        if let Some(state) = &self.0.0
            && let Some((_, done)) = lock(&state.outer).as_mut()
        {
            *done += 1;
        }
        self.0.hold();
    }
}

impl Drop for RepeatedWork {
    fn drop(&mut self) {
        if let Some(state) = &self.0.0 {
            *lock(&state.outer) = None;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn counted_activity(current: &Activity, done: usize) -> String {
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
        let progress = Progress::new(|_| ());
        let cases = progress.repeat("cases", 7);
        progress.clone().begin("files", 9);
        cases.step();
        assert_eq!(progress.activity(), "cases: 1 of 7");
        drop(cases);
        assert_eq!(progress.activity(), "files: 0 of 9");
    }

    #[test]
    fn two_runs_in_one_program_are_independent() {
        let (one, other) = (Progress::new(|_| ()), Progress::default());
        one.set("building");
        other.set("checking");
        assert_eq!((one.activity().as_str(), other.activity().as_str()), ("building", ""));
    }

    #[test]
    fn what_turns_up_is_counted_before_anybody_knows_how_much_it_is() {
        let shown = |total, done| counted_activity(&Activity { text: "files".to_owned(), total }, done);
        assert_eq!(shown(0, 0), "files");
        assert_eq!(shown(0, 2), "files: 2 found");
        assert_eq!(shown(9, 2), "files: 2 of 9");
        assert_eq!(shown(9, 10), "files: 9 of 9");
    }
}
