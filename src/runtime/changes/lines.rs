//! Counts the lines of a diff, file by file, as it streams past. The numbers in the hunk headers tell headers from
//! lines of a file, never the look of a line.

use super::file_list::{FileListEntry, HEADER, UNMERGED};

/// The counts of one file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LineCount {
    pub(super) added: u64,
    pub(super) deleted: u64,
    pub(super) binary: bool,
    /// Whether the diff had lines or a binary, so that the counts are valid.
    pub(super) is_known: bool,
}

/// The outcome of reading a piece of a diff.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PieceOutcome {
    /// All of it belongs to this part.
    All,
    /// The next part begins after this many bytes of the kept bytes plus this piece.
    EndsAfter(usize),
    /// A header names a file that is not in the list.
    Unknown(Vec<u8>),
}

/// Reads a part of a diff: the files of one range of the list.
#[derive(Debug)]
pub(super) struct DiffReader {
    /// The first file.
    first: usize,
    /// The index of the current file in the list.
    at: usize,
    /// The first file after this part.
    end: usize,
    counts: Vec<LineCount>,
    /// The lines left in the open hunk, on the old and the new side.
    left: (u64, u64),
    /// Whether the rest of a content line is still to come.
    within: bool,
    /// The beginning of an incomplete header line.
    kept: Vec<u8>,
}

impl DiffReader {
    /// A reader of the files `first..end`.
    pub(super) fn new(first: usize, end: usize) -> Self {
        let counts = vec![LineCount::default(); end - first];
        Self { first, at: first, end, counts, left: (0, 0), within: false, kept: Vec::new() }
    }

    /// The bytes kept for the next piece.
    pub(super) fn kept_bytes(&self) -> &[u8] {
        &self.kept
    }

    /// Whether no hunk and no line is open.
    pub(super) fn is_whole(&self) -> bool {
        self.left == (0, 0) && !self.within && self.kept.is_empty()
    }

    /// The counts of all files.
    pub(super) fn counts(self) -> Vec<LineCount> {
        self.counts
    }

    /// Reads a piece. An incomplete header line is kept for the next piece.
    pub(super) fn feed(&mut self, listed: &[FileListEntry], piece: &[u8]) -> PieceOutcome {
        let (mut at, held) = (0, self.kept.len());
        while at < piece.len() {
            let rest = &piece[at..];
            let end = memchr::memchr(b'\n', rest);
            let length = end.map_or(rest.len(), |end| end + 1);
            if self.within {
                self.within = end.is_none();
            } else if self.left != (0, 0) {
                self.count(rest[0]);
                self.within = end.is_none();
            } else {
                let before = self.kept.len();
                self.kept.extend_from_slice(&rest[..length]);
                if end.is_some() {
                    let line = std::mem::take(&mut self.kept);
                    match self.line(listed, &line[..line.len() - 1]) {
                        PieceOutcome::EndsAfter(_) => return PieceOutcome::EndsAfter(held + at - before),
                        PieceOutcome::All => {}
                        unknown => return unknown,
                    }
                }
            }
            at += length;
        }
        PieceOutcome::All
    }

    /// Counts one content line by its first byte. An empty line may stand for a context line.
    fn count(&mut self, first: u8) {
        let (old, new) = match first {
            b'-' => (1, 0),
            b'+' => (0, 1),
            b'\\' => (0, 0),
            _ => (1, 1),
        };
        self.left = (self.left.0.saturating_sub(old), self.left.1.saturating_sub(new));
        if let Some(count) = self.counts.get_mut(self.at - self.first) {
            count.deleted += old * (1 - new);
            count.added += new * (1 - old);
        }
    }

    /// A line between hunks.
    fn line(&mut self, listed: &[FileListEntry], line: &[u8]) -> PieceOutcome {
        let known = |lines: &mut Self, binary: bool| {
            if let Some(count) = lines.counts.get_mut(lines.at - lines.first) {
                count.is_known = true;
                count.binary |= binary;
            }
        };
        if line.starts_with(HEADER) || line.starts_with(UNMERGED) {
            let Some(found) = listed[self.at..].iter().position(|one| one.is_header(line)) else {
                return PieceOutcome::Unknown(line.to_vec());
            };
            self.at += found;
            if self.at >= self.end {
                return PieceOutcome::EndsAfter(0);
            }
        } else if let Some(sizes) = line.strip_prefix(b"@@ -") {
            self.left = hunk(sizes).unwrap_or_default();
            known(self, false);
        } else if line.starts_with(b"Binary files ") {
            known(self, true);
        }
        PieceOutcome::All
    }
}

/// The line counts of both sides, from `1,2 +3,4 @@ …`.
fn hunk(sizes: &[u8]) -> Option<(u64, u64)> {
    let text = std::str::from_utf8(sizes.split(|byte| *byte == b'@').next()?).ok()?;
    let mut sides = text.trim_end().split(" +");
    let mut lines = || -> Option<u64> {
        let side = sides.next()?;
        side.split_once(',').map_or(Some(1), |(_, lines)| lines.parse().ok())
    };
    Some((lines()?, lines()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &[u8] = b"diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@ fn\n one\n--- a/x\n+++ b/x\n\n\
        @@ -9 +9,2 @@\n-x\n\\ No newline at end of file\n+x\n+diff --git a/b b/b\n\\ No newline at end of file\n\
        diff --git a/b b/b\nold mode 1\nnew mode 2\n\
        diff --git a/c b/c\nnew file mode 100644\nBinary files /dev/null and b/c differ\n\
        * Unmerged path d\n";

    fn listed() -> Vec<FileListEntry> {
        ["M\ta", "M\tb", "A\tc", "U\td"]
            .map(|end| FileListEntry::read(format!(":1 1 0 0 {end}").as_bytes()).unwrap())
            .into()
    }

    fn counts(lines: DiffReader) -> Vec<(u64, u64, bool, bool)> {
        lines.counts().into_iter().map(|c| (c.added, c.deleted, c.binary, c.is_known)).collect()
    }

    #[test]
    fn lines_are_counted_however_the_diff_is_cut() {
        let wanted = [(3, 2, false, true), (0, 0, false, false), (0, 0, true, true), (0, 0, false, false)];
        for size in 1..DIFF.len() {
            let mut lines = DiffReader::new(0, 4);
            for piece in DIFF.chunks(size) {
                assert_eq!(lines.feed(&listed(), piece), PieceOutcome::All);
            }
            assert_eq!(counts(lines), wanted, "pieces of {size} bytes");
        }
    }

    #[test]
    fn a_part_ends_before_the_file_of_the_next_one() {
        let begins = memchr::memmem::find(DIFF, b"diff --git a/c").unwrap();
        for size in 1..DIFF.len() {
            let mut lines = DiffReader::new(0, 2);
            let mut passed = 0;
            for piece in DIFF.chunks(size) {
                let kept = lines.kept.len();
                match lines.feed(&listed(), piece) {
                    PieceOutcome::All => passed += piece.len(),
                    PieceOutcome::EndsAfter(at) => {
                        passed = passed - kept + at;
                        break;
                    }
                    unknown => panic!("{unknown:?}"),
                }
            }
            assert_eq!(passed, begins, "pieces of {size} bytes");
            assert_eq!(counts(lines).len(), 2);
        }
    }

    #[test]
    fn a_header_of_no_file_is_told() {
        let mut lines = DiffReader::new(0, 4);
        let line = b"diff --git a/z b/z".to_vec();
        assert_eq!(lines.feed(&listed(), b"diff --git a/z b/z\n"), PieceOutcome::Unknown(line));
    }
}
