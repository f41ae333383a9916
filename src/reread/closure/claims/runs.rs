//! Where the words and the link destinations of a text end. A line may be one word with a slash in every other byte, or
//! a series of unclosed links, so no bytes are scanned twice.

use memchr::memchr3;

use crate::read::path_words::{word_end, word_start};
use crate::source::Span;

/// The maximum length of a path in bytes; no operating system opens a longer one.
pub(super) const LONGEST: usize = 4096;

/// The bytes that were scanned last.
#[derive(Debug, Default)]
pub(super) struct ScannedRun(Span);

impl ScannedRun {
    /// The end of the run that contains `from`; `scan` finds it if it is not known yet.
    pub(super) fn end(&mut self, from: usize, scan: impl FnOnce() -> usize) -> usize {
        if !self.0.contains(from) {
            self.0 = Span::new(from, scan());
        }
        self.0.end
    }
}

/// The words of a text, in order.
#[derive(Debug, Default)]
pub(super) struct ScannedWord {
    run: ScannedRun,
    /// The last word that was returned.
    last: Span,
}

impl ScannedWord {
    /// The end of the word that contains `from`.
    pub(super) fn end(&mut self, text: &str, from: usize) -> usize {
        self.run.end(from, || word_end(text, from))
    }

    /// The word around the slash at `at`, not before `floor`; `None` if it is too long for a path, or was returned
    /// before: a claim in it would have moved `floor` past this slash.
    pub(super) fn word_at(&mut self, text: &str, floor: usize, at: usize) -> Option<Span> {
        let known = self.last.contains(at);
        let start = if known { floor.max(self.last.start) } else { word_start(text, floor, at) };
        if known && start == self.last.start {
            return None;
        }
        self.last = Span::new(start, self.end(text, at));
        (self.last.end - start <= LONGEST).then_some(self.last)
    }
}

/// The end of the link destination that begins at `from`; the end of the text if it is never closed.
pub(super) fn link_end(text: &str, from: usize) -> usize {
    let rest = &text.as_bytes()[from..];
    let closed = memchr3(b')', b' ', b'\n', rest).unwrap_or(rest.len());
    from + memchr::memchr(b'\t', &rest[..closed]).unwrap_or(closed)
}
