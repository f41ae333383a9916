//! `review approve`: what the user allows the fixer to repair, written as `fix.json`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::evidence::ShownEvidence;
use super::findings::{FindingOwner, Misplacement};
use super::merge;
use super::run_folder::RunFolder;
use super::{ReviewMode, fix, reply};
use crate::runtime::answer::{CallFailure, Delivery, REFUSED};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;

options! {
    /// Allow findings to be repaired
    ///
    /// Only in `interactive`, after the user agreed: findings by their ids, or with `--safe` all of
    /// `queues.fixer`. Findings without a place, and advice, are skipped with a reason.
    ///
    /// Exit codes: 0 written; 2 wrong call; 3 another mode, or state that this machine's helper did not write; 4
    /// nothing was merged yet, or a malformed document; 5 a file or folder cannot be read or written; 6 the run is
    /// finished, or bound to another tree or commit; 7 git took too long.
    pub struct Options {
        /// The findings
        ids: Vec<String> = "[F3,F5]..." { splits: true, required: true, unless: "--safe" },
        /// The folder of the run
        pub(super) run: PathBuf = "--run <DIR>",
        /// All that are safe to repair without asking
        safe: bool = "--safe",
    }
    examples: ["plugcast-run review approve --run DIR F3,F5", "plugcast-run review approve --run DIR --safe"]
}

/// The answer of `review approve`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// `ok`.
    pub status: ApproveStatus,
    /// The file for the fixer, absolute.
    pub fix_path: String,
    /// The findings that were allowed.
    pub ids: Vec<String>,
    /// The findings that were skipped, and why.
    pub skipped: Vec<SkippedFinding>,
}

/// `review approve` has no other answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApproveStatus {
    /// Written.
    Ok,
}

/// A finding that cannot be allowed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SkippedFinding {
    /// The finding.
    pub id: String,
    /// Why.
    pub reason: String,
}

/// The id of a finding in any spelling: `f1` and ` F1.` are `F1`.
fn finding_id(text: &str) -> Result<String, CallFailure> {
    reply::id(text).ok_or_else(|| {
        let message = format!("`{text}` is not the id of a finding");
        CallFailure::usage(message)
            .with_hint("name each finding, such as `F1,F3`; `--safe` names all that are safe")
    })
}

/// Runs the command.
///
/// # Errors
/// `not_allowed`, `no_findings`, `malformed_json`, `unknown_schema`, `finished`, `run_moved`, `locked`,
/// `state_unwritable`, `sandboxed`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let folder = RunFolder::open(environment, &options.run)?;
    folder.must_be_open()?;
    folder.must_be_here(environment)?;
    if folder.record.mode != ReviewMode::Interactive {
        let message = "this mode asks no questions: only safe findings are repaired";
        let hint = "leave this step out, or begin an interactive review";
        return Err(CallFailure::new(REFUSED, ErrorCode::NotAllowed, message, hint));
    }
    let findings = merge::stored(&folder)?;
    let queues = &findings.queues;
    let mut wanted = options.ids.iter().map(|id| finding_id(id)).collect::<Result<Vec<_>, CallFailure>>()?;
    if options.safe {
        wanted.extend(queues.fixer.iter().cloned());
    }
    let (mut ids, mut skipped): (Vec<String>, Vec<SkippedFinding>) = (Vec::new(), Vec::new());
    for id in wanted {
        let found = findings.findings.iter().find(|one| one.id == id);
        let may = [&queues.fixer, &queues.gated, &queues.manual].iter().any(|queue| queue.contains(&id));
        let reason = match found {
            Some(_) if may => {
                if !ids.contains(&id) {
                    ids.push(id);
                }
                continue;
            }
            Some(one) => {
                let other = match one.owner {
                    FindingOwner::Release => "it is left to the release",
                    _ => "it is advice",
                };
                one.misplaced.as_ref().map_or(other, Misplacement::words).to_owned()
            }
            None => "unknown finding".to_owned(),
        };
        skipped.push(SkippedFinding { id, reason });
    }
    let evidence = ShownEvidence::load(&folder, environment)?;
    let fix_path = fix::write(&folder, &findings, Some(&ids), evidence.as_ref())?;
    Ok(Delivery::from_answer(&Response { status: ApproveStatus::Ok, fix_path, ids, skipped }))
}
