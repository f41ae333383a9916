//! Versions inside a text: the first in a line, and the lines that release automation has marked.

use crate::release::found_version::FoundVersion;
use crate::source::Span;

/// The marks of a line, of a block and of its end.
const INLINE: &str = "x-release-please-version";
const START: &str = "x-release-please-start-version";
const END: &str = "x-release-please-end";

/// The versions of the marked lines; empty if no line is marked.
pub(super) fn find(text: &str) -> Vec<FoundVersion> {
    let mut out = Vec::new();
    let mut block = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let span = Span::new(at, at + line.trim_end().len());
        at += line.len();
        if line.contains(START) {
            block = true;
        } else if line.contains(END) {
            block = false;
        } else if line.contains(INLINE) {
            let none = || FoundVersion::Fault(span, "the marked line contains no version".to_owned());
            out.push(version(text, span).unwrap_or_else(none));
        } else if block {
            out.extend(version(text, span));
        }
    }
    out
}

/// The first version in a part of `text`.
pub(super) fn version(text: &str, part: Span) -> Option<FoundVersion> {
    let words = part.slice(text);
    let starts = words.char_indices().filter(|(at, c)| {
        c.is_ascii_digit() && !words[..*at].ends_with(|before: char| before.is_ascii_digit() || before == '.')
    });
    starts.map(|(at, _)| at).find_map(|at| {
        let version = longest(&words[at..])?;
        let span = Span::new(at, at + version.len()).shifted(part.start);
        Some(FoundVersion::Version(version.to_owned(), span))
    })
}

/// The longest version at the start of `words`.
fn longest(words: &str) -> Option<&str> {
    let end = words.find(|c: char| !c.is_ascii_alphanumeric() && !".-+".contains(c)).unwrap_or(words.len());
    let numbers = words.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(words.len());
    let whole = words[..end].trim_end_matches(['.', '-', '+']);
    let plain = words[..numbers].trim_end_matches('.');
    [whole, plain].into_iter().find(|version| semver::Version::parse(version).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_lines_and_blocks_hold_versions() {
        let text = "a 9.9.9\nb v1.2.3, x # x-release-please-version\n<!-- x-release-please-start-version -->\nc@1.2.4-rc.1.\nd\n1.2.5\n<!-- x-release-please-end -->\n8.8.8\n";
        let versions: Vec<_> = find(text)
            .into_iter()
            .map(|found| match found {
                FoundVersion::Version(version, span) => {
                    assert_eq!(span.slice(text), version);
                    version
                }
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(versions, ["1.2.3", "1.2.4-rc.1", "1.2.5"]);
        assert!(matches!(find("none // x-release-please-version").as_slice(), [FoundVersion::Fault(..)]));
        assert!(find("1.2.3\n").is_empty());
    }
}
