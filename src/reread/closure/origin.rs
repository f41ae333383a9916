//! From a place in an emitted file back to the source: through the source map where the file was
//! edited, at the same place where it is a copy.

use super::Emitted;
use crate::model::project::Project;
use crate::source::{SourceFile, Span};
use crate::sourcemap::{EditKind, MappedFile};

/// The source bytes behind `span` of an emitted file, and whether they were generated there.
pub(super) fn of<'a>(
    project: &'a Project,
    file: &Emitted<'_>,
    span: Span,
) -> Option<(&'a SourceFile, Span, bool)> {
    let source = project.tree.get(file.from?)?;
    let Some(map) = file.map else { return Some((source, span, false)) };
    let start = back(map, span.start, false);
    let end = back(map, span.end, true);
    let made = map.edits.iter().any(|edit| {
        let inside = (edit.emitted.start..edit.emitted.end).contains(&span.start);
        inside && matches!(edit.edit, EditKind::Block | EditKind::Frontmatter)
    });
    Some((source, Span::new(start, end.max(start)), made))
}

/// The source offset of an emitted one; `end` tells that it is the end of a range.
fn back(map: &MappedFile, offset: usize, end: bool) -> usize {
    let mut shift = 0isize;
    for edit in &map.edits {
        let (made, source) = (&edit.emitted, &edit.source);
        let inside = if end {
            made.start < offset && offset <= made.end
        } else {
            made.start <= offset && offset < made.end
        };
        if inside {
            return if end { source.end } else { source.start };
        }
        if made.end <= offset {
            shift = source.end as isize - made.end as isize;
        }
    }
    offset.saturating_add_signed(shift)
}
