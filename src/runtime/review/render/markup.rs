//! Escapes foreign text in a report that a forge may render: no HTML element and no image can start in it. Code in
//! backticks is left unchanged.

use std::borrow::Cow;

/// A line that renders as plain text only.
pub(super) fn plain_line(line: &str) -> Cow<'_, str> {
    if !line.contains(['<', '!']) {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len() + 8);
    let mut rest = line;
    while let Some(at) = rest.find(['<', '!', '`']) {
        out += &rest[..at];
        rest = &rest[at..];
        let taken = match rest.as_bytes()[0] {
            b'`' => {
                let ticks = rest.len() - rest.trim_start_matches('`').len();
                code(rest, ticks).unwrap_or(ticks)
            }
            b'<' => {
                let opens = |c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?');
                if rest[1..].starts_with(opens) && !out.ends_with('\\') {
                    out.push('\\');
                }
                1
            }
            _ => {
                if rest.starts_with("![") {
                    out += "!\\";
                    rest = &rest[1..];
                }
                1
            }
        };
        out += &rest[..taken];
        rest = &rest[taken..];
    }
    Cow::Owned(out + rest)
}

/// The length of a code span, if it is closed by as many backticks.
fn code(text: &str, ticks: usize) -> Option<usize> {
    let mut at = ticks;
    while let Some(next) = text[at..].find('`') {
        at += next;
        let found = text[at..].len() - text[at..].trim_start_matches('`').len();
        at += found;
        if found == ticks {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_element_and_no_picture_begins() {
        for (text, wanted) in [
            ("<img src=x> a", "\\<img src=x> a"),
            ("a </b> <!-- c --> <?d", "a \\</b> \\<!-- c --> \\<?d"),
            ("Vec<String>, `Vec<String>`", "Vec\\<String>, `Vec<String>`"),
            ("`open <b> ``<i>`` <u>", "`open \\<b> ``<i>`` \\<u>"),
            ("![x](https://e)", "!\\[x](https://e)"),
            ("1 < 2 and a <= b! [c](d)", "1 < 2 and a <= b! [c](d)"),
            ("\\<img>", "\\<img>"),
            ("é<é!", "é<é!"),
        ] {
            assert_eq!(plain_line(text), wanted);
            assert_eq!(plain_line(&plain_line(text)), wanted, "what was printed once stays");
        }
    }
}
