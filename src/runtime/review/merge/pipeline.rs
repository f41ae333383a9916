//! The pipeline of a merge, from the replies to the answer, except for the obstacles.

use serde_json::Value;

use super::answer::{Coverage, MergeStatus, MergedFinding, NearbyFindings, Response};
use super::context::MergeContext;
use super::draft::{self, MergeRules};
use super::ids::FindingIds;
use super::intake::{self, MergeIntake};
use super::places::{self, PlaceCheck};
use super::sources::ReplySource;
use super::{ConfidencePolicy, Options, queues, roster, rounds};
use crate::order;
use crate::runtime::answer::CallFailure;
use crate::runtime::review::repairs::AppliedRepairs;
use crate::runtime::review::run_folder::RunFolder;
use crate::runtime::review::verdict::ReviewVerdict;

/// Folders whose files no finding may ask to delete or ignore.
const PROTECTED: [&str; 3] = ["docs/brainstorms", "docs/plans", "docs/solutions"];

/// The input of a merge, besides the replies.
pub(super) struct MergeInput<'a> {
    pub(super) options: &'a Options,
    pub(super) context: &'a MergeContext,
    pub(super) places: &'a PlaceCheck<'a>,
    pub(super) changed: &'a [String],
    /// The reviewers whose replies are required for the best verdict.
    pub(super) always: Vec<String>,
    pub(super) folder: Option<&'a RunFolder>,
    /// What was merged before.
    pub(super) before: Option<Response>,
}

/// Each usable reply with its reviewer.
pub(super) type UsableReplies = Vec<(String, Value)>;

/// The whole pipeline, except for the obstacles. Returns the answer, the usable replies, and the assigned ids.
pub(super) fn merge(
    input: MergeInput<'_>,
    given: Vec<ReplySource>,
    mut coverage: Coverage,
) -> Result<(Response, UsableReplies, FindingIds), CallFailure> {
    let MergeInput { options, context, places, changed, always, folder, before } = input;
    let anchored = options.policy == Some(ConfidencePolicy::Anchor75);
    coverage.uncertain_intent.clone_from(&context.uncertain_intent);
    let protected = match options.protect.is_empty() {
        true => PROTECTED.map(str::to_owned).to_vec(),
        false => options.protect.clone(),
    };
    let mut intake = MergeIntake::new(anchored, &protected, places, changed);
    for (at, source) in given.into_iter().enumerate() {
        intake.add(at, source, &mut coverage)?;
    }
    let MergeIntake { names, kept, members, mut rechecked, .. } = intake;
    let reasons = roster::record(&mut coverage, &names, context, &options.expected, &always);
    let rules = MergeRules { names: &names, bonus: if anchored { 25 } else { 10 } };
    let mut ids = FindingIds(context.ids.clone());
    let (drafts, again) = rounds::drafts(members, &rules, anchored, &mut ids, &mut coverage);
    if folder.map(AppliedRepairs::is_claimed).transpose()?.unwrap_or_default() {
        rechecked.extend(again.into_iter().map(rounds::recheck));
    }
    let is_known = |id: &str| id.starts_with('U') || drafts.iter().any(|draft| draft.id == id);
    for one in rechecked.iter().filter(|one| !is_known(&one.id)) {
        let say = format!("`{}` answered for `{}`, which is not a finding", one.reviewer, one.id);
        match one.holds {
            true => coverage.ignored.push(say),
            false => coverage.unread_replies.push(format!("{say}: it does not hold")),
        }
    }
    let near = draft::nearby_groups(&drafts, &rules);
    let mut joined = drafts;
    draft::join(&mut joined, &context.joins, options.join.len())?;
    let mut merged: Vec<MergedFinding> = joined.iter().map(|draft| draft.merged(&rules)).collect();
    let plan = folder.and_then(|folder| folder.record.plan.clone());
    let unmet = context.unmet.clone().unwrap_or_default();
    merged.extend(unmet.iter().enumerate().map(|(at, text)| intake::unmet(at, text, plan.as_ref())));
    places::settle_misplaced(&mut merged, before.as_ref().map_or(&[], |before| &before.findings));
    order::sort_by(&mut merged, draft::order);
    let (pre_existing, found): (Vec<MergedFinding>, Vec<MergedFinding>) =
        merged.into_iter().partition(|one| one.pre_existing);
    coverage.normalize();
    let degraded = coverage.reviewers.is_empty();
    let open = match degraded {
        true => ReviewVerdict::NotReady,
        false => ReviewVerdict::from_findings(found.iter(), !unmet.is_empty()),
    };
    let still = |near: &NearbyFindings| {
        near.ids.iter().filter(|id| joined.iter().any(|draft| draft.id == **id)).count() > 1
    };
    let answer = Response {
        status: if degraded { MergeStatus::Degraded } else { MergeStatus::Ok },
        queues: queues::queues(&found),
        findings: found,
        pre_existing,
        coverage,
        degraded,
        verdict_default: open,
        unmet,
        near: near.into_iter().filter(still).collect(),
        obstacles: Vec::new(),
        rechecked,
        intent: context.intent.clone(),
        reasons,
    };
    Ok((answer, kept, ids))
}
