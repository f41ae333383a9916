//! Places in a text: by bytes, and as users see them.

/// A byte range of one file, end exclusive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// The range `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The same range, shifted by `by` bytes.
    pub fn shifted(self, by: usize) -> Self {
        Self::new(self.start + by, self.end + by)
    }

    /// Whether it contains `offset`.
    pub fn contains(self, offset: usize) -> bool {
        (self.start..self.end).contains(&offset)
    }

    /// The same range without trailing white space in `text`.
    pub fn trimmed(self, text: &str) -> Self {
        Self::new(self.start, self.start + self.slice(text).trim_end().len())
    }

    /// The bytes of `text` in this range; empty if the range does not fit the text.
    pub fn slice(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or("")
    }
}

/// A position as shown to users: both 1-based, the column in Unicode code points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// 1-based line.
    pub line: usize,
    /// 1-based column, in Unicode code points.
    pub column: usize,
}
