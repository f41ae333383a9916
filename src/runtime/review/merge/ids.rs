//! Ids of findings. An id stays with its finding in later merges, since approvals, joins, and the replies of fixer and
//! reviewers refer to it. A new finding gets the next free number.

use serde::{Deserialize, Serialize};

use super::draft::FindingDraft;
use crate::runtime::review::findings::{Finding, plain_title};

/// What identifies the finding of an id: one of its members, whatever is merged with it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnownFindingId {
    title: String,
    file: String,
    line: u64,
    /// Whether a finding of this merge uses it.
    #[serde(skip)]
    is_taken: bool,
}

/// The findings that have an id, from `F1` on.
#[derive(Debug, Default)]
pub(super) struct FindingIds(pub(super) Vec<KnownFindingId>);

impl KnownFindingId {
    fn belongs_to(&self, draft: &FindingDraft, is_placed: bool) -> bool {
        let is_here = |line: u64| self.line == line;
        // A repair may remove the line by which a path was resolved; then path and line are as the reviewer wrote them.
        let is_lost = |one: &Finding| {
            one.misplaced.is_some()
                && (is_here(one.line) || one.line == 0)
                && (self.file.contains(&draft.file) || draft.file.contains(&self.file))
        };
        let is_it = |one: &Finding| match is_placed {
            true => self.file == draft.file && is_here(one.line),
            false => is_lost(one),
        };
        let mut members = draft.members.iter().map(|(_, one)| one);
        !self.is_taken && members.any(|one| plain_title(&one.title) == self.title && is_it(one))
    }
}

impl FindingIds {
    /// Whether a finding already has an id.
    pub(super) fn has_id(&self, draft: &FindingDraft) -> bool {
        self.0.iter().any(|given| given.belongs_to(draft, true))
    }

    /// Assigns ids: first to findings that already have one.
    pub(super) fn assign_ids(&mut self, drafts: &mut [FindingDraft]) {
        for is_placed in [true, false] {
            for draft in drafts.iter_mut().filter(|draft| draft.id.is_empty()) {
                if let Some(at) = self.0.iter().position(|given| given.belongs_to(draft, is_placed)) {
                    self.0[at].is_taken = true;
                    draft.id = format!("F{}", at + 1);
                }
            }
        }
        for draft in drafts.iter_mut().filter(|draft| draft.id.is_empty()) {
            let title = draft.members.first().map(|(_, one)| plain_title(&one.title)).unwrap_or_default();
            draft.id = format!("F{}", self.0.len() + 1);
            self.0.push(KnownFindingId {
                title,
                file: draft.file.clone(),
                line: draft.line(),
                is_taken: true,
            });
        }
    }
}
