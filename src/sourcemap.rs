//! The source map: which bytes of an emitted file come from which bytes of the source, and which edit produced the
//! others. Bytes outside of all listed edits equal the source, read as UTF-8 with U+FFFD for invalid bytes.

use crate::source::line_end;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The document written to `.plugcast/sourcemap.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SourceMap {
    /// `plugcast.sourcemap/1`.
    pub schema: String,
    /// Emitted files that differ from their source, sorted by path; a generated file has no `from`.
    pub files: Vec<MappedFile>,
}

/// One emitted file that is not a plain copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MappedFile {
    /// Path relative to the bundle.
    pub path: String,
    /// The source file relative to SRC; absent when the whole file is generated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The edits, in the order of the emitted bytes.
    pub edits: Vec<MappedEdit>,
}

/// One place where emitted bytes differ from the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MappedEdit {
    /// The kind of the edit.
    pub edit: EditKind,
    /// The range of the new bytes in the emitted file.
    pub emitted: MappedRange,
    /// Which source bytes they replace; empty for an insertion.
    pub source: MappedRange,
    /// Why, in one sentence.
    pub reason: String,
}

/// A byte range and the 1-based lines of its first and last byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MappedRange {
    /// Byte offset of the first byte.
    pub start: usize,
    /// Byte offset after the last byte.
    pub end: usize,
    /// Line of the first byte.
    pub line: usize,
    /// Line of the last byte.
    pub end_line: usize,
}

/// The kind of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EditKind {
    /// The generated block *On this host*.
    Block,
    /// A frontmatter field, or frontmatter as a whole.
    Frontmatter,
    /// A byte order mark was removed.
    ByteOrderMark,
    /// A variable in a path or command.
    Variable,
    /// A path to a renamed file.
    Path,
    /// The name of a renamed component.
    Name,
    /// A construct that the host would execute or mangle.
    Construct,
    /// A field of a JSON file.
    Json,
}

impl EditKind {
    /// Whether the edit changes the author's text for the model. A generated block or frontmatter alone does not.
    pub fn touches_author_text(self) -> bool {
        matches!(self, EditKind::Variable | EditKind::Path | EditKind::Name | EditKind::Construct)
    }
}

/// The origin of a line of an emitted file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineTrace<'a> {
    /// The 1-based line in the source; for an inserted line, that of the insertion point.
    pub source_line: usize,
    /// The edits that produced a part of the line, in order.
    pub edits: Vec<&'a MappedEdit>,
}

impl MappedFile {
    /// Traces the 1-based `line` of the emitted text; `None` if there is no such line.
    pub fn trace(&self, emitted: &str, line: usize) -> Option<LineTrace<'_>> {
        let start = match line.checked_sub(1)? {
            0 => 0,
            before => emitted
                .match_indices('\n')
                .nth(before - 1)
                .map(|(at, _)| at + 1)
                .filter(|at| *at < emitted.len())?,
        };
        let end = line_end(emitted, start);
        let touches = |range: &MappedRange| {
            range.start <= end && range.end > start
                || range.start == range.end && (start..=end).contains(&range.start)
        };
        let edits: Vec<&MappedEdit> = self.edits.iter().filter(|edit| touches(&edit.emitted)).collect();
        if let Some(first) =
            edits.first().filter(|edit| edit.emitted.start <= start && edit.emitted.end > start)
        {
            return Some(LineTrace { source_line: first.source.line, edits });
        }
        let mut source_line = line;
        for edit in self.edits.iter().filter(|edit| edit.emitted.end <= start) {
            let made = emitted.get(edit.emitted.start..edit.emitted.end).unwrap_or("").matches('\n').count();
            source_line = (source_line + edit.source_line_feeds()).saturating_sub(made);
        }
        Some(LineTrace { source_line, edits })
    }
}

impl MappedEdit {
    /// How many line feeds of the source the edit removed. Frontmatter is removed in whole lines: the last removed byte
    /// is a line feed, too.
    fn source_line_feeds(&self) -> usize {
        let lines = self.source.end_line - self.source.line;
        let whole_lines = self.emitted.start == self.emitted.end && self.source.end > self.source.start;
        lines + usize::from(whole_lines && self.edit == EditKind::Frontmatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: usize, end: usize, line: usize, end_line: usize) -> MappedRange {
        MappedRange { start, end, line, end_line }
    }

    #[test]
    fn lines_are_traced_through_removed_and_inserted_ones() {
        // Source: `---\na: 1\na: 2\n---\nrun ${X}/y\n`; the first `a` is removed, a block of two lines is inserted, and
        // the variable is replaced by a dot.
        let emitted = "---\na: 2\n---\nB1\nB2\nrun ./y\n";
        let edit = |edit, emitted, source| MappedEdit { edit, emitted, source, reason: "r".into() };
        let map = MappedFile {
            path: "e".into(),
            from: Some("s".into()),
            edits: vec![
                edit(EditKind::Frontmatter, range(4, 4, 2, 2), range(4, 9, 2, 2)),
                edit(EditKind::Block, range(13, 19, 4, 5), range(18, 18, 5, 5)),
                edit(EditKind::Variable, range(23, 24, 6, 6), range(22, 26, 5, 5)),
            ],
        };
        let lines: Vec<_> = (1..=7)
            .map(|line| map.trace(emitted, line).map(|trace| (trace.source_line, trace.edits.len())))
            .collect();
        assert_eq!(
            lines,
            [Some((1, 0)), Some((3, 1)), Some((4, 0)), Some((5, 1)), Some((5, 1)), Some((5, 1)), None]
        );
    }
}
