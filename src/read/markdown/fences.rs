//! A cheap look at the fences of a Markdown text, for texts that need no other look: where the fences
//! stand plainly, their lines alone tell whether each is closed.

/// Whether no fenced block of `text` can be open at its end. `false` means only that a parser must look:
/// a fence may stand in a list, a quotation, a table or HTML, and then more than its line counts.
pub fn surely_closed(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut open: Option<(u8, usize)> = None;
    let mut looked = false;
    let mut seen = 0;
    for at in memchr::memchr2_iter(b'`', b'~', bytes) {
        let mark = bytes[at];
        if at < seen || bytes.get(at..at + 3).is_none_or(|fence| fence != [mark; 3]) {
            continue;
        }
        let length = bytes[at..].iter().take_while(|byte| **byte == mark).count();
        if at > 0 && bytes[at - 1] != b'\n' || !looked && !is_plain(text) {
            return false;
        }
        looked = true;
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end);
        let rest = text[at + length..end].trim();
        seen = end;
        open = match open {
            Some((other, least)) if other == mark && length >= least && rest.is_empty() => None,
            Some(block) => Some(block),
            // Below a row of a table it may be another row, and with a backtick behind it no fence.
            None if rest.contains('`') || above(bytes, at).contains(&b'|') => return false,
            None => Some((mark, length)),
        };
    }
    open.is_none()
}

/// Whether nothing stands in the text that can take a fence at the start of a line into itself: no line of
/// HTML, no footnote. Lines end as the parser sees them.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    // The first sign of a line tells: what stands before a later one includes what stands before it.
    let mut end = 0;
    let html = |at: usize| {
        if at < end {
            return false;
        }
        let start = memchr::memrchr(b'\n', &bytes[end..at]).map_or(end, |line| end + line + 1);
        end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |line| at + line);
        !bytes[start..at].iter().any(u8::is_ascii_alphanumeric)
    };
    !memchr::memchr_iter(b'<', bytes).any(html)
        && memchr::memmem::find(bytes, b"[^").is_none()
        && !memchr::memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n'))
}

/// The line above the one that begins at `at`.
fn above(bytes: &[u8], at: usize) -> &[u8] {
    let before = bytes[..at].strip_suffix(b"\n").unwrap_or_default();
    &before[memchr::memrchr(b'\n', before).map_or(0, |end| end + 1)..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::markdown::outline;
    use crate::source::Span;

    #[test]
    fn is_sure_of_plain_fences_alone() {
        for text in [
            "",
            "a `b` c\n",
            "```sh\nx\n```\n",
            "~~~\n```\n~~~\n\n- a\n\n````\n```\n````\n",
            "a\n```\nb\n````  ",
        ] {
            assert!(surely_closed(text), "{text:?}");
        }
        for text in [
            "```\nx\n",
            "```\nx\n~~~\n",
            "````\nx\n```\n",
            "- ```\n  x\n  ```\n",
            "   ```\nx\n   ```\n",
            "> ```\n> x\n",
            "<pre>\n```\n</pre>\n",
            "| a |\n|---|\n```\nx\n```\n",
            "```a`b\n",
            "[^1]: x\n\n```\nx\n```\n",
        ] {
            assert!(!surely_closed(text), "{text:?}");
        }
    }

    /// What the parser finds open at the end is never said to be closed, whatever the lines are.
    #[test]
    fn agrees_with_the_parser() {
        let lines = [
            "```",
            "````",
            "~~~",
            "```sh",
            "``` `",
            " ```",
            "- ```",
            "    ```",
            "> ```",
            "x",
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
        let mut state = 7_u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..6 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(lines[(state >> 33) as usize % lines.len()]);
                text.push('\n');
            }
            let found = outline(&text, Span::new(0, text.len()));
            let Some(last) = found.blocks.last().filter(|block| block.info.is_some()) else { continue };
            let whole = last.span.of(&text).trim_end();
            let mark = whole.trim_start().chars().next().unwrap_or('`');
            let length = whole.chars().take_while(|c| *c == mark).count();
            let close =
                whole.lines().skip(1).last().unwrap_or_default().trim().trim_start_matches(['>', ' ']);
            let closed = close.len() >= length && close.chars().all(|c| c == mark);
            let at_end = text[last.span.end..].trim().is_empty();
            assert!(closed || !at_end || !surely_closed(&text), "{text:?}");
        }
    }
}
