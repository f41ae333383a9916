//! Maps a span in an emitted file back to the source: through the source map if the file was edited, unchanged if it is
//! a copy.

use super::EmittedFile;
use crate::model::project::Project;
use crate::source::{SourceFile, Span};
use crate::sourcemap::{EditKind, MappedFile};

/// The source span of `span` in an emitted file, and whether the emitted bytes were generated.
pub(super) fn find<'a>(
    project: &'a Project,
    file: &EmittedFile<'_>,
    span: Span,
) -> Option<(&'a SourceFile, Span, bool)> {
    let source = project.tree.get(file.from?)?;
    let Some(map) = file.map else { return Some((source, span, false)) };
    let start = source_offset(map, span.start, false);
    let end = source_offset(map, span.end, true);
    let edit = map.edits.get(edits_before(map, span.start)).filter(|edit| edit.emitted.start <= span.start);
    let made = edit.is_some_and(|edit| matches!(edit.edit, EditKind::Block | EditKind::Frontmatter));
    Some((source, Span::new(start, end.max(start)), made))
}

/// How many edits end at or before `offset`; edits are in the order of the emitted bytes and do not overlap.
fn edits_before(map: &MappedFile, offset: usize) -> usize {
    map.edits.partition_point(|edit| edit.emitted.end <= offset)
}

/// The source offset of an emitted one; `end` is true if it is the end of a range.
fn source_offset(map: &MappedFile, offset: usize, end: bool) -> usize {
    let ended = edits_before(map, offset);
    let mut before = map.edits[..ended].iter().rev();
    if end {
        let ending = before.clone().take_while(|edit| edit.emitted.end == offset);
        if let Some(edit) = ending.filter(|edit| edit.emitted.start < offset).last() {
            return edit.source.end;
        }
    }
    match map.edits.get(ended) {
        Some(edit) if end && edit.emitted.start < offset => edit.source.end,
        Some(edit) if !end && edit.emitted.start <= offset => edit.source.start,
        _ => {
            let shift = before.next().map_or(0, |edit| edit.source.end as isize - edit.emitted.end as isize);
            offset.saturating_add_signed(shift)
        }
    }
}
