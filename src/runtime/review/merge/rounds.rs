//! Combines the findings of all rounds without duplicates, with their ids (`merge/ids.rs`). A finding that a later
//! round repeats keeps its id.

use super::answer::{Coverage, MergedFinding};
use super::cluster;
use super::draft::{self, FindingDraft, MergeRules};
use super::ids::FindingIds;
use crate::order;
use crate::runtime::review::findings::{Finding, FindingSeverity};
use crate::runtime::review::reply::Recheck;

/// The id of a finding, the round in which it was found again, and how.
pub(super) type RepeatedFinding = (String, u32, MergedFinding);

/// The findings, and those of them that a later round found again.
pub(super) fn drafts(
    members: Vec<(u32, usize, Finding)>,
    rules: &MergeRules<'_>,
    anchored: bool,
    ids: &mut FindingIds,
    coverage: &mut Coverage,
) -> (Vec<FindingDraft>, Vec<RepeatedFinding>) {
    let (mut all, mut again): (Vec<FindingDraft>, Vec<RepeatedFinding>) = (Vec::new(), Vec::new());
    let last = members.iter().map(|(round, ..)| *round).max().unwrap_or(1);
    for round in 1..=last {
        let own = members.iter().filter(|(at, ..)| *at == round).map(|(_, place, one)| (*place, one.clone()));
        let mut drafts = cluster::clusters(own.collect(), round);
        if anchored {
            let before = drafts.len();
            drafts.retain(|draft| {
                let one = draft.merged(rules);
                passes(one.severity, (one.confidence * 100.0).round() as u32, (75, 50))
            });
            coverage.suppressed += before - drafts.len();
        }
        // A repeated finding is still there, or there again, and may be worse.
        drafts.retain(|draft| match nearest(draft, &mut all).filter(|_| !ids.has_id(draft)) {
            Some(known) => {
                again.push((known.id.clone(), round, draft.merged(rules)));
                known.members.extend(draft.members.iter().cloned());
                false
            }
            None => true,
        });
        let mut ordered: Vec<(MergedFinding, FindingDraft)> =
            drafts.into_iter().map(|draft| (draft.merged(rules), draft)).collect();
        order::sort_by(&mut ordered, |(one, _), (other, _)| {
            one.pre_existing.cmp(&other.pre_existing).then_with(|| draft::order(one, other))
        });
        let mut drafts: Vec<FindingDraft> = ordered.into_iter().map(|(_, draft)| draft).collect();
        ids.assign_ids(&mut drafts);
        all.extend(drafts);
    }
    (all, again)
}

/// The finding that another repeats: the nearest one, if there are several.
fn nearest<'a>(draft: &FindingDraft, all: &'a mut [FindingDraft]) -> Option<&'a mut FindingDraft> {
    let repeated = all.iter_mut().filter(|known| draft.repeats(known));
    repeated.min_by_key(|known| known.line().abs_diff(draft.line()))
}

/// The verdict of a reviewer who finds something again: its repair does not hold.
pub(super) fn recheck((id, round, found): RepeatedFinding) -> Recheck {
    Recheck {
        id,
        holds: false,
        reason: format!("found again: {}", found.title),
        remaining: None,
        flags: Vec::new(),
        reviewer: found.reviewers.into_iter().next().unwrap_or_default(),
        round,
    }
}

/// Whether the confidence of a finding is high enough.
pub(super) fn passes(severity: FindingSeverity, confidence: u32, (most, worst): (u32, u32)) -> bool {
    confidence >= if severity == FindingSeverity::P0 { worst } else { most }
}
