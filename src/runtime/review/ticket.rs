//! The state of a review that leaves no trace, encoded as one word: `review begin` prints it, and `review merge` takes
//! it, so that `report-only` certifies no more than other modes.

use data_encoding::BASE64URL_NOPAD;
use serde::{Deserialize, Serialize};

use super::evidence::{UnshownFile, differing_files, index_notes};
use super::render;
use super::repairs::changed_since;
use super::scope::{self, CurrentTree, FileHashes, ReviewScope};
use crate::disk;
use crate::runtime::answer::CallFailure;
use crate::runtime::git::Repository;

/// With more changed files, their hashes would make the word too long, so one hash of all of them is kept.
const MOST_FILES: usize = 40;
const HASH: usize = 16;
/// The name of that hash.
const WHOLE_CHANGE: &str = "the change";

/// What was shown to the reviewers, and what was given.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReviewTicket {
    pub(super) base: String,
    base_ref: String,
    files: usize,
    head: String,
    shown: FileHashes,
    /// When the scan began, in seconds since 1970.
    since: i64,
    pub(super) plan: Option<String>,
    pub(super) missing_plan: Option<String>,
    pub(super) only_untracked: bool,
    pub(super) unseen: Vec<String>,
    pub(super) notes: Vec<String>,
    pub(super) not_shown: Vec<String>,
    pub(super) media: Vec<String>,
    /// One hash of the untracked files.
    untracked: String,
}

impl ReviewTicket {
    pub(super) fn from_scope(scope: &ReviewScope) -> Self {
        Self {
            base: scope.base_sha.clone(),
            base_ref: scope.base_ref.clone(),
            files: scope.files.len(),
            head: scope.head_sha.clone(),
            shown: short_hashes(&scope.hashes),
            since: scope.since,
            plan: scope.plan.as_ref().map(|plan| plan.path.clone()),
            missing_plan: scope.missing_plan.clone(),
            only_untracked: scope.files.is_empty() && !scope.untracked.is_empty(),
            unseen: scope.unseen.clone(),
            notes: scope.report_notes(),
            not_shown: scope.not_shown.clone(),
            media: scope.media.clone(),
            untracked: hash_names(&scope::without_tools([&scope.untracked[..], &scope.nested].concat())),
        }
    }

    /// The scope line of the report.
    pub(super) fn scope_line(&self, now: &CurrentTree) -> String {
        render::base_and_files(Some(self.files), &self.base_ref, !now.committed)
    }

    /// The id that agents must return, so that replies of other reviews are recognised.
    pub(super) fn id(word: &str) -> String {
        disk::sha256(word.trim().as_bytes()).get(..HASH).unwrap_or_default().to_owned()
    }

    /// The mark in the lines between replies. Agents do not know it, so no reply can contain such a line.
    pub(super) fn mark(word: &str) -> String {
        disk::sha256(format!("mark {}", word.trim()).as_bytes())
            .get(..HASH / 2)
            .unwrap_or_default()
            .to_owned()
    }

    /// Encodes it as one word.
    pub(super) fn word(&self) -> String {
        BASE64URL_NOPAD.encode(serde_json::to_string(self).unwrap_or_default().as_bytes())
    }

    /// Decodes the word.
    ///
    /// # Errors
    /// `usage` for an invalid one.
    pub(super) fn parse(word: &str) -> Result<Self, CallFailure> {
        let bytes = BASE64URL_NOPAD.decode(word.trim().as_bytes()).unwrap_or_default();
        let text = String::from_utf8(bytes).unwrap_or_default();
        let wrong = |_| CallFailure::usage("`--ticket` is not the `ticket` of `review begin`");
        serde_json::from_str(&text).map_err(wrong)
    }

    /// What has changed since it was issued, and the current state of the working tree.
    ///
    /// # Errors
    /// When git fails.
    pub(super) fn changes(&self, repository: &Repository) -> Result<(Vec<String>, CurrentTree), CallFailure> {
        let mut obstacles = Vec::new();
        let head = repository.commit("HEAD")?.unwrap_or_default();
        if head != self.head {
            obstacles.push(format!("HEAD is {head}, but the reviewers were shown {}", self.head));
        }
        let now = scope::current_state(repository, &self.base, self.since)?;
        let changed = differing_files(&self.shown, &short_hashes(&now.hashes)).into_iter();
        let unseen = changed.map(|file| UnshownFile { file, is_untracked: false });
        obstacles.extend(changed_since(&unseen.collect::<Vec<_>>()));
        obstacles.extend(index_notes(&now.index));
        if hash_names(&[&now.untracked[..], &now.nested].concat()) != self.untracked {
            obstacles.push(
                "untracked files were added or removed since the reviewers were shown the change".to_owned(),
            );
        }
        Ok((obstacles, now))
    }
}

/// A hash of names.
fn hash_names(names: &[String]) -> String {
    let hash = disk::sha256(names.join("\0").as_bytes());
    hash.get(..HASH).unwrap_or_default().to_owned()
}

/// Hashes short enough for a word.
fn short_hashes(hashes: &FileHashes) -> FileHashes {
    if hashes.len() > MOST_FILES {
        let whole = serde_json::to_string(hashes).unwrap_or_default();
        return FileHashes::from([(WHOLE_CHANGE.to_owned(), disk::sha256(whole.as_bytes()))]);
    }
    let cut = |hash: &String| hash.get(..HASH).unwrap_or(hash).to_owned();
    hashes.iter().map(|(names, hash)| (names.clone(), cut(hash))).collect()
}
