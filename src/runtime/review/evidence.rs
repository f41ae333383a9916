//! What the reviewers were shown, round by round, as a hash of each file's diff. A review certifies what was shown
//! last, and a repair only counts if it changed something.

use serde::{Deserialize, Serialize};

use super::ReviewMode;
use super::run_folder::RunFolder;
use super::scope::{self, CurrentTree, FileHashes, ReviewScope};
use crate::order;
use crate::runtime::answer::{CONTENDED, CallFailure};
use crate::runtime::changes::IndexState;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;

pub(super) const NAME: &str = "shown.json";
const SCHEMA: &str = "plugcast.review-shown/1";
/// How many names a note lists.
const MOST_NAMED: usize = 5;

/// What was shown, in `shown.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ShownFiles {
    schema: String,
    /// New files and repositories that git does not track and that are not part of the review.
    pub(super) left_out: Vec<String>,
    /// When the first scan began, in seconds since 1970.
    pub(super) since: i64,
    /// The hashes of each round.
    rounds: Vec<FileHashes>,
}

impl ShownFiles {
    /// What was shown before the given round.
    ///
    /// # Errors
    /// `bound` if that round cannot start now, and those of [`RunFolder::document`].
    pub(super) fn before_round(folder: &RunFolder, round: u32) -> Result<Self, CallFailure> {
        let bound =
            |message: String, hint: &str| CallFailure::new(CONTENDED, ErrorCode::Bound, message, hint);
        if folder.record.mode == ReviewMode::Headless {
            let message = "a headless review has no second round".to_owned();
            return Err(bound(message, "continue with `review render`"));
        }
        if !folder.seal()?.has_replies(round - 1) {
            let message = format!("round {round} cannot begin: no reply of round {} was merged", round - 1);
            return Err(bound(message, "run `review merge --run DIR` first"));
        }
        let mut shown: Self = folder.document(NAME)?.unwrap_or_default();
        let before = round as usize - 1;
        let replied = folder.has_replies(round)?;
        let known = shown.rounds.len();
        // A round without replies yet may be shown its change again.
        let next = if known == before + 1 && !replied { before + 1 } else { known + 1 };
        if replied || next as u32 != round {
            let message = match replied {
                true => format!("round {round} cannot begin: it already has replies"),
                false => format!("round {round} cannot begin: round {known} was the last"),
            };
            return Err(bound(message, &format!("pass `--round {next}`")));
        }
        shown.rounds.truncate(before);
        Ok(shown)
    }

    /// Adds what is shown now.
    pub(super) fn add_round(
        folder: &RunFolder,
        round: u32,
        scope: &ReviewScope,
        since: i64,
    ) -> Result<Self, CallFailure> {
        let mut shown = match round {
            1 => Self { left_out: [&scope.untracked[..], &scope.nested].concat(), since, ..Self::default() },
            _ => Self::before_round(folder, round)?,
        };
        SCHEMA.clone_into(&mut shown.schema);
        shown.rounds.push(scope.hashes.clone());
        Ok(shown)
    }
}

/// What was shown, and the current state.
pub(super) struct ShownEvidence {
    rounds: Vec<FileHashes>,
    now: CurrentTree,
}

/// A file that was not shown in its current state.
pub(super) struct UnshownFile {
    pub(super) file: String,
    /// Whether it is new and git does not track it.
    pub(super) is_untracked: bool,
}

impl ShownEvidence {
    /// Scans the working tree of a run; none if no diff was ever shown.
    ///
    /// # Errors
    /// When git fails, and those of [`RunFolder::document`].
    pub(super) fn load(folder: &RunFolder, environment: &Environment) -> Result<Option<Self>, CallFailure> {
        let Some(shown) = folder.document::<ShownFiles>(NAME)? else { return Ok(None) };
        let now = scope::now_of_run(folder, environment, &shown)?;
        Ok(Some(Self { rounds: shown.rounds, now }))
    }

    /// Whether everything is committed.
    pub(super) fn is_committed(&self) -> bool {
        self.now.committed
    }

    /// The files created by tools since the run began.
    pub(super) fn tools(&self) -> &[String] {
        &self.now.tools
    }

    /// How many rounds were shown a diff.
    pub(super) fn rounds(&self) -> u32 {
        u32::try_from(self.rounds.len()).unwrap_or(u32::MAX)
    }

    /// The hashes of the diff that was shown last.
    pub(super) fn last_diff(&self) -> Option<FileHashes> {
        self.rounds.last().map(scope::diff_alone)
    }

    /// Whether a file is unchanged since the given round.
    pub(super) fn is_as_shown(&self, file: &str, round: u32) -> bool {
        let shown = (round as usize).checked_sub(1).and_then(|at| self.rounds.get(at));
        shown.is_some_and(|shown| {
            !differing_files(shown, &self.now.hashes).iter().any(|changed| changed == file)
        })
    }

    /// The files that were not shown in their current state.
    pub(super) fn unseen_files(&self) -> Vec<UnshownFile> {
        let nothing = FileHashes::new();
        let last = self.rounds.last().unwrap_or(&nothing);
        let files = differing_files(last, &self.now.hashes);
        let shown = order::set(last.keys().map(|names| file(names)));
        let unseen = |file: String| {
            let is_untracked = self.now.untracked.contains(&file) && !shown.contains(&file);
            UnshownFile { file, is_untracked }
        };
        files.into_iter().map(unseen).collect()
    }

    /// Whether a file changed between the given round and the next.
    pub(super) fn is_changed(&self, file: &str, round: u32) -> bool {
        self.files_changed_after(round).iter().any(|changed| changed == file)
    }

    /// Whether any file did.
    pub(super) fn is_any_changed(&self, round: u32) -> bool {
        !self.files_changed_after(round).is_empty()
    }

    /// The files that changed between the given round and the next.
    pub(super) fn files_changed_after(&self, round: u32) -> Vec<String> {
        let at = |round: u32| self.rounds.get(round as usize).unwrap_or(&self.now.hashes);
        differing_files(at(round.saturating_sub(1)), at(round))
    }

    /// Notes on what the index holds and nobody reviewed.
    pub(super) fn index_notes(&self) -> Vec<String> {
        index_notes(&self.now.index)
    }
}

/// Notes on files whose index entry differs from the working tree.
pub(super) fn index_notes(index: &IndexState) -> Vec<String> {
    let staged = index.staged.iter().map(|file| {
        format!("`{file}` is staged with content that differs from the working tree and was not reviewed")
    });
    let unmerged = index.unmerged.iter().map(|file| format!("`{file}` has unresolved conflicts"));
    staged.chain(unmerged).collect()
}

/// The first names, and how many more there are.
fn name_list(files: &[String]) -> Option<String> {
    let more = files.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    files.first().map(|_| format!("`{}`{more}", files[..files.len().min(MOST_NAMED)].join("`, `")))
}

/// The note on untracked repositories below this one.
pub(super) fn nested_repository_note(nested: &[String]) -> Option<String> {
    name_list(nested).map(|named| {
        format!("embedded repositories (clones or linked worktrees) are not part of the review: {named}")
    })
}

/// The note on files that git reports as changed, but whose filter was not run.
pub(super) fn filtered_files_note(files: &[String]) -> Option<String> {
    name_list(files).map(|named| {
        format!(
            "{named} may be unchanged: git compares what their filter makes of them, and no filter is run here. If \
             nobody edited them, run `git status`, and begin the review again"
        )
    })
}

/// The files in which two diffs differ. For a file with a filter, its content decides.
pub(super) fn differing_files(one: &FileHashes, other: &FileHashes) -> Vec<String> {
    let names = order::set(one.keys().chain(other.keys()).map(String::as_str));
    let differing = names.into_iter().filter(|names| one.get(*names) != other.get(*names));
    let files = order::set(differing.map(file));
    files.into_iter().filter(|file| !scope::is_same_content(file, one, other)).collect()
}

/// The new name in a header `a/old b/new`, or the name of a mark.
fn file(names: &str) -> String {
    if let Some(file) = scope::marked_file(names) {
        return file.to_owned();
    }
    // If both names are equal, half of the text is one; for a rename, the last ` b/` begins the new one.
    let half = names.len().saturating_sub(1) / 2;
    let same = names.strip_prefix("a/").zip(names.get(half + 1..).and_then(|new| new.strip_prefix("b/")));
    match same {
        Some((old, new)) if old.get(..half.saturating_sub(2)) == Some(new) => new.to_owned(),
        _ => names.rsplit_once(" b/").map_or(names, |(_, new)| new).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_new_name_of_a_header_is_found() {
        for (names, wanted) in [
            ("a/x.rs b/x.rs", "x.rs"),
            ("a/x b/y b/x b/y", "x b/y"),
            ("a/old.rs b/new.rs", "new.rs"),
            ("odd", "odd"),
            ("", ""),
        ] {
            assert_eq!(file(names), wanted, "{names}");
        }
    }
}
