//! `review render`: the result of a review as a report, for another program or for people. The same run gives the same
//! bytes.

mod envelope;
mod markup;
mod tables;
pub mod todo;
pub mod view;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use self::view::{EntryState, Report, ReportEntry};
use super::ReviewMode;
use super::findings::FindingSeverity;
use super::merge::{self, FollowUp, MergedFinding, Response as Findings};
use super::obstacles;
use super::repairs::AppliedRepairs;
use super::reply::Recheck;
use super::run_folder::RunFolder;
use super::verdict::ReviewVerdict;
use crate::printable;
use crate::runtime::answer::{CONTENDED, CallFailure, Delivery, MALFORMED};
use crate::runtime::command_line::{self, options};
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;

options! {
    /// Write the report of a review
    ///
    /// Reads what `review merge --run` stored and what the fixer returned, and writes `report.md` next to it.
    /// In `headless` mode it is the text for another program, whose last line is `Review complete`; print
    /// `report` unchanged. Once `review finish` has ended the run, the report that it wrote is printed
    /// unchanged.
    ///
    /// Exit codes: 0 written; 2 wrong call; 3 state that this machine's helper did not write; 4 nothing was
    /// merged yet, or a malformed document; 5 a file cannot be read or written; 6 another command writes, or
    /// the run is bound to another tree or commit; 7 git took too long.
    pub struct Options {
        /// The folder of the run
        pub(super) run: PathBuf = "--run <DIR>",
        /// The text for another program, for a run of `review start`
        pub(super) headless: bool = "--headless",
        /// What was reviewed, for a run of `review start`; by default what it recorded
        pub(super) scope: Option<String> = "--scope <TEXT>",
        /// The intent of the change, for a run of `review start`; by default what `review merge` was given
        pub(super) intent: Option<String> = "--intent <TEXT>",
        /// A reviewer that was chosen for a reason, and the reason, for a run of `review start`
        pub(super) because: Vec<(String, String)> = "--because <NAME=REASON>",
        /// The file with the repairs, as for `review finish`; `-` is standard input
        pub(super) applied: Option<PathBuf> = "--applied <FILE>",
        /// The verdict; by default that of the open findings
        pub(super) verdict: Option<ReviewVerdict> = "--verdict <VERDICT>",
    }
    examples: ["plugcast-run review render --run DIR --headless --scope 'main..HEAD' --format text"]
}

impl Options {
    /// The options for a run of `review begin`.
    pub(super) fn new(run: PathBuf, verdict: Option<ReviewVerdict>) -> Self {
        let (scope, intent, because, applied) = (None, None, Vec::new(), None);
        Self { run, headless: false, scope, intent, because, applied, verdict }
    }
}

impl command_line::OptionValue for (String, String) {
    fn parse(text: &str) -> Result<Self, String> {
        let (name, reason) = text.split_once('=').ok_or("write NAME=REASON")?;
        Ok((name.to_owned(), reason.to_owned()))
    }
}

/// The file of the report in a run.
pub(super) const NAME: &str = "report.md";
/// The addition to the scope line if uncommitted changes were reviewed.
const UNCOMMITTED: &str = ", uncommitted changes included: commit them before you merge";

/// The answer of `review render`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether any reviewer returned something usable.
    pub status: merge::MergeStatus,
    /// The whole report.
    pub report: String,
    /// Its file, absolute.
    pub path: String,
}

/// Runs the command.
///
/// # Errors
/// `no_findings`, `malformed_json`, `unknown_finding`, `bound`, `locked`, `state_unwritable`, `sandboxed`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let folder = RunFolder::open(environment, &options.run)?;
    must_not_rebind(options, &folder)?;
    let findings = merge::stored(&folder)?;
    let path = folder.path.join(NAME);
    // A finished run prints its final report, whatever the working tree holds now.
    let is_written = folder.record.flags.begun && !folder.is_open()?;
    let written = if is_written { folder.folder().checked_text(NAME)? } else { None };
    let report = match written {
        Some((_, Some(untrusted))) => return Err(untrusted),
        Some((report, None)) => report,
        None if is_written => {
            let message = "this review was ended without a report";
            return Err(CallFailure::new(MALFORMED, ErrorCode::NoFindings, message, "begin a new review"));
        }
        None => {
            let mut applied =
                AppliedRepairs::load(options.applied.as_deref(), environment, &folder, &findings)?;
            if folder.record.flags.begun {
                applied.obstacles.extend(obstacles::commit_obstacles(&folder.record, environment)?);
            }
            let report = text(options, &folder, &findings, &applied)?;
            folder.store.lock()?.replace(&path, report.as_bytes())?;
            report
        }
    };
    let answer =
        Response { status: findings.status, report: report.clone(), path: path.display().to_string() };
    Ok(Delivery::from_answer(&answer).text(report))
}

/// Refuses options that a run of `review begin` has already fixed.
fn must_not_rebind(options: &Options, folder: &RunFolder) -> Result<(), CallFailure> {
    let Options { headless, scope, intent, because, .. } = options;
    let fixed = *headless || scope.is_some() || intent.is_some() || !because.is_empty();
    if !(folder.record.flags.begun && fixed) {
        return Ok(());
    }
    let message = "a run of `review begin` has its own form, scope, intent and reasons";
    let hint = "leave out `--headless`, `--scope`, `--intent` and `--because`";
    Err(CallFailure::new(CONTENDED, ErrorCode::Bound, message, hint))
}

/// The report of a run in its current state.
///
/// # Errors
/// Those of [`RunFolder::document`].
pub(super) fn text(
    options: &Options,
    folder: &RunFolder,
    findings: &Findings,
    applied: &AppliedRepairs,
) -> Result<String, CallFailure> {
    let mut report = view(findings, applied.verdict(findings, options.verdict));
    report.obstacles.extend(applied.obstacles.iter().cloned());
    report.scope = scope_line(folder, options.scope.as_deref(), applied.uncommitted)?;
    report.coverage.extend(applied.skipped.iter().chain(&applied.notes).cloned());
    if let Some(intent) = &options.intent {
        report.intent.clone_from(intent);
    }
    report.focus = folder.record.focus.clone().unwrap_or_default();
    report.artifact = folder.path.display().to_string();
    for (name, reason) in &options.because {
        let own = report.reviewers.iter_mut().filter(|(own, _)| own == name);
        own.for_each(|(_, why)| *why = Some(reason.clone()));
    }
    for one in &mut report.findings {
        let joined = findings.findings.iter().find(|merged| merged.id == one.id);
        let is_own = |id: &str| joined.is_some_and(|merged| merged.ids().any(|own| own == id));
        let reopened = findings.rechecked.iter().any(|recheck| is_own(&recheck.id) && !recheck.holds);
        one.state = match applied.ids.contains(&one.id) {
            true => EntryState::Fixed,
            false if reopened => EntryState::Reopened,
            false => EntryState::Open,
        };
    }
    let record = &folder.record;
    let headless = options.headless || (record.flags.begun && record.mode == ReviewMode::Headless);
    let text = if headless { envelope::text(&report) } else { tables::text(&report) };
    Ok(printable::unobeyed(&text).into_owned())
}

/// The report for people on merged findings without a run or repairs.
pub fn text_report(findings: &Findings, scope: String) -> String {
    let report = Report { scope, ..view(findings, findings.verdict_default) };
    printable::unobeyed(&tables::text(&report)).into_owned()
}

/// The scope line: what the caller named, or the base and the number of files from the run.
fn scope_line(folder: &RunFolder, named: Option<&str>, uncommitted: bool) -> Result<String, CallFailure> {
    if let Some(named) = named {
        return Ok(named.to_owned() + if uncommitted { UNCOMMITTED } else { "" });
    }
    let Some(base) = &folder.record.base else { return Ok(String::new()) };
    let scope: Option<Value> = folder.document("scope.json")?;
    let files = scope.and_then(|scope| scope["scope"]["files"].as_array().map(Vec::len));
    Ok(base_and_files(files, &base.name, uncommitted))
}

/// The base and the number of files, if known.
pub(super) fn base_and_files(files: Option<usize>, base: &str, uncommitted: bool) -> String {
    let since = match files {
        Some(1) => format!("1 file changed since {base}"),
        Some(count) => format!("{count} files changed since {base}"),
        None => format!("what changed since {base}"),
    };
    since + if uncommitted { UNCOMMITTED } else { "" }
}

/// The report of merged findings.
fn view(findings: &Findings, verdict: ReviewVerdict) -> Report {
    let coverage = &findings.coverage;
    let reviewers = coverage.reviewers.iter();
    Report {
        degraded: findings.degraded.then_some(coverage.expected),
        verdict: Some(verdict),
        obstacles: findings.obstacles.clone(),
        intent: findings.intent.clone().unwrap_or_default(),
        reviewers: reviewers.map(|name| (name.clone(), findings.reasons.get(name).cloned())).collect(),
        findings: findings
            .findings
            .iter()
            .map(|one| ReportEntry::from_merged(one, &findings.rechecked))
            .collect(),
        pre_existing: findings.pre_existing.iter().map(|one| ReportEntry::from_merged(one, &[])).collect(),
        residual_risks: coverage.residual_risks.clone(),
        testing_gaps: coverage.testing_gaps.clone(),
        coverage: coverage_lines(findings),
        ..Report::default()
    }
}

impl ReportEntry {
    /// A merged finding with the reviewers' judgements of its repair.
    pub fn from_merged(one: &MergedFinding, rechecked: &[Recheck]) -> Self {
        let also = one.also.iter().map(|title| format!("also reported as: {title}"));
        let own = rechecked
            .iter()
            .filter(|recheck| one.ids().any(|id| id == recheck.id) && !recheck.reason.is_empty());
        let rechecks = own.map(|rechecks| {
            let how = if rechecks.holds { "holds" } else { "does not hold" };
            format!(
                "its repair {how}, says `{}` in round {}: {}",
                rechecks.reviewer, rechecks.round, rechecks.reason
            )
        });
        let misplaced = one.misplaced.iter().filter(|_| !one.is_unmet());
        Self {
            id: one.id.clone(),
            title: one.title.clone(),
            severity: one.severity,
            class: one.autofix_class,
            owner: one.owner,
            requires_verification: one.requires_verification,
            file: one.file.clone(),
            line: (one.line > 0).then_some(one.line),
            reviewers: one.reviewers.clone(),
            confidence: one.confidence,
            why: Some(one.why_it_matters.clone()).filter(|why| !why.trim().is_empty()),
            suggested_fix: one.suggested_fix.clone(),
            evidence: one.evidence.clone(),
            disagreements: one.disagreements.clone(),
            notes: also
                .chain(misplaced.map(|why| format!("no agent is sent there: {}", why.words())))
                .chain(rechecks)
                .collect(),
            state: EntryState::Open,
        }
    }
}

/// What was reviewed, and what was not.
fn coverage_lines(findings: &Findings) -> Vec<String> {
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
    out.extend(coverage.suppressed_titles.iter().map(|title| format!("Suppressed: {title}")));
    out.extend(coverage.protected_titles.iter().map(|title| format!("Discarded: {title}")));
    for one in &coverage.unread {
        let severity = one.severity.map_or("severity unknown", FindingSeverity::word);
        out.push(format!("Unread, of {} ({severity}): {}", one.reviewer, one.reason));
    }
    out.extend(coverage.repaired.iter().map(|repaired| format!("Understood as: {repaired}")));
    for FollowUp { reviewer, round, reason, text } in &coverage.asked_again {
        let round = if *round > 1 { format!(" in round {round}") } else { String::new() };
        out.push(format!("Asked again, `{reviewer}`{round}: {reason}: {text}"));
    }
    for one in &coverage.unclear {
        let sentences = one.sentences.iter().map(|sentence| sentence.text.as_str());
        out.extend(sentences.map(|text| format!("Unclear, of {}: {text}", one.reviewer)));
    }
    out.extend(coverage.ignored.iter().map(|ignored| format!("Ignored: {ignored}")));
    if !coverage.media.is_empty() {
        out.push(format!("Not shown, media and generated files: {}", coverage.media.join(", ")));
    }
    if !coverage.failed_reviewers.is_empty() {
        out.push(format!("Failed reviewers: {}", coverage.failed_reviewers.join(", ")));
    }
    if !coverage.untracked.is_empty() {
        out.push(format!("Untracked files excluded: {}", coverage.untracked.join(", ")));
    }
    out.extend(coverage.notes.iter().map(|note| format!("When the review began: {note}")));
    if let Some(intent) = &coverage.uncertain_intent {
        out.push(format!("Intent uncertain: {intent}"));
    }
    out.extend(findings.unmet.iter().map(|unmet| format!("Requirement unmet: {unmet}")));
    out
}
