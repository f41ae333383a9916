//! The text that another program reads: fixed headings in a fixed order, empty sections left out, and a last
//! line that says that it is whole.

use serde_json::Value;

use super::{Material, line};
use crate::runtime::review::findings::{Class, Owner};
use crate::runtime::review::merge::{Answer, Merged};

const END: &str = "Review complete\n";
/// Reviewers whose findings have a section of their own, and nothing else: name, heading.
const APART: [(&str, &str); 4] = [
    ("past-learnings", "Learnings:"),
    ("agent-native", "Agent-native gaps:"),
    ("schema-drift", "Schema drift:"),
    ("deployment", "Deployment notes:"),
];

/// The whole text.
pub(super) fn text(material: &Material<'_>) -> String {
    let findings = material.findings;
    if findings.degraded {
        let asked = findings.coverage.expected;
        let reason = format!("0 of {asked} reviewers returned results.");
        return format!("Code review degraded (headless mode). Reason: {reason}\n{END}");
    }
    let options = material.options;
    let mut out = "Code review complete (headless mode).\n\n".to_owned();
    out += &format!("Scope: {}\n", line(&options.scope));
    out += &format!("Intent: {}\n", line(&options.intent));
    out += &format!("Reviewers: {}\n", reviewers(material));
    out += &format!("Verdict: {}\n", material.verdict.words());
    out += &format!("Artifact: {}\n\n", material.folder);
    out += &format!("Applied {} safe_auto fixes.\n", material.applied.len());

    let mut missing = 0;
    let plain: Vec<&Merged> = findings.findings.iter().filter(|one| apart(one).is_none()).collect();
    let advisory = |one: &Merged| one.autofix_class == Class::Advisory || one.owner == Owner::Release;
    let of = |class: Class| -> Vec<&Merged> {
        plain.iter().copied().filter(|one| one.autofix_class == class && !advisory(one)).collect()
    };
    let gated = of(Class::GatedAuto);
    // What the fixer does not own, or did not repair: somebody must take it on.
    let mut manual = of(Class::Manual);
    manual.extend(of(Class::SafeAuto).into_iter().filter(|one| !material.applied.contains(&one.id)));
    let advised: Vec<&Merged> = plain.iter().copied().filter(|one| advisory(one)).collect();
    let sections = [
        ("Gated-auto findings (concrete fix, changes behavior/contracts):", gated, Depth::Fix),
        ("Manual findings (actionable, needs handoff):", manual, Depth::FixIfAny),
        ("Advisory findings (report-only):", advised, Depth::Why),
        ("Pre-existing issues:", findings.pre_existing.iter().collect(), Depth::Line),
    ];
    for (heading, found, depth) in sections {
        if found.is_empty() {
            continue;
        }
        out += &format!("\n{heading}\n");
        for one in found {
            out += &finding(one);
            out += &details(material, one, depth, &mut missing);
        }
    }
    let coverage = &findings.coverage;
    list(&mut out, "Residual risks:", &coverage.residual_risks);
    for (name, heading) in APART {
        let titles: Vec<String> = findings
            .findings
            .iter()
            .filter(|one| apart(one) == Some(name))
            .map(|one| one.title.clone())
            .collect();
        list(&mut out, heading, &titles);
    }
    list(&mut out, "Testing gaps:", &coverage.testing_gaps);
    list(&mut out, "Coverage:", &covered(findings, missing));
    out += "\n";
    out += END;
    out
}

/// How much is said of a finding.
#[derive(Clone, Copy, PartialEq)]
enum Depth {
    /// Why, the fix or `none`, and the evidence.
    Fix,
    /// Why, the fix where there is one, and the evidence.
    FixIfAny,
    /// Why.
    Why,
    /// Its line alone.
    Line,
}

/// The reviewer with a section of its own that alone found this.
fn apart(one: &Merged) -> Option<&'static str> {
    let of = |name: &String| APART.iter().map(|(own, _)| *own).find(|own| own == name);
    match one.reviewers.as_slice() {
        [only] => of(only),
        _ => None,
    }
}

fn reviewers(material: &Material<'_>) -> String {
    let reason = |name: &String| material.options.because.iter().find(|(own, _)| own == name);
    let said = material.findings.coverage.reviewers.iter().map(|name| match reason(name) {
        Some((_, reason)) => format!("{name} ({})", line(reason)),
        None => name.clone(),
    });
    said.collect::<Vec<_>>().join(", ")
}

/// The line of one finding.
fn finding(one: &Merged) -> String {
    let verified = if one.requires_verification { "[needs-verification]" } else { "" };
    format!(
        "[{:?}][{} -> {}]{verified} File: {}:{} -- {} ({}, confidence {:.2})\n",
        one.severity,
        one.autofix_class.word(),
        one.owner.word(),
        line(&one.file),
        one.line,
        line(&one.title),
        one.reviewers.join(", "),
        one.confidence
    )
}

/// The lines below a finding.
fn details(material: &Material<'_>, one: &Merged, depth: Depth, missing: &mut usize) -> String {
    if depth == Depth::Line {
        return String::new();
    }
    let found = material.details.of(one);
    let mut out = String::new();
    match found.and_then(|found| found["why_it_matters"].as_str()) {
        Some(why) => out += &format!("  Why: {}\n", line(why)),
        None => *missing += 1,
    }
    if depth == Depth::Why {
        return out;
    }
    let fix = found.and_then(|found| found["suggested_fix"].as_str()).or(one.suggested_fix.as_deref());
    match fix.map(line).filter(|fix| !fix.is_empty()) {
        Some(fix) => out += &format!("  Suggested fix: {fix}\n"),
        None if depth == Depth::Fix => out += "  Suggested fix: none\n",
        None => {}
    }
    let evidence =
        found.and_then(|found| found["evidence"].as_array()).map(Vec::as_slice).unwrap_or_default();
    let evidence: Vec<String> = evidence.iter().filter_map(Value::as_str).map(line).collect();
    if !evidence.is_empty() {
        out += &format!("  Evidence: {}\n", evidence.join("; "));
    }
    out
}

/// What was looked at, and what was not.
pub(super) fn covered(findings: &Answer, missing: usize) -> Vec<String> {
    let coverage = &findings.coverage;
    let mut out = Vec::new();
    let mut say = |number: usize, text: &str| {
        if number > 0 {
            out.push(format!("{text}: {number}"));
        }
    };
    say(coverage.suppressed, "Suppressed, too uncertain");
    say(coverage.protected, "Discarded, about protected files");
    say(coverage.dropped_findings.len(), "Dropped findings, malformed");
    say(missing, "Findings without details");
    if !coverage.failed_reviewers.is_empty() {
        out.push(format!("Failed reviewers: {}", coverage.failed_reviewers.join(", ")));
    }
    if !coverage.untracked.is_empty() {
        out.push(format!("Untracked files excluded: {}", coverage.untracked.join(", ")));
    }
    if let Some(intent) = &coverage.uncertain_intent {
        out.push(format!("Intent uncertain: {}", line(intent)));
    }
    out.extend(findings.unmet.iter().map(|unmet| format!("Requirement unmet: {}", line(unmet))));
    out
}

fn list(out: &mut String, heading: &str, items: &[String]) {
    if !items.is_empty() {
        *out += &format!("\n{heading}\n");
        for item in items {
            *out += &format!("- {}\n", line(item));
        }
    }
}
