//! Drafts of the merged findings: findings with the same file and title within three lines become one
//! (`merge/cluster.rs`), findings of several reviewers in one place are proposed as duplicates, and those that the
//! caller confirms are joined. Ids are assigned once, before joining, and never change.

use std::cmp::Reverse;

use super::answer::{MergedFinding, NearbyFindings};
use super::cluster;
use crate::order;
use crate::runtime::answer::{CallFailure, MALFORMED, USAGE};
use crate::runtime::error_code::ErrorCode;
use crate::runtime::review::findings::{Finding, RepairClass, plain_title};

/// The maximum distance of lines in one place.
const WINDOW: u64 = 3;

/// A finding with all its reports.
#[derive(Debug, Clone)]
pub(super) struct FindingDraft {
    pub(super) id: String,
    /// The ids of those that were joined into it.
    pub(super) joined: Vec<String>,
    pub(super) round: u32,
    pub(super) file: String,
    /// Each with the index of its reviewer in the names.
    pub(super) members: Vec<(usize, Finding)>,
}

/// The rules for merging drafts.
pub(super) struct MergeRules<'a> {
    pub(super) names: &'a [String],
    /// What agreement adds to confidence, in hundredths.
    pub(super) bonus: u32,
}

impl FindingDraft {
    /// Merges the draft into one finding.
    pub(super) fn merged(&self, rules: &MergeRules<'_>) -> MergedFinding {
        let one = cluster::merge_members(&self.file, &self.members, rules.names, rules.bonus);
        MergedFinding { id: self.id.clone(), joined: self.joined.clone(), round: self.round, ..one }
    }

    /// The smallest line of its members.
    pub(super) fn line(&self) -> u64 {
        self.members.iter().map(|(_, one)| one.line).min().unwrap_or_default()
    }

    /// Whether another draft is in the same place and of the same kind: pre-existing or new, advisory or not.
    fn is_near(&self, other: &Self) -> bool {
        let kind = |draft: &Self| {
            let advice = draft.members.iter().all(|(_, one)| one.autofix_class == RepairClass::Advisory);
            (advice, draft.members.iter().all(|(_, one)| one.pre_existing))
        };
        let near = |one: u64| other.members.iter().any(|(_, other)| one.abs_diff(other.line) <= WINDOW);
        self.file == other.file
            && kind(self) == kind(other)
            && self.members.iter().any(|(_, one)| near(one.line))
    }

    /// Whether it repeats another draft.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        let title = |draft: &Self| order::set(draft.members.iter().map(|(_, one)| plain_title(&one.title)));
        self.file == other.file
            && self.line().abs_diff(other.line()) <= WINDOW
            && !title(self).is_disjoint(&title(other))
    }
}

/// The order of reports.
pub(super) fn order(one: &MergedFinding, other: &MergedFinding) -> std::cmp::Ordering {
    let place =
        |merged: &MergedFinding| (merged.severity, Reverse((merged.confidence * 100.0).round() as u32));
    place(one)
        .cmp(&place(other))
        .then_with(|| one.file.as_bytes().cmp(other.file.as_bytes()))
        .then_with(|| (one.line, &one.title).cmp(&(other.line, &other.title)))
}

/// Findings of several reviewers in one place. A group grows from its first member and does not chain.
pub(super) fn nearby_groups(drafts: &[FindingDraft], rules: &MergeRules<'_>) -> Vec<NearbyFindings> {
    let mut placed: Vec<&FindingDraft> = drafts.iter().filter(|draft| !draft.file.is_empty()).collect();
    order::sort_by(&mut placed, |one, other| {
        (&one.file, one.line(), &one.id).cmp(&(&other.file, other.line(), &other.id))
    });
    let mut groups = Vec::new();
    let mut rest = placed.as_slice();
    while let Some((first, others)) = rest.split_first() {
        let here = others
            .iter()
            .take_while(|other| other.file == first.file && other.line() <= first.line() + WINDOW);
        let group: Vec<&FindingDraft> =
            std::iter::once(*first).chain(here.copied().filter(|other| first.is_near(other))).collect();
        let who = order::set(
            group.iter().flat_map(|draft| &draft.members).map(|(place, _)| rules.names[*place].as_str()),
        );
        if group.len() > 1 && who.len() > 1 {
            let title = |draft: &&FindingDraft| draft.merged(rules).title;
            groups.push(NearbyFindings {
                ids: group.iter().map(|draft| draft.id.clone()).collect(),
                titles: group.iter().map(title).collect(),
                file: first.file.clone(),
                lines: group.iter().map(|draft| draft.line()).collect(),
            });
        }
        rest = others;
        // A member of a group does not start another.
        while rest.first().is_some_and(|next| {
            groups.last().is_some_and(|last: &NearbyFindings| last.ids.contains(&next.id))
        }) {
            rest = &rest[1..];
        }
    }
    groups
}

/// Joins each list of ids into one finding. All must be in one place; the first id is kept. Joins of earlier calls that
/// no longer fit, because a reply changed, are ignored; for the last `new` lists, that is an error.
///
/// # Errors
/// `unknown_finding`, `not_near`.
pub(super) fn join(
    drafts: &mut Vec<FindingDraft>,
    joins: &[Vec<String>],
    new: usize,
) -> Result<(), CallFailure> {
    let (before, new) = joins.split_at(joins.len().saturating_sub(new));
    for ids in before {
        let _ = join_one(drafts, ids);
    }
    new.iter().try_for_each(|ids| join_one(drafts, ids))
}

fn join_one(drafts: &mut Vec<FindingDraft>, ids: &[String]) -> Result<(), CallFailure> {
    let mut places = Vec::new();
    for id in ids {
        // A joined id refers to the finding that it was joined into.
        let is_own = |draft: &FindingDraft| draft.id == *id || draft.joined.contains(id);
        let place = drafts.iter().position(is_own).ok_or_else(|| {
            let message = format!("`{id}` is not a finding of this run");
            CallFailure::new(
                MALFORMED,
                ErrorCode::UnknownFinding,
                message,
                "name ids from one group of `near`",
            )
        })?;
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let Some((first, others)) = places.split_first() else { return Ok(()) };
    for other in others {
        if !places.iter().any(|place| place != other && drafts[*place].is_near(&drafts[*other])) {
            let message =
                format!("`{}` and `{}` are in different places", drafts[*first].id, drafts[*other].id);
            let hint = "join findings of one group of `near` only";
            return Err(CallFailure::new(USAGE, ErrorCode::NotNear, message, hint));
        }
    }
    let mut others = others.to_vec();
    order::sort(&mut others);
    let mut members = Vec::new();
    for other in others.iter().rev() {
        members.extend(drafts[*other].members.clone());
    }
    drafts[*first].members.extend(members);
    let joined: Vec<String> = others
        .iter()
        .flat_map(|other| drafts[*other].joined.iter().chain([&drafts[*other].id]))
        .cloned()
        .collect();
    drafts[*first].joined.extend(joined);
    for other in others.iter().rev() {
        drafts.remove(*other);
    }
    Ok(())
}
