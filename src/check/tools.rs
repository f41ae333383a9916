//! The lists of tools in frontmatter, each tool with its span.

use crate::model::component::Component;
use crate::read::tree::{MappingEntry, Node, Style};
use crate::source::{Span, next_line};

/// The fields that list tools.
pub const LISTS: [&str; 4] = ["tools", "disallowedTools", "allowed-tools", "disallowed-tools"];

/// A tool of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTool<'t> {
    /// As written: `Bash(git *)`.
    pub text: &'t str,
    /// Its span.
    pub span: Span,
}

impl<'t> ListedTool<'t> {
    /// The name before the parenthesis.
    pub fn name(&self) -> &'t str {
        self.text.split('(').next().unwrap_or(self.text).trim()
    }
}

/// The entry of the first of `keys` that the component has.
pub fn entries<'c>(component: &'c Component, keys: &[&str]) -> Vec<&'c MappingEntry> {
    let fields = component.document.fields.as_ref();
    keys.iter().filter_map(|key| fields?.entry(key)).collect()
}

/// The tools that a field lists, separated by commas and blanks outside parentheses.
pub fn listed_tools<'t>(text: &'t str, node: &Node) -> Vec<ListedTool<'t>> {
    match node.items() {
        Some(items) => items.iter().flat_map(|item| scalar(text, item)).collect(),
        None => scalar(text, node),
    }
}

fn scalar<'t>(text: &'t str, node: &Node) -> Vec<ListedTool<'t>> {
    if node.scalar().is_none() {
        return Vec::new();
    }
    let mut span = node.span;
    match node.style {
        Style::Single | Style::Double => {
            span = Span::new(span.start + 1, span.end.saturating_sub(1).max(span.start + 1))
        }
        // The first line contains the block indicator.
        Style::Block if span.slice(text).starts_with(['|', '>']) => {
            span.start += next_line(span.slice(text), 0);
        }
        Style::Block => {}
        Style::Plain => {}
    }
    let (raw, mut out, mut depth, mut from) = (span.slice(text), Vec::new(), 0usize, 0);
    let mut end = |from: usize, to: usize| {
        let part = &raw[from..to];
        if !part.is_empty() {
            out.push(ListedTool { text: part, span: Span::new(from, to).shifted(span.start) });
        }
    };
    for (at, c) in raw.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (c == ',' || c.is_whitespace()) {
            end(from, at);
            from = at + c.len_utf8();
        }
    }
    end(from, raw.len());
    out
}
