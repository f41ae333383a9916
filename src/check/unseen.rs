//! Characters without a picture: marks of width zero, changes of direction, tags. Joiners inside
//! scripts and emoji that need them, marks of direction in texts that run from right to left, and the
//! tags of flags are what those characters are for.

use crate::source::Span;

/// A run of one kind of such characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unseen {
    /// The run.
    pub span: Span,
    /// What it is, with an article.
    pub what: &'static str,
}

/// Every run that is not what such characters are for, in the order of the text.
pub fn find(text: &str) -> Vec<Unseen> {
    let mut out: Vec<Unseen> = Vec::new();
    if !has_any(text) {
        return out;
    }
    let mut before = None;
    let mut flag = false;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let span = Span::new(at, at + c.len_utf8());
        let after = characters.peek().map(|(_, next)| *next);
        match what(c) {
            Some(_) if c == '\u{feff}' && at == 0 => {}
            Some(_) if flag && is_tag(c) => {}
            Some(_) if matches!(c, '\u{200c}' | '\u{200d}') && joins(before, after) => {}
            Some(_) if matches!(c, '\u{200e}' | '\u{200f}') && line(text, at).chars().any(runs_left) => {}
            Some(what) => match out.last_mut() {
                Some(last) if last.span.end == at && last.what == what => last.span.end = span.end,
                _ => out.push(Unseen { span, what }),
            },
            None => {}
        }
        flag = c == '\u{1f3f4}' || flag && is_tag(c);
        before = Some(c);
    }
    out
}

/// Whether there is one at all; every such character begins with one of four bytes.
fn has_any(text: &str) -> bool {
    let bytes = text.as_bytes();
    let unseen = |at: usize| text[at..].chars().next().is_some_and(|c| what(c).is_some());
    memchr::memchr3_iter(0xE1, 0xE2, 0xEF, bytes).chain(memchr::memchr_iter(0xF3, bytes)).any(unseen)
}

fn what(c: char) -> Option<&'static str> {
    match c {
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{180e}' => Some("a zero-width character"),
        '\u{200c}' | '\u{200d}' => Some("a joiner"),
        '\u{200e}' | '\u{200f}' => Some("a direction mark"),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some("a direction override"),
        _ if is_tag(c) => Some("a tag character"),
        '\u{e0100}'..='\u{e01ef}' => Some("a supplementary variation selector"),
        _ => None,
    }
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// Whether a joiner belongs between these: letters of scripts that use it, or emoji.
fn joins(before: Option<char>, after: Option<char>) -> bool {
    let script = |c: char| c.is_alphanumeric() && c > '\u{2ff}' || is_mark(c);
    let emoji =
        |c: char| matches!(c, '\u{fe0f}' | '\u{20e3}' | '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}');
    match (before, after) {
        (Some(before), Some(after)) => script(before) && script(after) || emoji(before) && emoji(after),
        (Some(before), None) => script(before),
        _ => false,
    }
}

/// Signs that are written around letters of Indic and similar scripts.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{610}'..='\u{8ff}' | '\u{900}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

fn runs_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

fn line(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_hides_and_leaves_what_belongs() {
        let found = |text: &str| find(text).len();
        assert_eq!(found("a\u{200b}\u{200b}b\u{202e}c\u{e0041}\u{e0042}"), 3);
        assert_eq!(found("\u{feff}a 👨\u{200d}👩\u{200d}👧 ❤\u{fe0f}\u{200d}🔥"), 0);
        assert_eq!(found("🏴\u{e0067}\u{e0062}\u{e007f} می\u{200c}خواهم \u{200f}شد"), 0);
        assert_eq!(found("a\u{200d}b \u{200e}c \u{e0067}"), 3);
    }
}
