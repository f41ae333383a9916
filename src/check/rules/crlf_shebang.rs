//! A script with Windows line endings.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::{Applicability, Fix, FixEdit, Severity};
use crate::read::shell_names::is_shell;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "crlf-shebang",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a shell script has Windows line endings, so it cannot run",
    page: include_str!("crlf_shebang.md"),
    check: RuleCheck::Text(check),
};

fn check(_: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    let first = text.text.lines().next().unwrap_or_default();
    // PowerShell accepts both, and its scripts are not started by their shebang line.
    if text.is_markdown()
        || text.file.path.extension() == Some("ps1")
        || !first.starts_with("#!")
        || !text.text[first.len()..].starts_with("\r\n")
    {
        return;
    }
    let program = first.split(['/', ' ']).rfind(|word| !word.is_empty() && !word.starts_with('-'));
    let program = program.unwrap_or_default();
    let shell = is_shell(program);
    let message = match shell {
        true => {
            format!("the script has Windows line endings, which `{program}` reads as part of its commands")
        }
        false => format!(
            "the first line has a Windows line ending, so the script is not found as `{program}` when called by its path"
        ),
    };
    let found = sink.report(text.file, Span::new(0, first.len()), message);
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
