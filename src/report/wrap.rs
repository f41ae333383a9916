//! Wraps lines for a terminal between words, with a hanging indent. Source lines stay unchanged.

use crate::source::last_line;
/// Lines are not wrapped for terminals narrower than this.
const NARROW: usize = 40;

/// Wraps the lines of `text` that are longer than `width`.
pub fn wrap(text: &str, width: usize) -> String {
    if width < NARROW {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (words, end) = line.strip_suffix('\n').map_or((line, ""), |words| (words, "\n"));
        if length(words) <= width || is_source(words) {
            out.push_str(words);
        } else {
            wrap_line(words, width, &mut out);
        }
        out.push_str(end);
    }
    out
}

/// Wraps the paragraphs of a Markdown page to `width`; code, tables and headings are not wrapped.
pub fn page(text: &str, width: usize) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut fence = OpenFence::default();
    for line in text.lines() {
        let is_code = fence.is_in_code(line);
        // The lines of a paragraph are joined first.
        let flows = |line: &str| !line.is_empty() && !is_preformatted(line);
        let last = last_line(joined.trim_end_matches('\n'));
        let goes_on = !is_code && flows(line) && !line.starts_with("- ");
        if goes_on && joined.ends_with('\n') && !joined.ends_with("\n\n") && flows(last) {
            joined.pop();
            joined.push(' ');
        }
        joined.push_str(line);
        joined.push('\n');
    }
    let mut fence = OpenFence::default();
    let lines =
        joined.split_inclusive('\n').map(|line| match fence.is_in_code(line) || is_preformatted(line) {
            true => line.to_owned(),
            false => wrap(line, width),
        });
    lines.collect()
}

/// The length of the currently open code fence, if any.
#[derive(Default)]
struct OpenFence(Option<usize>);

impl OpenFence {
    /// Whether the next line is part of a code block, including its fences.
    fn is_in_code(&mut self, line: &str) -> bool {
        let length = line.len() - line.trim_start_matches('`').len();
        match self.0 {
            Some(open) if length >= open => self.0 = None,
            None if length >= 3 => self.0 = Some(length),
            open => return open.is_some(),
        }
        true
    }
}

/// Whether a line of a page is not part of a paragraph.
fn is_preformatted(line: &str) -> bool {
    line.starts_with(['#', '|', ' ']) || line.starts_with("```")
}

/// Whether a line shows a source: a number and a bar, or marks below one.
fn is_source(line: &str) -> bool {
    let plain = visible(line);
    let rest = plain.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    rest.starts_with('|')
        || rest.starts_with(" |")
        || plain.trim_start().starts_with("-->")
        || plain.starts_with(['+', '-', '@'])
}

fn wrap_line(line: &str, width: usize, out: &mut String) {
    let plain = visible(line);
    let indent = plain.len() - plain.trim_start().len();
    let note = plain.trim_start().strip_prefix("= ").and_then(|rest| rest.find(": "));
    let hang = note.map_or(indent + 2, |colon| indent + "= ".len() + colon + ": ".len()).min(width / 2);
    let mut used = 0;
    for (at, word) in line.split(' ').enumerate() {
        let long = length(word);
        if at > 0 && used > hang && used + 1 + long > width {
            out.push('\n');
            out.push_str(&" ".repeat(hang));
            used = hang;
        } else if at > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += long;
    }
}

/// A text without color codes.
fn visible(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    out.push_str(rest);
    out
}

fn length(text: &str) -> usize {
    visible(text).chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_wrapped_again_and_code_is_unchanged() {
        let text = "# A page\n\nOne two three four five six seven\neight nine.\n\n- one\n- two\n\n```\na line of code that is a good deal longer\nthan\n```\n";
        let broken = "# A page\n\nOne two three four five six seven eight\n  nine.\n\n- one\n- two\n\n```\na line of code that is a good deal longer\nthan\n```\n";
        assert_eq!(page(text, 40), broken);
    }

    #[test]
    fn lines_break_between_words_below_the_first() {
        let text = "warning[a]: one two three four five six seven eight\n  = help: one two three four five six seven eight\n";
        let wrapped = "warning[a]: one two three four five six\n  seven eight\n  = help: one two three four five six\n          seven eight\n";
        assert_eq!(wrap(text, 40), wrapped);
    }

    #[test]
    fn sources_and_colours_stay() {
        let source = format!("12 | {}\n   | {}\n", "word ".repeat(20), "^".repeat(60));
        assert_eq!(wrap(&source, 50), source);
        let colored = format!("\u{1b}[1m{}\u{1b}[0m", "wide ".repeat(8).trim_end());
        assert_eq!(wrap(&colored, 40), colored);
        assert_eq!(wrap("a b", 10), "a b");
    }
}
