//! Findings for people, one screen per plugin: with source lines as long as these fit, then on one line each, then only
//! counted. Nothing is omitted without a line that counts it.

use std::collections::BTreeMap;

use super::check::word;
use super::frame::{self, FrameStyle};
use super::human::count_noun;
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::printable;
use crate::source::SourceFile;

/// The maximum number of terminal lines for the findings of one plugin.
pub const SCREEN: usize = 40;
/// The number of lines for a one-line finding, which a narrow terminal wraps.
const ONE_LINE: usize = 2;
/// The number of errors of one rule above which the rest is only counted.
const ERRORS_OF_ONE_RULE: usize = 50;
/// The same for warnings.
const WARNINGS_OF_ONE_RULE: usize = 10;

/// How much of a finding is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FindingForm {
    Frame,
    OneLine,
    Counted,
}

/// Errors and warnings in order; `plugin` returns the plugin of each, and `taken` how many lines of its screen are
/// already used. Notes are omitted: they need no action.
pub fn findings<'a>(
    found: &[Diagnostic],
    file: impl Fn(&str) -> Option<&'a SourceFile>,
    style: FrameStyle,
    plugin: impl Fn(&Diagnostic) -> String,
    taken: impl Fn(&str) -> usize,
) -> String {
    let mut hidden: BTreeMap<RuleId, usize> = BTreeMap::new();
    let mut times: BTreeMap<(RuleId, Severity), usize> = BTreeMap::new();
    let mut shown: Vec<&Diagnostic> = Vec::new();
    for finding in found {
        let most = match finding.severity {
            Severity::Error => ERRORS_OF_ONE_RULE,
            Severity::Warning => WARNINGS_OF_ONE_RULE,
            Severity::Info => continue,
        };
        let times = times.entry((finding.rule, finding.severity)).or_default();
        *times += 1;
        if *times > most {
            *hidden.entry(finding.rule).or_default() += 1;
        } else {
            shown.push(finding);
        }
    }
    let frames = frame::frames(&shown, file, style);
    let mut plugins: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, finding) in shown.iter().enumerate() {
        plugins.entry(plugin(finding)).or_default().push(at);
    }
    let mut forms = vec![FindingForm::Frame; shown.len()];
    for (plugin, own) in &plugins {
        fit_screen(own, SCREEN.saturating_sub(taken(plugin)), &shown, &frames, &mut forms);
    }
    let mut out = String::new();
    for ((finding, frame), form) in shown.iter().zip(&frames).zip(&forms) {
        match form {
            FindingForm::Frame => {
                separate(&mut out);
                out.push_str(frame);
                out.push_str("\n\n");
            }
            FindingForm::OneLine => one_line(finding, style, &mut out),
            FindingForm::Counted => *hidden.entry(finding.rule).or_default() += 1,
        }
    }
    separate(&mut out);
    for (rule, times) in &hidden {
        out.push_str(&format!("{} of `{rule}`\n", count_noun(*times, "more finding", "more findings")));
    }
    let is_short = forms.contains(&FindingForm::OneLine);
    match (hidden.is_empty(), is_short) {
        (false, _) => out.push_str("`--verbose` shows all of them, with their source lines\n\n"),
        (true, true) => out.push_str("`--verbose` shows every finding with its source line\n\n"),
        (true, false) => {}
    }
    out
}

/// Chooses forms for the findings of one plugin that together fit on `screen` lines; errors are always shown.
fn fit_screen(
    own: &[usize],
    screen: usize,
    shown: &[&Diagnostic],
    frames: &[String],
    forms: &mut [FindingForm],
) {
    let lines = |at: usize| frames[at].lines().count() + 1;
    if own.iter().map(|at| lines(*at)).sum::<usize>() <= screen {
        return;
    }
    let mut room = screen.saturating_sub(ONE_LINE * own.len());
    for (place, at) in own.iter().enumerate() {
        let more = lines(*at).saturating_sub(ONE_LINE);
        if more <= room {
            room -= more;
            continue;
        }
        // All findings after the first that does not fit are shortened, so that long ones come first.
        room = 0;
        let is_counted = (place + 1) * ONE_LINE > screen && shown[*at].severity != Severity::Error;
        forms[*at] = if is_counted { FindingForm::Counted } else { FindingForm::OneLine };
    }
}

/// Ends a block of lines with an empty line.
fn separate(out: &mut String) {
    if !out.is_empty() && !out.ends_with("\n\n") {
        out.push('\n');
    }
}

fn one_line(finding: &Diagnostic, style: FrameStyle, out: &mut String) {
    let hosts =
        if finding.hosts.is_empty() { String::new() } else { format!(" ({})", finding.hosts.join(", ")) };
    let more = match finding.place_count() - 1 {
        0 => String::new(),
        more => format!(", and {}", count_noun(more, "more place", "more places")),
    };
    let head = format!("{}[{}]", word(finding.severity), finding.rule);
    let head = match (style.color, finding.severity) {
        (false, _) => head,
        (true, Severity::Error) => format!("\u{1b}[1m\u{1b}[91m{head}\u{1b}[0m"),
        (true, _) => format!("\u{1b}[1m\u{1b}[33m{head}\u{1b}[0m"),
    };
    let message = printable::line(&finding.message);
    let path = printable::line(&finding.path);
    let place = format!("{path}:{}:{}", finding.line, finding.column);
    out.push_str(&format!("{place}: {head}: {message}{hosts}{more}\n"));
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::*;
    use crate::source::{FileContent, Span};

    const STYLE: FrameStyle = FrameStyle { color: false, width: None };

    fn file(lines: usize) -> SourceFile {
        let text = "wrong\n".repeat(lines);
        let content = FileContent::Text(Arc::from(text.as_str()));
        SourceFile::new("a.md".into(), PathBuf::new(), false, text.len() as u64, content)
    }

    fn found(file: &SourceFile, rule: &str, n: usize, severity: Severity) -> Diagnostic {
        Diagnostic::in_file(
            file,
            Span::new(n * 6, n * 6 + 5),
            severity,
            RuleId::from_static(rule.to_owned().leak()),
            "wrong",
        )
    }

    fn shown(file: &SourceFile, all: &[Diagnostic]) -> String {
        findings(all, |_| Some(file), STYLE, |_| String::new(), |_| 0)
    }

    #[test]
    fn a_rule_with_many_findings_is_counted() {
        let text = file(120);
        let all: Vec<Diagnostic> = (0..120).map(|n| found(&text, "rule", n, Severity::Error)).collect();
        let shown = shown(&text, &all);
        assert_eq!(shown.matches("error[rule]").count(), 50);
        assert!(shown.contains("70 more findings of `rule`\n"), "{shown}");
        assert_eq!(frame::statistics(&all), "120  error    rule\n");
    }

    #[test]
    fn what_fits_on_a_screen_has_its_source_lines() {
        let text = file(5);
        let all: Vec<Diagnostic> =
            (0..5).map(|n| found(&text, &format!("rule-{n}"), n, Severity::Warning)).collect();
        let shown = shown(&text, &all);
        assert_eq!(shown.matches("--> a.md").count(), 5, "{shown}");
        assert!(!shown.contains("--verbose"), "{shown}");
    }

    #[test]
    fn many_rules_of_one_plugin_fit_on_a_screen_and_nothing_is_left_out_in_silence() {
        let text = file(60);
        let all: Vec<Diagnostic> = (0..60)
            .map(|n| {
                let severity = if n < 3 { Severity::Error } else { Severity::Warning };
                found(&text, &format!("rule-{n:02}"), n, severity)
            })
            .collect();
        let some = shown(&text, &all[..12]);
        assert!(some.starts_with("error[rule-00]: wrong\n --> a.md:1:1"), "{some}");
        assert!(some.contains("\na.md:12:1: warning[rule-11]: wrong\n\n"), "{some}");
        assert!(some.lines().count() <= SCREEN + 2, "{some}");
        assert!(some.ends_with("`--verbose` shows every finding with its source line\n\n"), "{some}");
        let many = shown(&text, &all);
        assert!(many.contains("1 more finding of `rule-59`\n"), "{many}");
        let all_are_told = (0..60).all(|n| many.contains(&format!("rule-{n:02}")));
        assert!(all_are_told, "{many}");
    }
}
