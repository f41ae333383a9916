//! The text for another program: fixed headings in a fixed order, no empty sections, and a last line that marks it as
//! complete.

use super::view::{EntryState, Report, ReportEntry, printed, prose};
use crate::runtime::review::findings::{FindingOwner, RepairClass};

const END: &str = "Review complete\n";
/// Reviewers with a separate section for findings that they alone reported: name, heading.
const SEPARATE_SECTIONS: [(&str, &str); 4] = [
    ("past-learnings", "Learnings:"),
    ("agent-native", "Agent-native gaps:"),
    ("schema-drift", "Schema drift:"),
    ("deployment", "Deployment notes:"),
];

/// The whole text.
pub(super) fn text(report: &Report) -> String {
    if let Some(asked) = report.degraded {
        let reason = format!("0 of {asked} reviewers returned results.");
        let mut out = format!("Code review degraded (headless mode). Reason: {reason}\n");
        write_coverage(&mut out, report);
        return out + END;
    }
    let verdict = report.verdict.map_or("", |verdict| verdict.words());
    let fixed: Vec<&ReportEntry> =
        report.findings.iter().filter(|one| one.state == EntryState::Fixed).collect();
    let mut out = "Code review complete (headless mode).\n\n".to_owned();
    out += &format!("Scope: {}\n", printed(&report.scope));
    out += &format!("Intent: {}\n", printed(&report.intent));
    if !report.focus.is_empty() {
        out += &format!("Focus: {}\n", printed(&report.focus));
    }
    out += &format!("Reviewers: {}\n", reviewers(report));
    out += &format!("Verdict: {verdict}\n");
    out += &format!("Artifact: {}\n\n", printed(&report.artifact));
    out += &format!("Applied {} safe_auto fixes.\n", fixed.len());
    fixed.iter().for_each(|one| out += &(finding(one) + &details(one)));

    let open: Vec<&ReportEntry> =
        report.findings.iter().filter(|one| one.state != EntryState::Fixed).collect();
    let of = |group: FindingGroup| -> Vec<&ReportEntry> {
        open.iter()
            .copied()
            .filter(|one| separate_section(one).is_none() && FindingGroup::from_entry(one) == group)
            .collect()
    };
    let sections = [
        ("Gated-auto findings (concrete fix, changes behavior/contracts):", of(FindingGroup::Gated)),
        ("Manual findings (actionable, needs handoff):", of(FindingGroup::Manual)),
        ("Advisory findings (report-only):", of(FindingGroup::Advisory)),
        ("Pre-existing issues:", report.pre_existing.iter().collect()),
    ];
    for (heading, found) in sections {
        if !found.is_empty() {
            out += &format!("\n{heading}\n");
            found.iter().for_each(|one| out += &(finding(one) + &details(one)));
        }
    }
    list(&mut out, "Residual risks:", &report.residual_risks);
    for (name, heading) in SEPARATE_SECTIONS {
        let found: Vec<&ReportEntry> =
            open.iter().copied().filter(|one| separate_section(one) == Some(name)).collect();
        if !found.is_empty() {
            out += &format!("\n{heading}\n");
            for one in found {
                out += &format!("- {}\n  {}{}", printed(&one.title), finding(one), details(one));
            }
        }
    }
    list(&mut out, "Testing gaps:", &report.testing_gaps);
    write_coverage(&mut out, report);
    out + "\n" + END
}

/// What prevents the best verdict, and other notes on coverage.
fn write_coverage(out: &mut String, report: &Report) {
    let obstacles = report.obstacles.iter().map(|text| format!("Blocks \"Ready to merge\": {text}"));
    list(out, "Coverage:", &obstacles.chain(report.coverage.iter().cloned()).collect::<Vec<_>>());
}

/// The sections of findings.
#[derive(Clone, Copy, PartialEq)]
enum FindingGroup {
    Gated,
    Manual,
    Advisory,
}

impl FindingGroup {
    /// A safe finding that was not fixed is grouped as manual, so that somebody handles it.
    fn from_entry(one: &ReportEntry) -> Self {
        match (one.class, one.owner) {
            (RepairClass::Advisory, _) | (_, FindingOwner::Release) => FindingGroup::Advisory,
            (RepairClass::GatedAuto, _) => FindingGroup::Gated,
            (RepairClass::Manual | RepairClass::SafeAuto, _) => FindingGroup::Manual,
        }
    }
}

/// The reviewer with a separate section that alone reported this finding.
fn separate_section(one: &ReportEntry) -> Option<&'static str> {
    match one.reviewers.as_slice() {
        [only] => SEPARATE_SECTIONS.iter().map(|(own, _)| *own).find(|own| own == only),
        _ => None,
    }
}

/// Every reviewer with the reason for it.
pub(super) fn reviewers(report: &Report) -> String {
    let names = report.reviewers.iter().map(|(name, reason)| match reason {
        Some(reason) => format!("{} ({})", printed(name), printed(reason)),
        None => printed(name),
    });
    names.collect::<Vec<_>>().join(", ")
}

/// The line of one finding.
fn finding(one: &ReportEntry) -> String {
    let verified = if one.requires_verification { "[needs-verification]" } else { "" };
    format!(
        "[{}][{} -> {}]{verified} File: {} -- {} ({}, confidence {:.2})\n",
        one.severity.word(),
        one.class.word(),
        one.owner.word(),
        one.place(),
        printed(&one.title),
        one.reviewers(),
        one.confidence
    )
}

/// The lines below a finding.
fn details(one: &ReportEntry) -> String {
    let mut out = String::new();
    if let Some(why) = &one.why {
        out += &format!("  Why: {}\n", prose(why, "    "));
    }
    match one.suggested_fix.as_deref().filter(|fix| !fix.trim().is_empty()) {
        Some(fix) => out += &format!("  Suggested fix: {}\n", prose(fix, "    ")),
        None if FindingGroup::from_entry(one) == FindingGroup::Gated => out += "  Suggested fix: none\n",
        None => {}
    }
    let evidence: Vec<String> = one.evidence().map(|text| prose(text, "    ")).collect();
    if !evidence.is_empty() {
        out += &format!("  Evidence: {}\n", evidence.join("; "));
    }
    for text in &one.disagreements {
        out += &format!("  Disagreement: {}\n", printed(text));
    }
    for text in &one.notes {
        out += &format!("  Note: {}\n", printed(text));
    }
    out
}

fn list(out: &mut String, heading: &str, items: &[String]) {
    if !items.is_empty() {
        *out += &format!("\n{heading}\n");
        items.iter().for_each(|item| *out += &format!("- {}\n", printed(item)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::view::tests::{hostile, plain};
    use super::*;
    use crate::runtime::review::findings::FindingSeverity;
    use crate::runtime::review::verdict::ReviewVerdict;

    /// Issue 16, case 9.
    #[test]
    fn nothing_that_came_from_outside_forges_the_envelope_or_steers_a_terminal() {
        let one = hostile();
        let report = Report {
            verdict: Some(ReviewVerdict::NotReady),
            scope: one.title.clone(),
            intent: one.title.clone(),
            focus: one.title.clone(),
            reviewers: vec![(one.title.clone(), Some(one.title.clone()))],
            artifact: one.title.clone(),
            findings: vec![one.clone(), ReportEntry { class: RepairClass::GatedAuto, ..one.clone() }],
            pre_existing: vec![one.clone()],
            obstacles: vec![one.title.clone()],
            residual_risks: vec![one.title.clone()],
            testing_gaps: vec![one.title.clone()],
            coverage: vec![one.title.clone()],
            ..Report::default()
        };
        let text = text(&report);
        let starts = |with: &str| text.lines().filter(|line| line.starts_with(with)).count();
        assert_eq!((starts("Verdict: "), starts("Review complete")), (1, 1), "{text}");
        assert!(text.contains("\nVerdict: Not ready\n") && text.ends_with("\n\nReview complete\n"), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }

    #[test]
    fn every_finding_has_why_fix_and_evidence_with_its_lines() {
        let fixed = plain("F1", FindingSeverity::P2, RepairClass::SafeAuto, FindingOwner::ReviewFixer);
        let mut drift = plain("F3", FindingSeverity::P1, RepairClass::Manual, FindingOwner::Human);
        drift.reviewers = vec!["schema-drift".to_owned()];
        drift.disagreements = vec!["severity: P1, P2; kept P1".to_owned()];
        let report = Report {
            findings: vec![
                ReportEntry { state: EntryState::Fixed, ..fixed },
                plain("F2", FindingSeverity::P1, RepairClass::Advisory, FindingOwner::Human),
                drift,
            ],
            pre_existing: vec![plain("F4", FindingSeverity::P3, RepairClass::Manual, FindingOwner::Human)],
            ..Report::default()
        };
        let text = text(&report);
        let details = "  Why: it breaks\n  Suggested fix: if a {\n        b();\n    }\n  Evidence: a.rs: b(); no test\n";
        assert_eq!(text.matches(details).count(), 4, "{text}");
        for part in [
            "Applied 1 safe_auto fixes.\n[P2][safe_auto -> review-fixer] File: src/a.rs:3 -- title of F1",
            "\nAdvisory findings (report-only):\n[P1][advisory -> human]",
            "\nPre-existing issues:\n[P3][manual -> human] File: src/a.rs:3 -- title of F4 (correctness, testing, confidence 0.90)\n",
            "\nSchema drift:\n- title of F3\n  [P1][manual -> human]",
            "  Disagreement: severity: P1, P2; kept P1\n",
        ] {
            assert!(text.contains(part), "`{part}` is missing in\n{text}");
        }
    }
}
