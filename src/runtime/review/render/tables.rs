//! The report for people: one table per severity, numbered as in `findings.json`, followed by every finding in full.

use super::envelope;
use super::view::{self, EntryState, Report, ReportEntry, indent_lines, printed};
use crate::order;
use crate::runtime::review::findings::FindingSeverity;

/// The whole report.
pub(super) fn text(report: &Report) -> String {
    let verdict = report.verdict.map_or("", |verdict| verdict.words());
    let mut out = format!("# Code review\n\nVerdict: {verdict}\n");
    let degraded = report.degraded.map(|asked| format!("0 of {asked} reviewers returned results."));
    let ids = |state: EntryState| -> String {
        let found = report.findings.iter().filter(|one| one.state == state).map(|one| one.id.as_str());
        found.collect::<Vec<_>>().join(", ")
    };
    for (name, text) in [
        ("Degraded", degraded.unwrap_or_default()),
        ("Scope", printed(&report.scope)),
        ("Intent", printed(&report.intent)),
        ("Focus", printed(&report.focus)),
        ("Fixed", ids(EntryState::Fixed)),
        ("Reopened", ids(EntryState::Reopened)),
        ("Reviewers", envelope::reviewers(report)),
        ("Artifact", printed(&report.artifact)),
    ] {
        if !text.is_empty() {
            out += &format!("{name}: {text}\n");
        }
    }
    list(&mut out, "Blocks \"Ready to merge\"", &report.obstacles);
    for severity in [FindingSeverity::P0, FindingSeverity::P1, FindingSeverity::P2, FindingSeverity::P3] {
        let found: Vec<&ReportEntry> =
            report.findings.iter().filter(|one| one.severity == severity).collect();
        table(&mut out, severity.word(), &found);
    }
    table(&mut out, "Pre-existing", &report.pre_existing.iter().collect::<Vec<_>>());
    let all: Vec<&ReportEntry> = report.findings.iter().chain(&report.pre_existing).collect();
    if !all.is_empty() {
        out += &words(&all);
        out += "\n## Details\n";
        all.iter().for_each(|one| out += &details(one));
    }
    list(&mut out, "Residual risks", &report.residual_risks);
    list(&mut out, "Testing gaps", &report.testing_gaps);
    list(&mut out, "Coverage", &report.coverage);
    out
}

fn list(out: &mut String, heading: &str, items: &[String]) {
    if !items.is_empty() {
        *out += &format!("\n## {heading}\n\n");
        items.iter().for_each(|item| *out += &format!("- {}\n", printed(item)));
    }
}

fn table(out: &mut String, heading: &str, found: &[&ReportEntry]) {
    if found.is_empty() {
        return;
    }
    *out +=
        &format!("\n## {heading}\n\n| # | File | Finding | Fix | Next | Reviewers | Confidence | State |\n");
    *out += "|---|---|---|---|---|---|---|---|\n";
    for one in found {
        let cells = [
            one.id.clone(),
            one.place(),
            printed(&one.title),
            one.class.plain().to_owned(),
            one.owner.plain().to_owned(),
            one.reviewers(),
            format!("{:.2}", one.confidence),
            one.state.word().to_owned(),
        ];
        *out += &format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "));
    }
}

/// The meaning of the words that occur in the tables.
fn words(found: &[&ReportEntry]) -> String {
    let classes = order::set(found.iter().map(|one| one.class));
    let owners = order::set(found.iter().map(|one| one.owner));
    let classes =
        classes.iter().map(|class| format!("{}: {} (`{}`)", class.plain(), class.meaning(), class.word()));
    let owners =
        owners.iter().map(|owner| format!("{}: {} (`{}`)", owner.plain(), owner.meaning(), owner.word()));
    let [classes, owners] = [classes.collect::<Vec<_>>(), owners.collect()].map(|words| words.join("; "));
    format!("\n## Words in the tables\n\n- Fix: {classes}\n- Next: {owners}\n")
}

/// One finding in full.
fn details(one: &ReportEntry) -> String {
    let mark = match one.state {
        EntryState::Open => String::new(),
        state => format!(" [{}]", state.word()),
    };
    let verified = if one.requires_verification { ", a fix must be verified" } else { "" };
    let mut out = format!("\n### {}: {}{mark}\n\n", one.id, printed(&one.title));
    out += &format!("- Place: {} ({}{verified})\n", one.place(), one.severity.word());
    if let Some(why) = &one.why {
        out += &format!("- Why: {}\n", prose(why));
    }
    if let Some(fix) = one.suggested_fix.as_deref().filter(|fix| !fix.trim().is_empty()) {
        out += &format!("- Suggested fix: {}\n", code(fix));
    }
    for text in one.evidence() {
        out += &format!("- Evidence: {}\n", code(text));
    }
    for text in &one.disagreements {
        out += &format!("- Disagreement: {}\n", printed(text));
    }
    for text in &one.notes {
        out += &format!("- Note: {}\n", printed(text));
    }
    out
}

/// Multi-line text in a list item. Lines that would open a Markdown block are escaped.
pub(super) fn prose(text: &str) -> String {
    let opens =
        |line: &str| line.trim_start().starts_with(['#', '>', '=', '-', '+', '*', '`', '~', '<', '|']);
    let lines = view::prose(text, "  ");
    let lines = lines.lines().enumerate().map(|(at, line)| match line.trim_start() {
        start if at > 0 && opens(line) => format!("  \\{start}"),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A single line unchanged, or several lines in a fence longer than any in the text.
pub(super) fn code(text: &str) -> String {
    let text = text.trim_matches(['\n', '\r']);
    if !text.trim().contains('\n') {
        return printed(text);
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("\n\n  {fence}\n  {}\n  {fence}", indent_lines(text, "  "))
}

#[cfg(test)]
mod tests {
    use super::super::view::tests::{hostile, plain};
    use super::*;
    use crate::runtime::review::findings::{FindingOwner, RepairClass};
    use crate::runtime::review::verdict::ReviewVerdict;

    #[test]
    fn tables_mark_what_is_fixed_and_details_say_all() {
        let mut disputed =
            plain("F2", FindingSeverity::P2, RepairClass::GatedAuto, FindingOwner::DownstreamResolver);
        disputed.disagreements = vec!["severity: P2, P3; kept P2".to_owned()];
        let fixed = plain("F1", FindingSeverity::P1, RepairClass::SafeAuto, FindingOwner::ReviewFixer);
        let report = Report {
            verdict: Some(ReviewVerdict::WithFixes),
            obstacles: vec!["testing returned nothing".to_owned()],
            focus: "the prices".to_owned(),
            reviewers: vec![("security".to_owned(), Some("it reads input".to_owned()))],
            findings: vec![ReportEntry { state: EntryState::Fixed, ..fixed }, disputed],
            ..Report::default()
        };
        let text = text(&report);
        for part in [
            "\nVerdict: Ready with fixes\nFocus: the prices\nFixed: F1\nReviewers: security (it reads input)\n",
            "\n## Blocks \"Ready to merge\"\n\n- testing returned nothing\n",
            "\n## P1\n\n| # | File |",
            "\n## Words in the tables\n\n- Fix: safe: changes no behaviour that anybody relies on (`safe_auto`); after approval: changes \
             behaviour (`gated_auto`)\n- Next: this review: its fixer makes the fix (`review-fixer`); later step: a later \
             step or tool makes the fix (`downstream-resolver`)\n",
            "| F1 | src/a.rs:3 | title of F1 | safe | this review | correctness, testing | 0.90 | fixed |\n",
            "\n### F1: title of F1 [fixed]\n\n- Place: src/a.rs:3 (P1)\n- Why: it breaks\n",
            "- Suggested fix: \n\n  ```\n  if a {\n      b();\n  }\n  ```\n- Evidence: a.rs: b()\n- Evidence: no test\n",
            "\n- Disagreement: severity: P2, P3; kept P2\n",
        ] {
            assert!(text.contains(part), "`{part}` is missing in\n{text}");
        }
    }

    /// Issue 16, case 9.
    #[test]
    fn nothing_that_came_from_outside_forges_the_report_or_steers_a_terminal() {
        let report = Report {
            verdict: Some(ReviewVerdict::NotReady),
            findings: vec![hostile()],
            pre_existing: vec![hostile()],
            coverage: vec![hostile().title],
            ..Report::default()
        };
        let text = text(&report);
        let starts = |with: &str| text.lines().filter(|line| line.starts_with(with)).count();
        assert_eq!(
            (starts("Verdict: "), starts("# Code review"), starts("Review complete")),
            (1, 1, 0),
            "{text}"
        );
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
        assert!(text.contains("\\|a\\|") && text.contains("\n  ````\n"), "{text}");
    }

    #[test]
    fn a_line_of_prose_opens_no_block() {
        assert_eq!(prose("a\n# b\n  - c\nd"), "a\n  \\# b\n  \\- c\n  d");
    }
}
