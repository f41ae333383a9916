//! Emits a Markdown draft: the block is rendered, the edits are applied once, and the source map records the emitted
//! bytes of each edit. Markdown is never regenerated from a parsed tree.

use camino::Utf8Path;

use super::template::{TemplateCache, TemplateError};
use crate::bundle::draft::{Block, EditLabel, MarkdownDraft};
use crate::rewrite::{self, AppliedEdit, Edit, OverlapError};
use crate::source::Span;
use crate::sourcemap::{EditKind, MappedEdit, MappedFile, MappedRange};

/// First line of a block in an emitted file.
pub const BLOCK_OPEN: &str = "<!-- plugcast:on-this-host -->";
/// Last line of a block in an emitted file.
pub const BLOCK_CLOSE: &str = "<!-- /plugcast:on-this-host -->";

/// Why a draft cannot become a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MarkdownError {
    /// A line of the block cannot be rendered.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// Two edits overlap: a bug in the lowering.
    #[error("`{path}`: {overlap}")]
    Overlap {
        /// The source file.
        path: String,
        /// The two edits.
        overlap: OverlapError,
    },
}

/// The text of `draft` and its part of the source map, for the emitted path `path`.
///
/// # Errors
/// When a template of the target is wrong, or two edits overlap.
pub fn write(
    draft: &MarkdownDraft,
    path: &Utf8Path,
    lines: &mut TemplateCache,
) -> Result<(String, MappedFile), MarkdownError> {
    let (text, applied) = text(draft, lines)?;
    let (mut before, mut after) = (LineCounter::new(&draft.text), LineCounter::new(&text));
    let edits = applied
        .into_iter()
        .map(|applied| MappedEdit {
            edit: applied.tag.0,
            emitted: after.range(applied.emitted),
            source: before.range(applied.source),
            reason: applied.tag.1,
        })
        .collect();
    Ok((text, MappedFile { path: path.to_string(), from: Some(draft.path.to_string()), edits }))
}

/// The text of `draft`, and where its edits ended up, in order.
///
/// # Errors
/// When a template of the target is wrong, or two edits overlap.
pub fn text(
    draft: &MarkdownDraft,
    lines: &mut TemplateCache,
) -> Result<(String, Vec<AppliedEdit<EditLabel>>), MarkdownError> {
    let newline = draft.newline();
    let mut edits = draft.resolved_edits();
    if let Some(block) = &draft.block {
        let at = draft.document.body.start;
        let lead = if at == 0 || draft.text[..at].ends_with('\n') || draft.document.yaml.is_none() {
            ""
        } else {
            newline
        };
        let text = format!("{lead}{}", render(block, lines)?.replace('\n', newline));
        let tag = (EditKind::Block, "differences on this host are stated once".to_owned());
        edits.push(Edit { span: Span::new(at, at), text, tag });
    }
    rewrite::apply(&draft.text, &edits)
        .map_err(|overlap| MarkdownError::Overlap { path: draft.path.to_string(), overlap })
}

/// The emitted text of a block.
///
/// # Errors
/// When a template of the target is wrong.
pub fn render(block: &Block, lines: &mut TemplateCache) -> Result<String, MarkdownError> {
    let mut out = format!("{BLOCK_OPEN}\n{}\n\n", block.heading);
    for line in &block.lines {
        let text = match line.rendered.get() {
            Some(text) => text,
            None => {
                let text = lines.render(&line.template, &line.values)?;
                line.rendered.get_or_init(|| text)
            }
        };
        out.extend(["- ", text, "\n"]);
    }
    out.push_str(BLOCK_CLOSE);
    out.push('\n');
    Ok(out)
}

/// Computes the lines of a few offsets in ascending order, which is cheaper than an index of all lines.
struct LineCounter<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> LineCounter<'a> {
    fn new(text: &'a str) -> Self {
        Self { text: text.as_bytes(), at: 0, line: 1 }
    }

    /// The 1-based line of `offset`.
    fn line(&mut self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        if offset < self.at {
            (self.at, self.line) = (0, 1);
        }
        self.line += memchr::memchr_iter(b'\n', &self.text[self.at..offset]).count();
        self.at = offset;
        self.line
    }

    fn range(&mut self, span: Span) -> MappedRange {
        let last = span.end.saturating_sub(1).max(span.start);
        MappedRange {
            start: span.start,
            end: span.end,
            line: self.line(span.start),
            end_line: self.line(last),
        }
    }
}
