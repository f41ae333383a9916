//! The diff of a working tree for a review, with what the diff itself does not show: files that git is told not to
//! check, hidden edits, and submodules.

use std::collections::BTreeSet;

use super::diff::{self, WrittenDiff};
use super::untracked::{self, IndexFlags};
use super::{ScopeRequest, marks, racy, submodules};
use crate::runtime::answer::CallFailure;
use crate::runtime::git::Repository;
use crate::runtime::review::evidence::{self, ShownFiles};

/// A diff of the working tree.
pub(super) struct WorkingDiff {
    pub(super) diff: WrittenDiff,
    /// Files with edits that no diff shows.
    pub(super) hidden_edits: Vec<String>,
    /// When the first scan began, in seconds since 1970.
    pub(super) since: i64,
}

/// Takes the diff since the commit `merge_base`.
pub(super) fn read(
    repository: &Repository,
    question: &ScopeRequest<'_>,
    merge_base: &str,
) -> Result<WorkingDiff, CallFailure> {
    let folder = question.folder;
    let listing = if question.certifies { IndexFlags::read(repository)? } else { IndexFlags::default() };
    let since = match folder.filter(|_| question.round > 1) {
        Some(folder) => folder.document::<ShownFiles>(evidence::NAME)?.unwrap_or_default().since,
        None => repository.environment().now().seconds() - 1,
    };
    let edits = |repository: &Repository| match question.certifies {
        true => racy::hidden_edits(repository, since),
        false => Ok(BTreeSet::new()),
    };
    let new = listing.new_files(question.left_out.as_deref().unwrap_or_default());
    let (mut diff, edits) = match (folder, &question.left_out) {
        (Some(folder), Some(_)) => untracked::with_index(repository, folder, &new, |repository| {
            let diff = diff::write(repository, merge_base, Some(folder), question.max_bytes)?;
            Ok((diff, edits(repository)?))
        })?,
        _ => {
            let diff = diff::write(repository, merge_base, folder, question.max_bytes)?;
            (diff, edits(repository)?)
        }
    };
    let mut hidden_edits = Vec::new();
    if question.certifies {
        let marks = marks::read(repository, &listing, edits)?;
        hidden_edits = marks.hidden_edits;
        diff.hashes.extend(marks.hashes);
        let submodules = submodules::hidden_submodules(repository, &listing)?;
        hidden_edits.extend(submodules.names);
        diff.hashes.extend(submodules.hashes);
    }
    Ok(WorkingDiff { diff, hidden_edits, since })
}
