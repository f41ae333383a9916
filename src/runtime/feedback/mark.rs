//! The mark at the end of each reply, a comment that readers do not see. It tells which item the reply answers, for which
//! run and round, with which verdict, and which comments of others it takes into account: an interrupted call finds its
//! own reply by it, and any run sees whether something was written that the reply does not answer.

use std::fmt::{self, Display, Formatter};

use super::outcome::FeedbackVerdict;

const BEFORE: &str = "<!-- plugcast:feedback ";
const AFTER: &str = " -->";

/// The mark of a reply.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ReplyMark<'a> {
    /// The run and its round.
    pub(super) origin: &'a str,
    /// The verdict.
    pub(super) verdict: FeedbackVerdict,
    /// The fingerprints of the comments that it takes into account.
    pub(super) read: &'a str,
    /// The item.
    pub(super) item: &'a str,
}

impl<'a> ReplyMark<'a> {
    /// The mark of a comment: its last line.
    pub(super) fn parse(body: &'a str) -> Option<Self> {
        let last = body.trim_end().rsplit('\n').next()?;
        let inner = last.strip_prefix(BEFORE)?.strip_suffix(AFTER)?;
        let [origin, verdict, read, item] = *inner.split(' ').collect::<Vec<_>>() else { return None };
        Some(Self { origin, verdict: FeedbackVerdict::parse(verdict)?, read, item })
    }
}

impl Display for ReplyMark<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let Self { origin, verdict, read, item } = self;
        write!(out, "{BEFORE}{origin} {} {read} {item}{AFTER}", verdict.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_is_written() {
        for read in ["0a1b2c3d4e5f", ""] {
            let mark = ReplyMark { origin: "run/1", verdict: FeedbackVerdict::NeedsHuman, read, item: "T1" };
            assert_eq!(ReplyMark::parse(&format!("Text.\n\n{mark}\r\n")), Some(mark));
        }
        for other in [
            "<!-- plugcast:feedback run/1 fixed 0a1b T1 -->\nmore",
            "> <!-- plugcast:feedback run/1 fixed 0a1b T1 -->",
            "<!-- plugcast:feedback run/1 great 0a1b T1 -->",
            "<!-- plugcast:feedback run/1 T1 -->",
        ] {
            assert_eq!(ReplyMark::parse(other), None, "{other}");
        }
    }
}
