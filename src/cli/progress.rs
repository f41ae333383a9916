//! A progress line on a terminal, shown when a run takes longer than a second and erased before anything else is
//! printed.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::printable;
use crate::progress::Progress;

/// Shorter runs show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(100);
/// Narrower than any terminal, so that the line never wraps and can be erased.
const WIDTH: usize = 72;
const TURNS: [char; 4] = ['|', '/', '-', '\\'];
const CLEAR: &str = "\r\x1b[K";

/// The state of the line.
#[derive(Debug, Default, PartialEq)]
enum LineState {
    #[default]
    Clean,
    Drawn,
    Finished,
}

/// The line, which a thread draws and every print erases. Clones share the same line.
#[derive(Debug, Clone, Default)]
pub struct ProgressLine(Arc<Mutex<LineState>>);

impl ProgressLine {
    fn state(&self) -> MutexGuard<'_, LineState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts to show progress, until [`Self::end`].
    pub fn begin(&self, progress: &Progress) {
        let start = Instant::now();
        let (own, progress) = (self.clone(), progress.clone());
        let draw = move || {
            loop {
                std::thread::sleep(PAUSE);
                let mut state = own.state();
                if *state == LineState::Finished {
                    return;
                }
                if let Some(line) = line(start.elapsed(), &progress.activity()) {
                    *state = LineState::Drawn;
                    // Errors of a closed terminal cannot be handled.
                    let _ = io::stderr().write_all(format!("{CLEAR}{line}").as_bytes());
                }
            }
        };
        // Without a thread there is no progress line, and the run continues.
        let _ = std::thread::Builder::new().name("progress".to_owned()).spawn(draw);
    }

    /// Erases the line; nothing is drawn afterwards.
    pub fn end(&self) {
        let mut state = self.state();
        if *state == LineState::Drawn {
            let _ = io::stderr().write_all(CLEAR.as_bytes());
        }
        *state = LineState::Finished;
    }

    /// Prints a line above the progress line.
    pub fn announce(&self, line: &str) {
        let mut state = self.state();
        let clear = if *state == LineState::Drawn { CLEAR } else { "" };
        let line = printable::line(line);
        let _ = io::stderr().write_all(format!("{clear}note: {line}\n").as_bytes());
        if *state == LineState::Drawn {
            *state = LineState::Clean;
        }
    }
}

/// The line after some time; `None` at first.
fn line(elapsed: Duration, activity: &str) -> Option<String> {
    if elapsed < PATIENCE || activity.is_empty() {
        return None;
    }
    let turn = TURNS[(elapsed.as_millis() / PAUSE.as_millis()) as usize % TURNS.len()];
    Some(format!("{turn} {} ({} s)", fit_activity(activity), elapsed.as_secs()))
}

/// The activity fitted to the width of the line; a long one is shortened before its count.
fn fit_activity(activity: &str) -> String {
    if activity.chars().count() <= WIDTH {
        return activity.to_owned();
    }
    let is_count = |end: &str| end.starts_with(|c: char| c.is_ascii_digit()) && end.len() < WIDTH / 2;
    let count = activity.rsplit_once(": ").map(|(_, end)| end).filter(|end| is_count(end));
    let count = count.map_or_else(String::new, |count| format!(": {count}"));
    let kept: String = activity.chars().take(WIDTH - count.len()).collect();
    format!("{kept}…{count}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_run_shows_nothing() {
        assert_eq!(line(Duration::from_millis(999), "building"), None);
        assert_eq!(line(Duration::from_secs(5), ""), None);
    }

    #[test]
    fn a_long_run_says_what_is_done_and_for_how_long() {
        assert_eq!(line(Duration::from_millis(1_000), "building").as_deref(), Some("- building (1 s)"));
        assert_eq!(line(Duration::from_millis(61_300), "building").as_deref(), Some("/ building (61 s)"));
        let long = line(PATIENCE, &"x".repeat(500)).unwrap();
        assert!(long.chars().count() < 85, "{long}");
        let counted = line(PATIENCE, &format!("writing `{}`: 12 of 345", "x".repeat(500))).unwrap();
        assert!(counted.chars().count() < 85 && counted.ends_with("x…: 12 of 345 (1 s)"), "{counted}");
    }
}
