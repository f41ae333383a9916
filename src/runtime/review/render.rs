//! `review render`: what a review found as a report, for another program or for people. The same run gives the
//! same bytes.

mod envelope;
mod tables;

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::applied::Applied;
use super::findings::{plain_path, plain_title};
use super::merge::{self, Answer as Findings, Merged};
use super::run_folder::{RunFolder, parsed};
use super::verdict::Verdict;
use crate::disk;
use crate::runtime::answer::{Failure, Said};
use crate::runtime::surroundings::Surroundings;

/// Write the report of a review
///
/// Reads what `review merge --run` stored and writes `report.md` beside it. With `--headless` it is the text that
/// another program reads, whose last line is `Review complete`; print `report` as it is.
///
/// Exit codes: 0 written; 2 wrong call; 4 nothing was merged yet, or a malformed document; 5 a file cannot be read or
/// written; 6 another command writes.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast-run review render --run DIR --headless --scope 'main..HEAD' --format text"
)]
pub struct Options {
    /// The folder of the run
    #[arg(long, value_name = "DIR")]
    pub(super) run: PathBuf,
    /// The text for another program
    #[arg(long)]
    headless: bool,
    /// What was looked at
    #[arg(long, value_name = "TEXT", default_value = "")]
    scope: String,
    /// What the change is for
    #[arg(long, value_name = "TEXT", default_value = "")]
    intent: String,
    /// A reviewer that was chosen for a reason, and the reason
    #[arg(long, value_name = "NAME=REASON", value_parser = because)]
    because: Vec<(String, String)>,
    /// The file of what was repaired, as for `review finish`; `-` is standard input
    #[arg(long, value_name = "FILE")]
    applied: Option<PathBuf>,
    /// What the review came to; by what is open unless told
    #[arg(long, value_enum)]
    verdict: Option<Verdict>,
}

fn because(text: &str) -> Result<(String, String), String> {
    let (name, reason) = text.split_once('=').ok_or("write NAME=REASON")?;
    Ok((name.to_owned(), reason.to_owned()))
}

/// The answer of `review render`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// Whether any reviewer returned something usable.
    pub status: merge::Status,
    /// The whole report.
    pub report: String,
    /// Its file, absolute.
    pub path: String,
}

/// What a report is made of.
struct Material<'a> {
    findings: &'a Findings,
    details: Details,
    options: &'a Options,
    /// The ids of what was repaired.
    applied: Vec<String>,
    verdict: Verdict,
    folder: String,
}

/// The returns as they came, for what a merged finding does not hold.
struct Details(Vec<(String, Vec<Value>)>);

impl Details {
    /// Reads the returns of a run; one that is damaged has no details.
    fn read(folder: &RunFolder) -> Self {
        let mut returns = Vec::new();
        for (name, is_folder) in disk::list(&folder.path).unwrap_or_default() {
            if is_folder || !name.ends_with(".json") {
                continue;
            }
            if let Ok(Some(value)) = parsed::<Value>(&folder.path.join(&name))
                && let (Some(reviewer), Some(found)) =
                    (value["reviewer"].as_str(), value["findings"].as_array())
            {
                returns.push((reviewer.to_owned(), found.clone()));
            }
        }
        Self(returns)
    }

    /// The first finding of a contributing reviewer in the same file within three lines, one with the same title
    /// before others.
    fn of(&self, one: &Merged) -> Option<&Value> {
        let near = |found: &&Value| {
            let line = found["line"].as_u64().unwrap_or_default();
            found["file"].as_str().is_some_and(|file| plain_path(file) == one.file)
                && line.abs_diff(one.line) <= 3
        };
        let own =
            one.reviewers.iter().flat_map(|reviewer| self.0.iter().filter(move |(name, _)| name == reviewer));
        let candidates: Vec<&Value> = own.flat_map(|(_, found)| found.iter()).filter(near).collect();
        let same = |found: &&&Value| {
            found["title"].as_str().is_some_and(|title| plain_title(title) == plain_title(&one.title))
        };
        candidates.iter().find(same).or(candidates.first()).copied()
    }
}

/// Runs the command.
///
/// # Errors
/// `no_findings`, `malformed_json`, `unknown_finding`, `locked`, `state_unwritable`, `sandboxed`.
pub fn run(options: &Options, surroundings: &Surroundings) -> Result<Said, Failure> {
    let folder = RunFolder::open(surroundings, &options.run)?;
    let findings = merge::stored(&folder.path.join("findings.json"))?;
    let applied = match &options.applied {
        Some(file) => Applied::of_file(file, surroundings, &folder, &findings)?,
        None => Applied::of_run(&folder, &findings)?,
    };
    let verdict = applied.verdict(&findings, options.verdict);
    let material = Material {
        details: Details::read(&folder),
        folder: folder.path.display().to_string(),
        findings: &findings,
        verdict,
        applied: applied.ids,
        options,
    };
    let report = if options.headless { envelope::text(&material) } else { material.tables() };
    let path = folder.path.join("report.md");
    folder.store.lock()?.replace(&path, report.as_bytes())?;
    let answer = Answer { status: findings.status, report: report.clone(), path: path.display().to_string() };
    Ok(Said::of(&answer).text(report))
}

impl Material<'_> {
    fn tables(&self) -> String {
        tables::text(self.findings, self.verdict, &self.applied, (&self.options.scope, &self.options.intent))
    }
}

/// The report for people on what was merged, when nothing is repaired and no run keeps it.
pub fn people(findings: &Findings) -> String {
    tables::text(findings, findings.verdict_default, &[], ("", ""))
}

/// A text on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
