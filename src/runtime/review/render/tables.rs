//! The report for people: one table a severity, numbered as in `findings.json`.

use super::{envelope, line};
use crate::runtime::review::findings::Severity;
use crate::runtime::review::merge::{Answer, Merged};
use crate::runtime::review::verdict::Verdict;

/// The whole report; the last are scope and intent.
pub(super) fn text(
    findings: &Answer,
    verdict: Verdict,
    applied: &[String],
    (scope, intent): (&str, &str),
) -> String {
    let mut out = format!("# Code review\n\nVerdict: {}\n", verdict.words());
    let degraded = match findings.degraded {
        true => format!("0 of {} reviewers returned results.", findings.coverage.expected),
        false => String::new(),
    };
    for (name, text) in [
        ("Degraded", degraded.as_str()),
        ("Scope", scope),
        ("Intent", intent),
        ("Repaired", &applied.join(", ")),
        ("Reviewers", &findings.coverage.reviewers.join(", ")),
    ] {
        if !text.is_empty() {
            out += &format!("{name}: {}\n", line(text));
        }
    }
    for severity in [Severity::P0, Severity::P1, Severity::P2, Severity::P3] {
        let found: Vec<&Merged> = findings.findings.iter().filter(|one| one.severity == severity).collect();
        table(&mut out, &format!("{severity:?}"), &found);
    }
    table(&mut out, "Pre-existing", &findings.pre_existing.iter().collect::<Vec<_>>());
    let coverage = envelope::covered(findings, 0);
    for (heading, items) in [
        ("Residual risks", &findings.coverage.residual_risks),
        ("Testing gaps", &findings.coverage.testing_gaps),
        ("Coverage", &coverage),
    ] {
        if !items.is_empty() {
            out += &format!("\n## {heading}\n\n");
            items.iter().for_each(|item| out += &format!("- {}\n", line(item)));
        }
    }
    out
}

fn table(out: &mut String, heading: &str, found: &[&Merged]) {
    if found.is_empty() {
        return;
    }
    *out += &format!("\n## {heading}\n\n| # | File | Finding | Class | Owner | Reviewers | Confidence |\n");
    *out += "|---|---|---|---|---|---|---|\n";
    for one in found {
        let cells = [
            one.id.clone(),
            format!("{}:{}", one.file, one.line),
            one.title.clone(),
            one.autofix_class.word().to_owned(),
            one.owner.word().to_owned(),
            one.reviewers.join(", "),
            format!("{:.2}", one.confidence),
        ];
        let cells: Vec<String> = cells.iter().map(|cell| line(cell).replace('|', "\\|")).collect();
        *out += &format!("| {} |\n", cells.join(" | "));
    }
}
