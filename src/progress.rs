//! What a run is doing right now, in a few words, for who shows it to the user: a value that requests carry.

#[cfg(feature = "fault")]
mod hold;

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is being done, of how many things.
#[derive(Debug, Default)]
struct Activity {
    text: String,
    /// 0 where nobody knows yet.
    total: usize,
}

/// Prints what is worth a separate line.
type Announcer = Box<dyn Fn(&str) + Send + Sync + UnwindSafe + RefUnwindSafe>;

struct ProgressState {
    current: Mutex<Activity>,
    /// What is done over and over, and how often it was.
    outer: Mutex<Option<(Activity, usize)>>,
    /// How many of the current ones are done.
    done: AtomicUsize,
    announcer: Announcer,
}

/// Hears what a run is doing; the default hears nothing and costs nothing. Clones hear the same.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<ProgressState>>);

impl fmt::Debug for Progress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Progress({:?})", self.current())
    }
}

impl Progress {
    /// Remembers what is being done, and gives `announcer` what is worth a line.
    pub fn new(announcer: impl Fn(&str) + Send + Sync + UnwindSafe + RefUnwindSafe + 'static) -> Self {
        Self(Some(Arc::new(ProgressState {
            current: Mutex::default(),
            outer: Mutex::default(),
            done: AtomicUsize::new(0),
            announcer: Box::new(announcer),
        })))
    }

    /// Reports what begins now, such as `Codex: showing a bundle`; things that turn up meanwhile each call [`Self::step`].
    pub fn set(&self, text: impl Into<String>) {
        self.begin(text, 0);
    }

    /// Reports what begins now and is done to `total` things, each of which calls [`Self::step`].
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

    /// Where a test holds a run.
    fn hold(&self) {
        #[cfg(feature = "fault")]
        hold::pass(&self.current());
    }

    /// Reports in one line what the user should know before a long work goes on.
    pub fn announce(&self, line: &str) {
        if let Some(state) = &self.0 {
            (state.announcer)(line);
        }
    }

    /// Reports what is done to each of `total` things. As long as the answer lives, what is begun within each is not
    /// shown.
    pub fn each(&self, text: impl Into<String>, total: usize) -> RepeatedWork {
        if let Some(state) = &self.0 {
            *lock(&state.outer) = Some((Activity { text: text.into(), total }, 0));
        }
        RepeatedWork(self.clone())
    }

    /// One more is done, or has turned up.
    pub fn step(&self) {
        if let Some(state) = &self.0 {
            state.done.fetch_add(1, Ordering::Relaxed);
            self.hold();
        }
    }

    /// What was reported last, with how much of it is done.
    pub fn current(&self) -> String {
        let Some(state) = &self.0 else { return String::new() };
        if let Some((outer, done)) = lock(&state.outer).as_ref() {
            return shown(outer, *done);
        }
        let current = lock(&state.current);
        shown(&current, state.done.load(Ordering::Relaxed))
    }
}

/// Something that is done over and over.
#[derive(Debug)]
pub struct RepeatedWork(Progress);

impl RepeatedWork {
    /// One more is done.
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
        let progress = Progress::new(|_| ());
        let cases = progress.each("cases", 7);
        progress.clone().begin("files", 9);
        cases.step();
        assert_eq!(progress.current(), "cases: 1 of 7");
        drop(cases);
        assert_eq!(progress.current(), "files: 0 of 9");
    }

    #[test]
    fn two_runs_in_one_program_hear_nothing_of_each_other() {
        let (one, other) = (Progress::new(|_| ()), Progress::default());
        one.set("building");
        other.set("checking");
        assert_eq!((one.current().as_str(), other.current().as_str()), ("building", ""));
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
