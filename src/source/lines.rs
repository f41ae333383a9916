//! Where the lines of a text begin, and the conversion between columns and byte offsets. The characters of long lines
//! are counted once, in strides, so that many positions on one line remain cheap.

use std::sync::OnceLock;

use super::span::{Position, Span};

/// Byte offsets of the line starts of one text, which is shorter than 4 GiB.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<u32>,
    /// How many characters begin before each multiple of [`STRIDE`]; computed lazily for texts with long lines.
    counted: OnceLock<Vec<usize>>,
}

/// The number of bytes per entry of `counted`.
const STRIDE: usize = 4096;

impl LineIndex {
    /// Indexes `text`; lines end at line feeds.
    pub fn new(text: &str) -> Self {
        let mut starts = Vec::with_capacity(text.len() / 32 + 1);
        starts.push(0);
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1));
        Self { starts, counted: OnceLock::new() }
    }

    /// The 1-based line that contains `offset`.
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start as usize <= offset).max(1)
    }

    /// The span of the 1-based `line` of the indexed text, including its line end.
    pub fn span(&self, text: &str, line: usize) -> Option<Span> {
        let start = *self.starts.get(line.checked_sub(1)?)? as usize;
        Some(Span::new(start, self.starts.get(line).map_or(text.len(), |start| *start as usize)))
    }

    /// Line and column of `offset` in the indexed text.
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let line = self.line(offset);
        let start = self.starts[line - 1] as usize;
        let offset = offset.min(text.len());
        if !text.is_char_boundary(offset) || offset < start {
            return Position { line, column: 1 };
        }
        let before = match offset - start {
            0..=STRIDE => count_characters(&text.as_bytes()[start..offset]),
            _ => self.characters(text, offset) - self.characters(text, start),
        };
        Position { line, column: before + 1 }
    }

    /// The byte offset of a position in the indexed text; a column after the end of the line is clamped.
    pub fn offset(&self, text: &str, place: Position) -> Option<usize> {
        let line = self.span(text, place.line)?;
        let column = place.column.saturating_sub(1);
        let mut from = line.start;
        let mut left = column;
        if column > STRIDE {
            let wanted = self.characters(text, line.start) + column;
            let counted = self.line_starts(text);
            let block = counted.partition_point(|before| *before < wanted).saturating_sub(1);
            let mut at = (block * STRIDE).clamp(line.start, line.end);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            (from, left) = (at, wanted - self.characters(text, at));
        }
        let rest = &text[from..line.end];
        Some(rest.char_indices().nth(left).map_or(line.end, |(at, _)| from + at))
    }

    /// How many characters begin before `offset`.
    fn characters(&self, text: &str, offset: usize) -> usize {
        let block = offset / STRIDE;
        self.line_starts(text)[block] + count_characters(&text.as_bytes()[block * STRIDE..offset])
    }

    fn line_starts(&self, text: &str) -> &[usize] {
        self.counted.get_or_init(|| {
            let mut before = 0;
            let mut counted = vec![0];
            for block in text.as_bytes().chunks(STRIDE) {
                before += count_characters(block);
                counted.push(before);
            }
            counted
        })
    }
}

/// The start of the line that contains `at`.
pub fn line_start(text: &str, at: usize) -> usize {
    memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |end| end + 1)
}

/// The last line of a text; empty after a line feed at the end.
pub fn last_line(text: &str) -> &str {
    &text[line_start(text, text.len())..]
}

/// The end of the line that contains `at`: its line feed, or the end of the text.
pub fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end)
}

/// The start of the line after the one that contains `at`; the end of the text if there is none.
pub fn next_line(text: &str, at: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end + 1)
}

/// How many characters begin in these bytes.
fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_counts_code_points() {
        let text = "a\né😀x\n";
        let index = LineIndex::new(text);
        assert_eq!(index.position(text, 0), Position { line: 1, column: 1 });
        assert_eq!(index.position(text, text.find('x').unwrap()), Position { line: 2, column: 3 });
        assert_eq!(index.position(text, text.len()), Position { line: 3, column: 1 });
    }

    #[test]
    fn a_line_begins_behind_one_line_feed_and_ends_at_the_next() {
        let text = "a\r\nbc\n";
        let lines = |at| (line_start(text, at), line_end(text, at), next_line(text, at));
        assert_eq!([lines(0), lines(2)], [(0, 2, 3); 2]);
        assert_eq!([lines(3), lines(5)], [(3, 5, 6); 2]);
        assert_eq!(lines(6), (6, 6, 6));
    }

    #[test]
    fn places_and_offsets_of_long_lines_agree() {
        let text = format!("a\n{}\nend", "aé😀".repeat(5000));
        let index = LineIndex::new(&text);
        let line = index.span(&text, 2).unwrap();
        for (column, (at, _)) in line.slice(&text).char_indices().enumerate() {
            let place = Position { line: 2, column: column + 1 };
            assert_eq!(index.position(&text, line.start + at), place);
            assert_eq!(index.offset(&text, place), Some(line.start + at));
        }
        assert_eq!(index.offset(&text, Position { line: 3, column: 9 }), Some(text.len()));
        assert_eq!(index.offset(&text, Position { line: 4, column: 1 }), None);
    }
}
