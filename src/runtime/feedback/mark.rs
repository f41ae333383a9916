//! The mark at the end of each reply, a comment that readers do not see. It tells which item the reply answers, for which
//! run and round, with which verdict, and which comments of others it takes into account: an interrupted call finds its
//! own reply by it, and any run sees whether something was written that the reply does not answer.

use std::fmt::{self, Display, Formatter};

use super::record::FeedbackVerdict;

const BEFORE: &str = "<!-- plugcast:feedback ";
const AFTER: &str = " -->";

/// The mark of a reply.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ReplyMark<'a> {
    /// The run and its round.
    pub(super) origin: &'a str,
    /// The verdict; none in a mark of an early helper.
    pub(super) verdict: Option<FeedbackVerdict>,
    /// The fingerprints of the comments that it takes into account; none in a mark of an early helper.
    pub(super) read: Option<&'a str>,
    /// The item.
    pub(super) item: &'a str,
}

impl<'a> ReplyMark<'a> {
    /// The mark of a comment: its last line.
    pub(super) fn parse(body: &'a str) -> Option<Self> {
        let last = body.trim_end().rsplit('\n').next()?;
        let inner = last.strip_prefix(BEFORE)?.strip_suffix(AFTER)?;
        match *inner.split(' ').collect::<Vec<_>>() {
            [origin, item] => Some(Self { origin, verdict: None, read: None, item }),
            [origin, verdict, read, item] => {
                Some(Self { origin, verdict: FeedbackVerdict::parse(verdict), read: Some(read), item })
            }
            _ => None,
        }
    }
}

impl Display for ReplyMark<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let verdict = self.verdict.map_or("", FeedbackVerdict::word);
        let read = self.read.unwrap_or_default();
        write!(out, "{BEFORE}{} {verdict} {read} {}{AFTER}", self.origin, self.item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_is_written() {
        for read in ["0a1b2c3d4e5f", ""] {
            let verdict = Some(FeedbackVerdict::NeedsHuman);
            let mark = ReplyMark { origin: "run/1", verdict, read: Some(read), item: "T1" };
            assert_eq!(ReplyMark::parse(&format!("Text.\n\n{mark}\r\n")), Some(mark));
        }
        let early = ReplyMark::parse("<!-- plugcast:feedback run/1 T1 -->").unwrap();
        assert_eq!((early.item, early.verdict, early.read), ("T1", None, None));
        assert_eq!(ReplyMark::parse("<!-- plugcast:feedback run/1 T1 -->\nmore"), None);
        assert_eq!(ReplyMark::parse("> <!-- plugcast:feedback run/1 T1 -->"), None);
    }
}
