//! Shell examples in a text: its fenced blocks that are marked as shell, parsed as bash.

use super::context::PluginText;
use crate::check::bash::{self, ShellScript};
use crate::read::shell_names::ShellBlock;
use crate::source::Span;

/// One shell example; spans of `script` are relative to `start`.
#[derive(Debug)]
pub struct Example {
    /// The offset of its text in the file.
    pub start: usize,
    /// Its text.
    pub script: ShellScript,
}

impl Example {
    /// Converts a span of the example to one of the file.
    pub fn place(&self, span: Span) -> Span {
        span.shifted(self.start)
    }
}

/// The shell examples of `text`. A block that starts with `#!` is a file, not a command to run, and a block with syntax
/// errors is skipped.
pub fn examples(text: &PluginText<'_>) -> Vec<Example> {
    let mut out = Vec::new();
    for block in &text.outline().blocks {
        let info = block.info.as_deref().unwrap_or_default();
        if ShellBlock::parse(info) != Some(ShellBlock::Script) {
            continue;
        }
        let whole = block.span.slice(text.text);
        let Some(first) = whole.find('\n') else { continue };
        let inner = whole[first + 1..].trim_end();
        let inner = inner.trim_end_matches(['`', '~']);
        if inner.trim_start().starts_with("#!") {
            continue;
        }
        if let Some(script) = bash::parse(inner) {
            out.push(Example { start: block.span.start + first + 1, script });
        }
    }
    out
}
