//! Tables and lists of a Markdown text as rows, with the span of every row and cell.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::source::Span;

/// A table or a list; all spans are byte ranges of the whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListBlock {
    /// The whole table or list.
    pub span: Span,
    /// The cells of a table's header; empty for a list.
    pub head: Vec<Span>,
    /// The rows of the table, or the outermost items of the list.
    pub rows: Vec<ListRow>,
}

/// A row of a table, or an item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListRow {
    /// The whole row; for an item, its first line without the marker.
    pub span: Span,
    /// Its cells; for an item, that line alone.
    pub cells: Vec<Span>,
}

/// The tables and the outermost lists in the part `body` of `text`, in order.
pub fn rows(text: &str, body: Span) -> Vec<ListBlock> {
    let mut out: Vec<ListBlock> = Vec::new();
    let mut depth = 0usize;
    let mut in_head = false;
    for (event, range) in Parser::new_ext(body.slice(text), Options::ENABLE_TABLES).into_offset_iter() {
        let span = Span::new(range.start, range.end).shifted(body.start);
        match event {
            Event::Start(Tag::Table(_)) => out.push(ListBlock { span, head: Vec::new(), rows: Vec::new() }),
            Event::Start(Tag::TableHead) => in_head = true,
            Event::End(TagEnd::TableHead) => in_head = false,
            Event::Start(Tag::TableRow) => {
                out.iter_mut().last().into_iter().for_each(|table| {
                    table.rows.push(ListRow { span, cells: Vec::new() });
                });
            }
            Event::Start(Tag::TableCell) => {
                let Some(table) = out.last_mut() else { continue };
                let cells = match table.rows.last_mut() {
                    Some(row) if !in_head => &mut row.cells,
                    _ => &mut table.head,
                };
                cells.push(span);
            }
            Event::Start(Tag::List(_)) => {
                if depth == 0 {
                    out.push(ListBlock { span, head: Vec::new(), rows: Vec::new() });
                }
                depth += 1;
            }
            Event::End(TagEnd::List(_)) => depth = depth.saturating_sub(1),
            Event::Start(Tag::Item) if depth == 1 => {
                let item = span.slice(text);
                let line = item.lines().next().unwrap_or_default();
                let words = line.trim_start_matches(|c: char| c.is_ascii_digit() || "-*+.) ".contains(c));
                // Emphasis at the start of an item is not part of its marker.
                let mark = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let words = match line.get(mark + 1..) {
                    Some(rest) if rest.starts_with(' ') => rest.trim_start(),
                    _ => words,
                };
                let start = span.start + line.len() - words.len();
                let row = Span::new(start, span.start + line.trim_end().len().max(line.len() - words.len()));
                if let Some(list) = out.last_mut() {
                    list.rows.push(ListRow { span: row, cells: vec![row] });
                }
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_their_bytes() {
        let text = "# A\n\n| Skill | What |\n|---|:-:|\n| `a\\|b` | x |\n| [c](d) |\n\n- **e** - f\n  - g\n- `h`\n\n1. i\n\n```\n| j | k |\n|---|---|\n```\n";
        let found = rows(text, Span::new(0, text.len()));
        let words =
            |spans: &[Span]| spans.iter().map(|span| span.slice(text).trim().to_owned()).collect::<Vec<_>>();
        let shown: Vec<_> = found
            .iter()
            .map(|rows| {
                (words(&rows.head), rows.rows.iter().map(|row| words(&row.cells)).collect::<Vec<_>>())
            })
            .collect();
        assert_eq!(shown.len(), 3, "{shown:?}");
        assert_eq!(shown[0].0, ["Skill", "What"]);
        assert_eq!(shown[0].1[0], ["`a\\|b`", "x"]);
        assert_eq!(shown[0].1[1][0], "[c](d)");
        assert_eq!(shown[1].1, [["**e** - f"], ["`h`"]]);
        assert_eq!(shown[2].1, [["i"]]);
        assert_eq!(found[0].rows[0].span.slice(text).trim(), "| `a\\|b` | x |");
    }
}
