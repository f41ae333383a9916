//! Waits for another process with increasing pauses, up to a limit.

use std::io;
use std::time::{Duration, Instant};

use crate::process::interrupt;

const SHORTEST: Duration = Duration::from_millis(5);
const LONGEST: Duration = Duration::from_millis(200);

/// The remaining time to wait.
pub(super) struct Patience {
    start: Instant,
    limit: Duration,
    pause: Duration,
}

impl Patience {
    /// Starts now, and waits at most `limit`.
    pub(super) fn new(limit: Duration) -> Self {
        Self { start: Instant::now(), limit, pause: SHORTEST }
    }

    /// Whether the time is over.
    pub(super) fn is_over(&self) -> bool {
        self.start.elapsed() >= self.limit
    }

    /// Pauses before the next attempt.
    ///
    /// # Errors
    /// When an interrupt is pending.
    pub(super) fn pause(&mut self) -> io::Result<()> {
        interrupt::check()?;
        std::thread::sleep(self.pause);
        self.pause = (self.pause * 2).min(LONGEST);
        Ok(())
    }
}
