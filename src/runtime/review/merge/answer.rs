//! The answer of `review merge`, which a run keeps as `findings.json`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::order;
use crate::runtime::answer::{CallFailure, MALFORMED};
use crate::runtime::document;
use crate::runtime::review::findings::{FindingAction, FindingOwner, FindingSeverity, RepairClass};
use crate::runtime::review::reply::{Recheck, UnreadFinding};
use crate::runtime::review::run_folder::{FINDINGS_SCHEMA, RunFolder};
use crate::runtime::review::verdict::ReviewVerdict;

/// The answer of `review merge`, and `findings.json` of a run.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// Whether any reviewer returned something usable.
    pub status: MergeStatus,
    /// What was found, in the order of reports.
    pub findings: Vec<MergedFinding>,
    /// What was there before the change, as all say who saw it.
    pub pre_existing: Vec<MergedFinding>,
    /// Who takes on what, by `id`.
    pub queues: Queues,
    /// What was looked at, and what was not.
    pub coverage: Coverage,
    /// No reviewer returned anything usable.
    pub degraded: bool,
    /// What the review comes to when nothing is repaired.
    pub verdict_default: ReviewVerdict,
    /// Requirements of the plan that the change does not meet.
    pub unmet: Vec<String>,
    /// Findings of several reviewers in one place, which may mean the same.
    pub near: Vec<NearbyFindings>,
    /// What stands in the way of the best verdict, beside the findings.
    pub obstacles: Vec<String>,
    /// What reviewers say of repairs.
    pub rechecked: Vec<Recheck>,
    /// What the change is for.
    pub intent: Option<String>,
    /// Why reviewers were chosen.
    pub reasons: BTreeMap<String, String>,
}

/// Findings in one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NearbyFindings {
    /// Their ids, for `--join`.
    pub ids: Vec<String>,
    /// Their titles, in the order of the ids.
    pub titles: Vec<String>,
    /// The file.
    pub file: String,
    /// The lines, in the order of the ids.
    pub lines: Vec<u64>,
}

/// Whether any reviewer returned something usable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MergeStatus {
    /// Some did.
    Ok,
    /// None did.
    Degraded,
}

/// One finding, of one or several reviewers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MergedFinding {
    /// `F1`, `F2`, … as first merged, which stays; `U1`, … for requirements that are not met.
    pub id: String,
    /// The title of the worst.
    pub title: String,
    /// The worst.
    pub severity: FindingSeverity,
    /// Relative to the repository's top.
    pub file: String,
    /// The first line of the worst; 0 where none is named.
    pub line: u64,
    /// Why the place is none of this tree: then nobody is sent there.
    pub misplaced: Option<String>,
    /// Why it matters, of the worst that says so.
    pub why_it_matters: String,
    /// What it rests on, of all.
    pub evidence: Vec<String>,
    /// The titles of others that mean the same.
    pub also: Vec<String>,
    /// The ids of others that were joined into it.
    pub joined: Vec<String>,
    /// In which round it was found, from 1.
    pub round: u32,
    /// The most careful.
    pub autofix_class: RepairClass,
    /// The farthest.
    pub owner: FindingOwner,
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
    pub recommended_action: Option<FindingAction>,
    /// What they did not agree on, and what was kept.
    pub disagreements: Vec<String>,
}

/// Who takes on what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Queues {
    /// The fixer, now.
    pub fixer: Vec<String>,
    /// Those with a concrete change that the user may approve.
    #[serde(default)]
    pub gated: Vec<String>,
    /// Those by hand that the user may approve.
    #[serde(default)]
    pub manual: Vec<String>,
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
    /// The severities, titles and files of those that name a P0 or P1.
    pub suppressed_titles: Vec<String>,
    /// Findings that asked to delete or ignore protected files.
    pub protected: usize,
    /// Their severities, titles and files.
    pub protected_titles: Vec<String>,
    /// Findings that were not what they must be, with the reason.
    pub dropped_findings: Vec<String>,
    /// Returns that were not what they must be, with the reason.
    pub dropped_returns: Vec<String>,
    /// What may still go wrong, without duplicates.
    pub residual_risks: Vec<String>,
    /// What no test covers, without duplicates.
    pub testing_gaps: Vec<String>,
    /// Reviewers that are always asked and gave no usable reply.
    pub missing: Vec<String>,
    /// Other reviewers that were asked and gave no reply.
    pub unanswered: Vec<String>,
    /// Replies that are there and do not count, with the reason.
    pub unread_replies: Vec<String>,
    /// Sentences that may name a fault, by reply: their reviewers are to be asked about them.
    pub unclear: Vec<UnclearReply>,
    /// Second replies, with what they were asked about.
    pub asked_again: Vec<FollowUp>,
    /// What beside the replies was not understood and is left out.
    pub ignored: Vec<String>,
    /// Findings that cannot be read.
    pub unread: Vec<UnreadFinding>,
    /// Values that had to be corrected.
    pub repaired: Vec<String>,
    /// Files that were left out because git does not track them.
    pub untracked: Vec<String>,
    /// Pictures and other media, and binaries that tools write, which the diff does not show.
    pub media: Vec<String>,
    /// What a reader should know of how the review began.
    #[serde(default)]
    pub notes: Vec<String>,
    /// What is unclear about the intent of the change.
    pub uncertain_intent: Option<String>,
}

/// A reply with sentences that may name a fault: its reviewer is asked about them, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnclearReply {
    /// Whose it is.
    pub reviewer: String,
    /// In which round.
    pub round: u32,
    /// Whether its form could be read; else its one sentence is the whole reply, shortened.
    pub is_readable: bool,
    /// Where the second reply belongs, absolute; empty where no run keeps it.
    pub reply: String,
    /// Whether the reviewer was asked: it is not asked again.
    pub was_asked: bool,
    /// The sentences that nobody answered for.
    pub sentences: Vec<UnclearSentence>,
}

/// A sentence that may name a fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnclearSentence {
    /// `S1`, `S2`, … for the answer; empty in a second reply.
    pub id: String,
    /// The sentence, shortened.
    pub text: String,
}

/// A reply of which the reviewer was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FollowUp {
    /// Whose it is.
    pub reviewer: String,
    /// In which round.
    pub round: u32,
    /// Why it was asked.
    pub reason: String,
    /// What it was asked about, shortened.
    pub text: String,
}

impl MergedFinding {
    /// Its own id, and those that were joined into it.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.id).chain(&self.joined).map(String::as_str)
    }

    /// Whether it is a requirement of the plan that is not met.
    pub fn is_unmet(&self) -> bool {
        self.id.starts_with('U')
    }
}

impl Coverage {
    /// Sorts what is listed, without duplicates, and counts who was asked.
    pub(super) fn settle(&mut self) {
        for list in [
            &mut self.reviewers,
            &mut self.failed_reviewers,
            &mut self.missing,
            &mut self.unanswered,
            &mut self.unread_replies,
            &mut self.ignored,
            &mut self.dropped_findings,
            &mut self.dropped_returns,
            &mut self.residual_risks,
            &mut self.testing_gaps,
        ] {
            order::sort(list);
            list.dedup();
        }
        order::sort(&mut self.protected_titles);
        order::sort(&mut self.suppressed_titles);
        self.expected = self.reviewers.len() + self.failed_reviewers.len();
    }
}

/// The findings of a list by their ids, in the order of the list.
pub fn picked<'a>(all: &'a [MergedFinding], ids: &'a [String]) -> impl Iterator<Item = &'a MergedFinding> {
    all.iter().filter(|one| ids.contains(&one.id))
}

/// Reads `findings.json` of a run.
///
/// # Errors
/// `no_findings` when there is none, `malformed_json`.
pub fn stored(folder: &RunFolder) -> Result<Response, CallFailure> {
    let path = folder.path.join("findings.json");
    let name = path.display().to_string();
    let (text, untrusted) = folder.folder().compared("findings.json")?.ok_or_else(|| {
        let hint = "run `plugcast-run review merge --run DIR` first";
        CallFailure::new(MALFORMED, "no_findings", "the run has no `findings.json` yet", hint)
            .in_file(&name, None, None)
    })?;
    let hint = "run `plugcast-run review merge --run DIR` again";
    let malformed = |error: serde_json::Error| document::no_json(&error, &name, hint);
    let document: Value = serde_json::from_str(&text).map_err(malformed)?;
    let schema = document["schema"].as_str().unwrap_or_default();
    if schema != FINDINGS_SCHEMA {
        let message = format!("unknown schema `{schema}`, expected `{FINDINGS_SCHEMA}`");
        return Err(CallFailure::new(MALFORMED, "unknown_schema", message, hint).in_file(&name, None, None));
    }
    let answer = serde_json::from_str(&text).map_err(malformed)?;
    untrusted.map_or(Ok(answer), Err)
}
