//! The identity of a finding that survives edits above it: a digest over its rule, its file, the text of its line, and
//! how many findings of that rule precede it on an equal line. A baseline and SARIF refer to findings by it.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::diagnostic::Diagnostic;
use crate::source::{Position, SourceFile};

/// The number of bytes to either side of the finding that count on a longer line.
const LONG: usize = 256;

/// Sets the fingerprint of each of `found` that has none; they must be sorted by location, and `file` returns files by
/// path.
pub fn mark<'a>(found: &mut [Diagnostic], file: impl Fn(&str) -> Option<&'a SourceFile>) {
    let mut digests = Digests::default();
    for finding in found.iter_mut().filter(|finding| finding.fingerprint.is_none()) {
        finding.fingerprint = Some(digests.next(finding, &file, ""));
    }
}

/// A second identity for each of `found` that includes its cause, which distinguishes several findings of a rule on
/// one line. Values are left out: a count that changed is the same finding.
pub fn cause_fingerprints<'a>(
    found: &[Diagnostic],
    file: impl Fn(&str) -> Option<&'a SourceFile>,
) -> Vec<String> {
    let mut digests = Digests::default();
    let about = |finding: &Diagnostic| {
        let cause = finding.cause();
        [&[cause.mistake().to_owned()], cause.names()].concat().join("\0")
    };
    found.iter().map(|finding| digests.next(finding, &file, &about(finding))).collect()
}

/// How often each digest occurred.
#[derive(Default)]
struct Digests(BTreeMap<[u8; 32], usize>);

impl Digests {
    fn next<'a>(
        &mut self,
        finding: &Diagnostic,
        file: impl Fn(&str) -> Option<&'a SourceFile>,
        about: &str,
    ) -> String {
        let line = file(&finding.path).and_then(|file| line(finding, file)).unwrap_or_default();
        let mut parts = vec![finding.rule.as_str().as_bytes(), finding.path.as_bytes(), line.as_bytes()];
        if !about.is_empty() {
            parts.push(about.as_bytes());
        }
        let what: [u8; 32] = Sha256::digest(parts.join(&0)).into();
        let times = self.0.entry(what).or_default();
        let whole = Sha256::new().chain_update(what).chain_update(times.to_string()).finalize();
        *times += 1;
        HEXLOWER.encode(&whole[..8])
    }
}

/// The line on which a finding starts; `None` for one about a whole file.
fn line<'a>(finding: &Diagnostic, file: &'a SourceFile) -> Option<&'a str> {
    if (finding.end_line, finding.end_column) == (1, 1) {
        return None;
    }
    let (text, span) = (file.text()?, file.line(finding.line)?);
    if span.end - span.start <= 2 * LONG {
        return Some(span.slice(text).trim());
    }
    let at = file.offset(Position { line: finding.line, column: finding.column })?;
    let boundary = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let from = boundary(at.saturating_sub(LONG).max(span.start));
    let to = boundary((at + LONG).min(span.end));
    text.get(from..to).map(str::trim)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::*;
    use crate::diagnostic::{RuleId, Severity};
    use crate::source::{FileContent, Span};

    fn marks(text: &str, word: &str) -> Vec<String> {
        let content = FileContent::Text(Arc::from(text));
        let file = SourceFile::new("a.md".into(), PathBuf::new(), false, text.len() as u64, content);
        let mut found: Vec<Diagnostic> = text
            .match_indices(word)
            .map(|(at, _)| {
                Diagnostic::in_file(
                    &file,
                    Span::new(at, at + word.len()),
                    Severity::Error,
                    RuleId::from_static("rule"),
                    "wrong",
                )
            })
            .collect();
        mark(&mut found, |_| Some(&file));
        found.into_iter().filter_map(|found| found.fingerprint).collect()
    }

    #[test]
    fn fingerprints_stay_when_lines_move_and_differ_from_each_other() {
        let before = marks("a bad line\nb bad line\na bad line\n", "bad");
        let after = marks("new\n\n  a bad line\nother\nb bad line\na bad line", "bad");
        assert_eq!(before, after);
        assert!(before[0] != before[1] && before[0] != before[2]);
        assert_eq!(marks(&format!("{}bad", "é".repeat(9000)), "bad").len(), 1);
    }
}
