//! `review merge`: what all reviewers returned as one list: checked, gated, without doubles, routed to whoever
//! takes it on, in one order. The same returns give the same list, whatever their order.

mod cluster;
mod returns;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::findings::{self, Action, Class, Finding, Owner, Return, Severity};
use super::render;
use super::run_folder::{FINDINGS_SCHEMA, RunFolder, parsed};
use super::verdict::Verdict;
use crate::runtime::answer::{Failure, MALFORMED, Said};
use crate::runtime::document;
use crate::runtime::surroundings::Surroundings;

/// Merge what reviewers returned
///
/// Reads returns from the named files, one or a JSON list of them a file, else on standard input: a JSON list of
/// returns, where a return may also be the text that an agent wrote. With `--run` they are stored, with what was made of them.
/// `--format text` prints the report for people.
///
/// Exit codes: 0 merged, `degraded` (no reviewer returned anything usable) included; 2 wrong call; 4 standard
/// input is no JSON, or no such run; 5 a file or folder cannot be read or written; 6 the run is finished.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast-run review merge --run DIR --expected correctness,testing DIR/returns.json\n  plugcast-run review merge --format text < returns.json"
)]
pub struct Options {
    /// Files with returns
    files: Vec<PathBuf>,
    /// The folder of the run
    #[arg(long, value_name = "DIR")]
    pub(super) run: Option<PathBuf>,
    /// Reviewers that were asked
    #[arg(long, value_name = "NAME[,NAME…]", value_delimiter = ',')]
    expected: Vec<String>,
    /// How sure a reviewer must be
    #[arg(long, value_enum, default_value_t = Policy::Float060)]
    policy: Policy,
    /// Folders whose files no finding may ask to delete or ignore
    #[arg(
        long,
        value_name = "PATH[,PATH…]",
        value_delimiter = ',',
        default_value = "docs/brainstorms,docs/plans,docs/solutions"
    )]
    protect: Vec<String>,
    /// Files that were left out because git does not track them
    #[arg(long, value_name = "PATH")]
    untracked: Vec<String>,
    /// What is unclear about the intent of the change
    #[arg(long, value_name = "TEXT")]
    uncertain_intent: Option<String>,
    /// A requirement of the plan that was named, which the change does not meet
    #[arg(long, value_name = "TEXT")]
    unmet: Vec<String>,
}

/// Gates on confidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Policy {
    /// Shares: 0.60, for P0 0.50, before doubles are merged
    Float060,
    /// Anchors 0, 25, 50, 75, 100: 75, for P0 50, after doubles are merged
    Anchor75,
}

/// The answer of `review merge`, and `findings.json` of a run.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// Whether any reviewer returned something usable.
    pub status: Status,
    /// What was found, in the order of reports.
    pub findings: Vec<Merged>,
    /// What was there before the change, as all say who saw it.
    pub pre_existing: Vec<Merged>,
    /// Who takes on what, by `id`.
    pub queues: Queues,
    /// What was looked at, and what was not.
    pub coverage: Coverage,
    /// No reviewer returned anything usable.
    pub degraded: bool,
    /// What the review comes to when nothing is repaired.
    pub verdict_default: Verdict,
    /// Requirements of the plan that the change does not meet.
    pub unmet: Vec<String>,
}

/// Whether any reviewer returned something usable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Some did.
    Ok,
    /// None did.
    Degraded,
}

/// One finding, of one or several reviewers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Merged {
    /// `F1`, `F2`, … in the order of reports; those that were there before go on counting.
    pub id: String,
    /// The title of the worst.
    pub title: String,
    /// The worst.
    pub severity: Severity,
    /// Relative to the repository's top.
    pub file: String,
    /// The first line of the worst.
    pub line: u64,
    /// The most careful.
    pub autofix_class: Class,
    /// The farthest.
    pub owner: Owner,
    /// Whether any wants it verified.
    pub requires_verification: bool,
    /// The highest, raised once when several agree; from 0 to 1.
    pub confidence: f64,
    /// Whether all say that it was there before.
    pub pre_existing: bool,
    /// Who found it, in the order of the returns.
    pub reviewers: Vec<String>,
    /// What to do.
    pub suggested_fix: Option<String>,
    /// What the reviewers would do with it, where one said.
    pub recommended_action: Option<Action>,
    /// What they did not agree on, and what was kept.
    pub disagreements: Vec<String>,
}

/// Who takes on what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Queues {
    /// The fixer, now.
    pub fixer: Vec<String>,
    /// A later step.
    pub residual: Vec<String>,
    /// Nobody: it is reported.
    pub report: Vec<String>,
}

/// What was looked at, and what was not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// Reviewers whose returns were usable, sorted.
    pub reviewers: Vec<String>,
    /// Reviewers without a usable return, sorted.
    pub failed_reviewers: Vec<String>,
    /// How many reviewers were asked.
    pub expected: usize,
    /// Findings below the gate.
    pub suppressed: usize,
    /// Findings that asked to delete or ignore protected files.
    pub protected: usize,
    /// Findings that were not what they must be, with the reason.
    pub dropped_findings: Vec<String>,
    /// Returns that were not what they must be, with the reason.
    pub dropped_returns: Vec<String>,
    /// What may still go wrong, without doubles.
    pub residual_risks: Vec<String>,
    /// What no test covers, without doubles.
    pub testing_gaps: Vec<String>,
    /// Files that were left out because git does not track them.
    pub untracked: Vec<String>,
    /// What is unclear about the intent of the change.
    pub uncertain_intent: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// `malformed_json`, `file_unreadable`, `no_run`, `finished`, `state_unwritable`, `sandboxed`.
pub fn run(options: &Options, surroundings: &Surroundings) -> Result<Said, Failure> {
    let folder = options.run.as_ref().map(|run| RunFolder::open(surroundings, run)).transpose()?;
    if let Some(folder) = &folder {
        folder.must_be_open()?;
        folder.must_be_here(surroundings)?;
    }
    let returns = returns::returns(options, surroundings)?;
    let (mut answer, kept) = merge(options, returns);
    // What `review scope` left out of the diff, where it wrote that down.
    if let Some(folder) = folder.as_ref().filter(|_| options.untracked.is_empty())
        && let Some(scope) = parsed::<Value>(&folder.path.join("scope.json"))?
    {
        let names = scope["scope"]["untracked"].as_array().map(Vec::as_slice).unwrap_or_default();
        answer.coverage.untracked =
            names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
    }
    if let Some(folder) = &folder {
        folder.store(&answer, &kept)?;
    }
    Ok(Said::of(&answer).text(render::people(&answer)))
}

/// The whole pipeline. What comes back beside the answer is each usable return with its reviewer.
fn merge(options: &Options, given: Vec<returns::Given>) -> (Answer, Vec<(String, Value)>) {
    let anchored = options.policy == Policy::Anchor75;
    let mut coverage = Coverage {
        untracked: options.untracked.clone(),
        uncertain_intent: options.uncertain_intent.clone(),
        ..Coverage::default()
    };
    let (mut read, mut kept): (Vec<Return>, Vec<(String, Value)>) = (Vec::new(), Vec::new());
    for (at, (name, document)) in given.into_iter().enumerate() {
        let known = document.as_ref().ok().and_then(|value| value["reviewer"].as_str().map(str::to_owned));
        let name = known.or(name);
        match document.and_then(|value| Ok((findings::read(&value, anchored)?, value))) {
            Ok((found, value)) => {
                kept.push((found.reviewer.clone(), value));
                read.push(found);
            }
            Err(reason) => {
                let who = name.clone().unwrap_or_else(|| format!("return {}", at + 1));
                coverage.dropped_returns.push(format!("{who}: {reason}"));
                coverage.failed_reviewers.extend(name);
            }
        }
    }
    coverage.reviewers = read.iter().map(|found| found.reviewer.clone()).collect();
    let usable = |name: &String| coverage.reviewers.contains(name);
    coverage.failed_reviewers.extend(options.expected.iter().filter(|name| !usable(name)).cloned());
    coverage.failed_reviewers.retain(|name| !coverage.reviewers.contains(name));
    let mut members: Vec<(usize, Finding)> = Vec::new();
    for (order, found) in read.into_iter().enumerate() {
        coverage.dropped_findings.extend(found.dropped);
        coverage.residual_risks.extend(found.residual_risks);
        coverage.testing_gaps.extend(found.testing_gaps);
        for finding in found.findings {
            if asks_to_lose(&finding, &options.protect) {
                coverage.protected += 1;
            } else if !anchored && !passes(finding.severity, finding.confidence, (60, 50)) {
                coverage.suppressed += 1;
            } else {
                members.push((order, finding));
            }
        }
    }
    let names: Vec<String> = kept.iter().map(|(name, _)| name.clone()).collect();
    let mut merged = cluster::clusters(members, &names, if anchored { 25 } else { 10 });
    if anchored {
        let before = merged.len();
        merged.retain(|one| passes(one.severity, (one.confidence * 100.0).round() as u32, (75, 50)));
        coverage.suppressed += before - merged.len();
    }
    merged.sort_by(order);
    let (mut pre_existing, mut found): (Vec<Merged>, Vec<Merged>) =
        merged.into_iter().partition(|one| one.pre_existing);
    for (number, one) in found.iter_mut().chain(&mut pre_existing).enumerate() {
        one.id = format!("F{}", number + 1);
    }
    let reviewers = &mut coverage.reviewers;
    for list in [
        reviewers,
        &mut coverage.failed_reviewers,
        &mut coverage.dropped_findings,
        &mut coverage.dropped_returns,
        &mut coverage.residual_risks,
        &mut coverage.testing_gaps,
    ] {
        list.sort();
        list.dedup();
    }
    let degraded = coverage.reviewers.is_empty();
    coverage.expected = coverage.reviewers.len() + coverage.failed_reviewers.len();
    let queues = queues(&found);
    let verdict =
        if degraded { Verdict::NotReady } else { Verdict::of(found.iter(), !options.unmet.is_empty()) };
    let answer = Answer {
        status: if degraded { Status::Degraded } else { Status::Ok },
        findings: found,
        pre_existing,
        queues,
        coverage,
        degraded,
        verdict_default: verdict,
        unmet: options.unmet.clone(),
    };
    (answer, kept)
}

fn passes(severity: Severity, confidence: u32, (most, worst): (u32, u32)) -> bool {
    confidence >= if severity == Severity::P0 { worst } else { most }
}

/// Whether a finding asks to delete or ignore a protected file.
fn asks_to_lose(finding: &Finding, protect: &[String]) -> bool {
    let file = findings::plain_path(&finding.file);
    let fix = finding.suggested_fix.as_deref().unwrap_or_default();
    let words = format!("{} {fix}", finding.title).to_lowercase();
    let about =
        protect.iter().map(|path| path.trim_end_matches('/')).filter(|path| !path.is_empty()).any(|path| {
            file.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                || words.contains(&path.to_lowercase())
        });
    about && ["delet", "remov", "ignor", "untrack"].iter().any(|stem| words.contains(stem))
}

/// The order of reports.
fn order(one: &Merged, other: &Merged) -> std::cmp::Ordering {
    let place =
        |merged: &Merged| (merged.severity, std::cmp::Reverse((merged.confidence * 100.0).round() as u32));
    place(one)
        .cmp(&place(other))
        .then_with(|| one.file.as_bytes().cmp(other.file.as_bytes()))
        .then_with(|| (one.line, &one.title).cmp(&(other.line, &other.title)))
}

fn queues(found: &[Merged]) -> Queues {
    let mut queues = Queues::default();
    for one in found {
        let queue = match (one.autofix_class, one.owner) {
            (Class::SafeAuto, Owner::ReviewFixer) => &mut queues.fixer,
            (Class::Advisory, _) | (_, Owner::Human | Owner::Release) => &mut queues.report,
            _ => &mut queues.residual,
        };
        queue.push(one.id.clone());
    }
    queues
}

/// The findings of a list by their ids, in the order of the list.
pub fn picked<'a>(all: &'a [Merged], ids: &'a [String]) -> impl Iterator<Item = &'a Merged> {
    all.iter().filter(|one| ids.contains(&one.id))
}

/// Reads `findings.json`.
///
/// # Errors
/// `no_findings` when there is none, `malformed_json`.
pub fn stored(path: &Path) -> Result<Answer, Failure> {
    let name = path.display().to_string();
    let text = document::text(path)?.ok_or_else(|| {
        let hint = "run `plugcast-run review merge --run DIR` first";
        Failure::new(MALFORMED, "no_findings", "the run has no `findings.json` yet", hint)
            .at(&name, None, None)
    })?;
    let hint = "run `plugcast-run review merge --run DIR` again";
    let malformed = |error: serde_json::Error| document::no_json(&error, &name, hint);
    let document: Value = serde_json::from_str(&text).map_err(malformed)?;
    let schema = document["schema"].as_str().unwrap_or_default();
    if schema != FINDINGS_SCHEMA {
        let message = format!("`{schema}` is not known here, `{FINDINGS_SCHEMA}` is");
        return Err(Failure::new(MALFORMED, "unknown_schema", message, hint).at(&name, None, None));
    }
    serde_json::from_str(&text).map_err(malformed)
}
