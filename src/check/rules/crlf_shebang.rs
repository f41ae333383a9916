//! A script whose first line ends as on Windows.

use crate::check::context::{Context, Text};
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::Sink;
use crate::diagnostic::{Applicability, Fix, FixEdit, Severity};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "crlf-shebang",
    group: Group::Correctness,
    severity: Severity::Error,
    summary: "a shell script has Windows line endings, so it cannot run",
    page: include_str!("crlf_shebang.md"),
    check: Check::Text(check),
};

/// Programs that take the carriage return for a part of every line.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ksh", "zsh", "ash"];

fn check(_: &Context<'_>, text: &Text<'_>, sink: &mut Sink) {
    let first = text.text.lines().next().unwrap_or_default();
    if text.is_markdown() || !first.starts_with("#!") || !text.text[first.len()..].starts_with("\r\n") {
        return;
    }
    let program = first.split(['/', ' ']).rfind(|word| !word.is_empty() && !word.starts_with('-'));
    let program = program.unwrap_or_default();
    let shell = SHELLS.contains(&program);
    let message = match shell {
        true => {
            format!("the script has Windows line endings, which `{program}` reads as part of its commands")
        }
        false => format!(
            "the first line has a Windows line ending, so the script is not found as `{program}` when called by its path"
        ),
    };
    let found = sink.at(text.file, Span::new(0, first.len()), message);
    if !shell {
        found.severity = Severity::Warning;
    }
    found.help =
        Some("save it with LF line endings, and add `* text=auto eol=lf` to `.gitattributes`".to_owned());
    let edits = text.text.match_indices("\r\n").map(|(at, _)| FixEdit {
        path: text.file.path.to_string(),
        start: at,
        end: at + 1,
        replacement: String::new(),
    });
    found.fix = Some(Fix { applicability: Applicability::Unsafe, edits: edits.collect() });
}
