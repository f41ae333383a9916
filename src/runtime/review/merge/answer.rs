//! The answer of `review merge`, which a run keeps as `findings.json`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::order;
use crate::runtime::answer::{CallFailure, MALFORMED};
use crate::runtime::document;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::review::findings::{
    FindingAction, FindingOwner, FindingSeverity, Misplacement, RepairClass,
};
use crate::runtime::review::reply::{Recheck, UnreadFinding};
use crate::runtime::review::run_folder::{FINDINGS_SCHEMA, RunFolder};
use crate::runtime::review::verdict::ReviewVerdict;

/// The answer of `review merge`, and `findings.json` of a run.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// Whether any reviewer returned something usable.
    pub status: MergeStatus,
    /// The findings, in the order of reports.
    pub findings: Vec<MergedFinding>,
    /// Findings that were there before the change, according to all who reported them.
    pub pre_existing: Vec<MergedFinding>,
    /// Which owner gets which findings, by `id`.
    pub queues: Queues,
    /// What was reviewed, and what was not.
    pub coverage: Coverage,
    /// Whether no reviewer returned anything usable.
    pub degraded: bool,
    /// The verdict if nothing is repaired.
    pub verdict_default: ReviewVerdict,
    /// Requirements of the plan that the change does not meet.
    pub unmet: Vec<String>,
    /// Findings of several reviewers in one place, which may be the same problem.
    pub near: Vec<NearbyFindings>,
    /// What prevents the best verdict, besides the findings.
    pub obstacles: Vec<String>,
    /// The reviewers' judgements of repairs.
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
    /// At least one did.
    Ok,
    /// None did.
    Degraded,
}

/// One finding, of one or several reviewers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MergedFinding {
    /// `F1`, `F2`, … as first merged, which stays; `U1`, … for requirements that are not met.
    pub id: String,
    /// The title of the most severe member.
    pub title: String,
    /// The highest severity.
    pub severity: FindingSeverity,
    /// Relative to the repository's top.
    pub file: String,
    /// The first line of the most severe member; 0 if none is named.
    pub line: u64,
    /// Why the place is not valid in this tree; no agent is sent there then.
    #[schemars(with = "Option<String>")]
    pub misplaced: Option<Misplacement>,
    /// Why it matters, from the most severe member that explains it.
    pub why_it_matters: String,
    /// The evidence of all members.
    pub evidence: Vec<String>,
    /// The titles of duplicates.
    pub also: Vec<String>,
    /// The ids of findings that were joined into it.
    pub joined: Vec<String>,
    /// In which round it was found, from 1.
    pub round: u32,
    /// The most restricted class.
    pub autofix_class: RepairClass,
    /// The farthest owner.
    pub owner: FindingOwner,
    /// Whether any reviewer wants the repair verified.
    pub requires_verification: bool,
    /// The highest confidence, raised once if several agree; from 0 to 1.
    pub confidence: f64,
    /// Whether all reviewers say that it was there before the change.
    pub pre_existing: bool,
    /// Who found it, in the order of the returns.
    pub reviewers: Vec<String>,
    /// What to do.
    pub suggested_fix: Option<String>,
    /// What the reviewers would do with it, if any said so.
    pub recommended_action: Option<FindingAction>,
    /// What they disagreed on, and what was kept.
    pub disagreements: Vec<String>,
}

/// Which owner gets which findings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Queues {
    /// For the fixer, now.
    pub fixer: Vec<String>,
    /// With a concrete change that the user may approve.
    #[serde(default)]
    pub gated: Vec<String>,
    /// To be repaired by hand, which the user may approve.
    #[serde(default)]
    pub manual: Vec<String>,
    /// For a later step.
    pub residual: Vec<String>,
    /// Only reported.
    pub report: Vec<String>,
}

/// What was reviewed, and what was not.
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
    /// The severities, titles and files of those with P0 or P1.
    pub suppressed_titles: Vec<String>,
    /// Findings that asked to delete or ignore protected files.
    pub protected: usize,
    /// Their severities, titles and files.
    pub protected_titles: Vec<String>,
    /// Invalid findings, with the reason.
    pub dropped_findings: Vec<String>,
    /// Invalid returns, with the reason.
    pub dropped_returns: Vec<String>,
    /// What may still go wrong, without duplicates.
    pub residual_risks: Vec<String>,
    /// What no test covers, without duplicates.
    pub testing_gaps: Vec<String>,
    /// Reviewers that are always asked but gave no usable reply.
    pub missing: Vec<String>,
    /// Other reviewers that were asked but gave no reply.
    pub unanswered: Vec<String>,
    /// Replies that do not count, with the reason.
    pub unread_replies: Vec<String>,
    /// Replies that cannot be read: what `dropped_returns` and `unread_replies` say of them.
    #[serde(skip)]
    pub(in crate::runtime::review) unreadable: Vec<UnreadableReply>,
    /// Sentences that may report a fault, by reply: ask their reviewers about them.
    pub unclear: Vec<UnclearReply>,
    /// Second replies, with what they were asked about.
    pub asked_again: Vec<FollowUp>,
    /// What was not understood in the context, and is ignored.
    pub ignored: Vec<String>,
    /// Findings that cannot be read.
    pub unread: Vec<UnreadFinding>,
    /// Values that had to be corrected.
    pub repaired: Vec<String>,
    /// Files that were left out because git does not track them.
    pub untracked: Vec<String>,
    /// Images and other media, and generated binaries, which the diff does not show.
    pub media: Vec<String>,
    /// What a reader should know about the start of the review.
    #[serde(default)]
    pub notes: Vec<String>,
    /// What is unclear about the intent of the change.
    pub uncertain_intent: Option<String>,
}

/// A reply that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::runtime::review) struct UnreadableReply {
    /// The reviewer.
    pub(in crate::runtime::review) reviewer: String,
    /// The round.
    pub(in crate::runtime::review) round: u32,
    /// Why.
    pub(in crate::runtime::review) reason: String,
    /// Its line in `unread_replies`, unless that is about a file in the wrong place.
    pub(in crate::runtime::review) line: Option<String>,
}

/// A reply with sentences that may report a fault: its reviewer is asked about them once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnclearReply {
    /// The reviewer.
    pub reviewer: String,
    /// The round.
    pub round: u32,
    /// Whether its form could be parsed; otherwise its only sentence is the whole reply, shortened.
    pub is_readable: bool,
    /// The file for the second reply, absolute; empty if no run keeps it.
    pub reply: String,
    /// Whether the reviewer was already asked, which happens only once.
    pub was_asked: bool,
    /// The sentences without an answer.
    pub sentences: Vec<UnclearSentence>,
}

/// A sentence that may report a fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnclearSentence {
    /// `S1`, `S2`, … to refer to in the answer; empty in a second reply.
    pub id: String,
    /// The sentence, shortened.
    pub text: String,
}

/// A reply whose reviewer was asked about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FollowUp {
    /// The reviewer.
    pub reviewer: String,
    /// The round.
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
    /// Sorts and deduplicates the lists, and counts the reviewers that were asked.
    pub(super) fn normalize(&mut self) {
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

/// The findings with these ids, in the order of the list.
pub fn findings_by_id<'a>(
    all: &'a [MergedFinding],
    ids: &'a [String],
) -> impl Iterator<Item = &'a MergedFinding> {
    all.iter().filter(|one| ids.contains(&one.id))
}

/// Reads the `findings.json` of a run.
///
/// # Errors
/// `no_findings` if there is none, `malformed_json`.
pub fn stored(folder: &RunFolder) -> Result<Response, CallFailure> {
    let path = folder.path.join("findings.json");
    let name = path.display().to_string();
    let (text, untrusted) = folder.folder().checked_text("findings.json")?.ok_or_else(|| {
        let hint = "run `plugcast-run review merge --run DIR` first";
        CallFailure::new(MALFORMED, ErrorCode::NoFindings, "the run has no `findings.json` yet", hint)
            .in_file(&name, None, None)
    })?;
    let hint = "run `plugcast-run review merge --run DIR` again";
    let malformed = |error: serde_json::Error| document::no_json(&error, &name, hint);
    let document: Value = serde_json::from_str(&text).map_err(malformed)?;
    let schema = document["schema"].as_str().unwrap_or_default();
    if schema != FINDINGS_SCHEMA {
        let message = format!("unknown schema `{schema}`, expected `{FINDINGS_SCHEMA}`");
        return Err(
            CallFailure::new(MALFORMED, ErrorCode::UnknownSchema, message, hint).in_file(&name, None, None)
        );
    }
    let answer = serde_json::from_str(&text).map_err(malformed)?;
    untrusted.map_or(Ok(answer), Err)
}
