//! Recognizes texts about the past, which keep old names.

use camino::Utf8Path;

use crate::read::frontmatter;
use crate::read::intent::is_changelog;
use crate::source::is_markdown;

/// Why the text at `path` keeps old names; `None` if it describes the current state.
pub(super) fn record(path: &Utf8Path, text: &str) -> Option<&'static str> {
    if is_changelog(path) {
        return Some("a changelog describes the past");
    }
    if path.as_str().split('/').any(has_date) {
        return Some("a file with a date in its name describes the past");
    }
    let document = is_markdown(path).then(|| frontmatter::parse(text));
    let dated = document
        .and_then(|document| document.fields?.get("date")?.scalar())
        .is_some_and(|date| has_date(&date));
    dated.then_some("a text with a date in its frontmatter describes the past")
}

/// Whether `name` contains a date, such as `2026-03-31`.
fn has_date(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.windows(10).enumerate().any(|(at, day)| {
        let digits = day.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
        let digit = |at: Option<&u8>| at.is_some_and(u8::is_ascii_digit);
        digits && !digit(at.checked_sub(1).and_then(|at| bytes.get(at))) && !digit(bytes.get(at + 10))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_changes_and_dated_texts_are_records() {
        for (path, text) in [
            ("CHANGELOG.md", ""),
            ("p/changes.txt", ""),
            ("docs/2026-03-31-plan.md", ""),
            ("docs/2026-03-31/plan.md", ""),
            ("docs/note-2026-03-31.html", ""),
            ("docs/a.md", "---\ndate: 2026-03-31\n---\n"),
        ] {
            assert!(record(path.into(), text).is_some(), "{path}");
        }
        for (path, text) in [
            ("README.md", "2026-03-31\n"),
            ("docs/12026-03-311.md", ""),
            ("docs/a.md", "---\nupdate: 2026-03-31\n---\n"),
            ("docs/changes-to-make.md", ""),
        ] {
            assert!(record(path.into(), text).is_none(), "{path}");
        }
    }
}
