//! Edits by byte range: the only way text is changed. Everything outside the ranges is kept byte for byte, and the
//! result maps each edit to the emitted bytes.

use crate::source::Span;

/// Replaces the bytes of `span` by `text`; an empty span inserts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit<Tag> {
    /// The replaced bytes of the source.
    pub span: Span,
    /// The new bytes.
    pub text: String,
    /// The caller's tag of the edit.
    pub tag: Tag,
}

/// Where an edit ended up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedEdit<Tag> {
    /// The range of the source that was replaced.
    pub source: Span,
    /// The range of the new text that replaced it.
    pub emitted: Span,
    /// The edit's tag.
    pub tag: Tag,
}

/// Two edits that touch the same bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two edits overlap at bytes {}..{} and {}..{}", .0.start, .0.end, .1.start, .1.end)]
pub struct OverlapError(pub Span, pub Span);

/// Applies `edits`, which may be in any order.
///
/// # Errors
/// [`OverlapError`] when two edits touch the same bytes or a span does not lie on character boundaries
/// of `text`; nothing is applied then.
pub fn apply<Tag: Clone>(
    text: &str,
    edits: &[Edit<Tag>],
) -> Result<(String, Vec<AppliedEdit<Tag>>), OverlapError> {
    let mut order: Vec<&Edit<Tag>> = edits.iter().collect();
    order.sort_by_key(|edit| edit.span);
    let mut out = String::with_capacity(text.len() + edits.iter().map(|edit| edit.text.len()).sum::<usize>());
    let mut applied = Vec::with_capacity(edits.len());
    let mut last = Span::default();
    for edit in order {
        let Some(kept) = text.get(last.end..edit.span.start).filter(|_| text.is_char_boundary(edit.span.end))
        else {
            return Err(OverlapError(last, edit.span));
        };
        out.push_str(kept);
        let start = out.len();
        out.push_str(&edit.text);
        applied.push(AppliedEdit {
            source: edit.span,
            emitted: Span::new(start, out.len()),
            tag: edit.tag.clone(),
        });
        last = edit.span;
    }
    out.push_str(&text[last.end..]);
    Ok((out, applied))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: usize, end: usize, text: &str) -> Edit<()> {
        Edit { span: Span::new(start, end), text: text.to_owned(), tag: () }
    }

    #[test]
    fn keeps_everything_outside_the_ranges() {
        let (out, applied) =
            apply("one two three", &[edit(8, 13, "3"), edit(0, 3, "first"), edit(4, 4, "new ")]).unwrap();
        assert_eq!(out, "first new two 3");
        assert_eq!(applied.iter().map(|a| a.emitted.slice(&out)).collect::<Vec<_>>(), ["first", "new ", "3"]);
    }

    #[test]
    fn refuses_overlap_and_split_characters() {
        assert!(apply("abcdef", &[edit(0, 3, ""), edit(2, 4, "")]).is_err());
        assert!(apply("é", &[edit(0, 1, "")]).is_err());
        assert!(apply("é", &[edit(0, 9, "")]).is_err());
    }
}
