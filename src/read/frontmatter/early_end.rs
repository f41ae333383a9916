//! Dashes that end frontmatter earlier than its author intended: within a value, a comment or a block, or with text
//! after them.

use super::is_blank;
use crate::read::dialect::is_mark;
use crate::read::tree::{FaultKind, ReadFault, Value};
use crate::read::yaml;
use crate::source::{Span, line_start, next_line};

/// How many bytes after the dashes are searched for the intended end of the frontmatter.
const REACH: usize = 64 * 1024;
/// The maximum number of fields that a message names.
const MOST_NAMED: usize = 4;

/// The text after the closing dashes at `mark` that was meant to be part of the frontmatter `yaml`, and the fault that
/// reports it.
pub(super) fn text_after_early_end(text: &str, yaml: Span, mark: usize) -> Option<(Span, ReadFault)> {
    let line = line_start(text, mark);
    let end = next_line(text, mark);
    let before = text[line..mark].trim_matches(is_blank);
    let behind = text[mark + 3..end].trim_matches(is_blank);
    if before.is_empty() && behind.is_empty() && line == mark {
        return None;
    }
    let meant = closing_line(text, yaml.start, end);
    let until = match meant {
        Some(meant) => meant,
        None if before.is_empty() => end,
        None => paragraph(text, end),
    };
    let mut lost = Vec::new();
    if meant.is_some() || !before.is_empty() {
        let shown = last_key(text[yaml.start..mark].lines());
        lost.extend(shown.map(|key| format!("the rest of `{key}`")));
    }
    let fields: Vec<&str> = text[end.min(until)..until].lines().filter_map(key).collect();
    if meant.is_none() && behind.is_empty() && fields.is_empty() {
        // The dashes are the intended end, and the text begins below.
        return None;
    }
    lost.extend(fields.iter().take(MOST_NAMED).map(|key| format!("`{key}`")));
    if fields.len() > MOST_NAMED {
        lost.push(format!("{} more", fields.len() - MOST_NAMED));
    }
    let what = match lost.split_last() {
        None => "what follows on this line is text".to_owned(),
        Some((last, [])) => format!("{last} is text"),
        Some((last, first)) => format!("{} and {last} are text", first.join(", ")),
    };
    let within = meant.is_some() || !before.is_empty();
    let help = if within {
        "write other dashes inside a value"
    } else {
        "end it with a line of exactly three dashes"
    };
    let fault = ReadFault {
        span: Span::new(mark, mark + 3),
        kind: FaultKind::FrontmatterEndsEarly,
        message: format!("the source host ends the frontmatter at these dashes: {what}"),
        help: help.to_owned(),
        rescued: true,
        first: None,
    };
    Some((Span::new(mark + 3, until).trimmed(text), fault))
}

/// The start of a later line of three dashes, if everything before it is valid frontmatter.
fn closing_line(text: &str, start: usize, from: usize) -> Option<usize> {
    let mut at = from;
    for line in text[from..].split_inclusive('\n') {
        if at - from > REACH {
            return None;
        }
        if is_mark(line) {
            let (node, _) = yaml::parse(text, Span::new(start, at));
            return node.filter(|node| matches!(node.value, Value::Map(_))).map(|_| at);
        }
        at += line.len();
    }
    None
}

/// The end of the paragraph that starts at `from`: the next blank line.
fn paragraph(text: &str, from: usize) -> usize {
    let lines = text[from..].split_inclusive('\n').take_while(|line| !line.trim().is_empty());
    from + lines.map(str::len).sum::<usize>()
}

/// The field that begins on a line.
fn key(line: &str) -> Option<&str> {
    let (key, value) = line.split_once(':')?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let is_key = !key.is_empty() && key.len() <= 64 && key.chars().all(is_word);
    (is_key && (value.is_empty() || value.starts_with([' ', '\t', '\r']))).then_some(key)
}

fn last_key<'a>(lines: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    lines.filter_map(key).last()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::frontmatter::parse;

    #[test]
    fn it_says_where_frontmatter_ends_early_and_what_is_lost() {
        let parsed = |text: &str| {
            let document = parse(text);
            let fault =
                document.faults.into_iter().find(|fault| fault.kind == FaultKind::FrontmatterEndsEarly);
            fault.map(|fault| {
                let what = fault.message.split(": ").nth(1).unwrap_or_default().to_owned();
                (what, document.cut_off.expect("a part").slice(text).trim().to_owned())
            })
        };
        let found = |what: &str, part: &str| Some((what.to_owned(), part.to_owned()));
        assert_eq!(
            parsed("---\nname: a\ndescription: b --- c\ntools: Read\nmodel: x\n---\nbody\n"),
            found("the rest of `description`, `tools` and `model` are text", "c\ntools: Read\nmodel: x")
        );
        assert_eq!(
            parsed("---\nd: |\n  a\n  ---\n  b\ndisable-model-invocation: true\n---\nbody\n"),
            found(
                "the rest of `d` and `disable-model-invocation` are text",
                "b\ndisable-model-invocation: true"
            )
        );
        assert_eq!(parsed("---\nd: |\n  a\n  ---\n  b\n---\nbody\n"), found("the rest of `d` is text", "b"));
        assert_eq!(
            parsed("---\nd: a\n--- b\nbody: c\n\n---\nmore\n"),
            found("what follows on this line is text", "b")
        );
        assert_eq!(parsed("---\nd: a\n----\nbody\n"), found("what follows on this line is text", "-"));
        assert_eq!(
            parsed("---\nd: a---b\nx: y\n\nbody: z\n"),
            found("the rest of `d` and `x` are text", "b\nx: y")
        );
        for fine in [
            "---\nd: a\n---\nbody\n\n---\n",
            "---\nd: a\n---  \r\nbody",
            "---\nd: a\n  ---\nBody is text.\n\n---\nmore\n",
            "---\nd: a\n---",
            "---\nd: a---\nBody is text.\n",
        ] {
            assert_eq!(parsed(fine), None, "{fine:?}");
        }
    }
}
