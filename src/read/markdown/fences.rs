//! A cheap scan for the fences and headings of a Markdown text, which spares simple texts a full parse: if fences occur
//! only in unambiguous places, the lines alone show whether each is closed, and which lines are headings.

use crate::source::{Span, line_end, line_start};

/// Whether every fenced block of `text` is certainly closed. `false` means only that a parser must decide.
pub fn surely_closed(text: &str) -> bool {
    sure_blocks(text).is_some()
}

/// The titles of the lines that are certainly headings. There may be others, which only a parser can find.
pub fn sure_headings(text: &str) -> Vec<&str> {
    let Some(blocks) = sure_blocks(text) else { return Vec::new() };
    let mut parts = Vec::new();
    let mut at = 0;
    for block in blocks {
        parts.push(&text[at..block.start]);
        at = block.end;
    }
    parts.extend(Some(&text[at..]).filter(|rest| is_plain(rest)));
    let title = |line| {
        let title = str::trim_start_matches(line, '#');
        let is_heading = (1..=6).contains(&(line.len() - title.len())) && title.starts_with(' ');
        is_heading.then_some(title)
    };
    parts.into_iter().flat_map(str::lines).filter_map(title).collect()
}

/// The fenced blocks of `text`, all closed; `None` if only a parser can tell, since a fence may be in a list, a block
/// quote, a table or HTML, where its line alone does not decide.
pub fn sure_blocks(text: &str) -> Option<Vec<Span>> {
    let bytes = text.as_bytes();
    let mut blocks = Vec::new();
    let mut open: Option<Fence> = None;
    // The end of the part already scanned.
    let mut seen = 0;
    for at in memchr::memchr2_iter(b'`', b'~', bytes) {
        let mark = bytes[at];
        if at < seen || bytes.get(at..at + 3).is_none_or(|fence| fence != [mark; 3]) {
            continue;
        }
        let length = bytes[at..].iter().take_while(|byte| **byte == mark).count();
        let (start, end) = (line_start(text, at), line_end(text, at));
        let rest = text[at + length..end].trim();
        let stands_alone = bytes[start..at].iter().all(|byte| *byte == b' ');
        open = match open {
            Some(block) if block.mark == mark && length >= block.length && rest.is_empty() => {
                // A line with less indentation may have ended the list that contains the block.
                let indent = block.at - block.start;
                if !stands_alone || at - start != indent || !is_indented(&text[block.end..start], indent) {
                    return None;
                }
                blocks.push(Span::new(block.start, end));
                None
            }
            Some(block) => Some(block),
            // Below a table row it may be another row, and with a backtick after it, it is not a fence.
            None if !stands_alone
                || rest.contains('`')
                || line_before(text, start).contains('|')
                || !is_plain(&text[seen..start]) =>
            {
                return None;
            }
            None => Some(Fence { mark, length, start, at, end }),
        };
        seen = end;
    }
    open.is_none().then_some(blocks)
}

/// The line that opens a block.
#[derive(Clone, Copy)]
struct Fence {
    mark: u8,
    length: usize,
    /// Where its line begins.
    start: usize,
    /// The start of the fence, after the indentation.
    at: usize,
    /// Where its line ends.
    end: usize,
}

/// Whether every line is blank or indented by at least `indent` spaces.
fn is_indented(lines: &str, indent: usize) -> bool {
    let has = |line: &str| {
        line.bytes().take_while(|byte| *byte == b' ').count() >= indent || line.trim().is_empty()
    };
    indent == 0 || lines.lines().all(has)
}

/// Whether the text has nothing that could absorb a fence at the start of a line: no line of HTML, no footnote. Lone
/// carriage returns are excluded too, since the parser sees line ends there.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    // The first `<` of a line decides: the text before a later one includes the text before the first.
    let mut end = 0;
    let html = |at: usize| {
        if at < end {
            return false;
        }
        let start = line_start(text, at);
        end = line_end(text, at);
        !bytes[start..at].iter().any(u8::is_ascii_alphanumeric)
    };
    !memchr::memchr_iter(b'<', bytes).any(html)
        && memchr::memmem::find(bytes, b"[^").is_none()
        && !memchr::memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n'))
}

/// The line before the one that begins at `at`.
fn line_before(text: &str, at: usize) -> &str {
    let end = at.saturating_sub(1);
    &text[line_start(text, end)..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::markdown::outline;

    #[test]
    fn is_sure_of_plain_fences_alone() {
        for text in [
            "",
            "a `b` c\n",
            "```sh\nx\n```\n",
            "~~~\n```\n~~~\n\n- a\n\n````\n```\n````\n",
            "a\n```\nb\n````  ",
            "- a\n\n  ```\n  x\n  ```\n",
            "   ```\n   x\n   ```\n",
            "```\n<b>\n[^1]\n```\n",
        ] {
            assert!(surely_closed(text), "{text:?}");
        }
        for text in [
            "```\nx\n",
            "```\nx\n~~~\n",
            "````\nx\n```\n",
            "- ```\n  x\n  ```\n",
            "   ```\nx\n   ```\n",
            "  ```\n  x\n ```\n",
            "> ```\n> x\n",
            "<pre>\n```\n</pre>\n",
            "| a |\n|---|\n```\nx\n```\n",
            "```a`b\n",
            "[^1]: x\n\n```\nx\n```\n",
        ] {
            assert!(!surely_closed(text), "{text:?}");
        }
    }

    const LINES: [&str; 25] = [
        "```",
        "````",
        "~~~",
        "```sh",
        "``` `",
        " ```",
        "- ```",
        "    ```",
        "> ```",
        "  ```",
        "  ```sh",
        "  x",
        "  <b>",
        "x",
        "# h",
        "",
        "<b>",
        "| a |",
        "|--|",
        "- a",
        "  ",
        "[a]: x \"t",
        "`a",
        "a\r```",
        "a](b",
    ];

    /// Nine of the lines.
    fn lines(state: &mut u64) -> String {
        let mut text = String::new();
        for _ in 0..9 {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(LINES[(*state >> 33) as usize % LINES.len()]);
            text.push('\n');
        }
        text
    }

    /// A block that the parser finds open at the end is never reported as closed, whatever the lines are.
    #[test]
    fn agrees_with_the_parser() {
        let mut state = 7_u64;
        for _ in 0..60_000 {
            let text = lines(&mut state);
            let found = outline(&text, Span::new(0, text.len()));
            let Some(last) = found.blocks.last().filter(|block| block.info.is_some()) else { continue };
            let whole = last.span.slice(&text).trim_end();
            let mark = whole.trim_start().chars().next().unwrap_or('`');
            let length = whole.chars().take_while(|c| *c == mark).count();
            let close =
                whole.lines().skip(1).last().unwrap_or_default().trim().trim_start_matches(['>', ' ']);
            let closed = close.len() >= length && close.chars().all(|c| c == mark);
            let at_end = text[last.span.end..].trim().is_empty();
            assert!(closed || !at_end || !surely_closed(&text), "{text:?}");
        }
    }

    /// A certain heading is also a heading for the parser, whatever the lines are.
    #[test]
    fn headings_agree_with_the_parser() {
        let mut state = 11_u64;
        let mut sure = 0;
        for _ in 0..60_000 {
            let text = lines(&mut state);
            if sure_headings(&text).contains(&" h") {
                sure += 1;
                let found = outline(&text, Span::new(0, text.len()));
                assert!(found.headings.iter().any(|heading| heading.text == "h"), "{text:?}");
            }
        }
        assert!(sure > 100, "{sure}");
    }
}
