//! Earlier polishes of the same branch or pull request, and which can be continued.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::history::BranchHistory;
use super::record::{POLISH, PolishRecord};
use crate::disk::FileKind;
use crate::order;
use crate::runtime::answer::CallFailure;
use crate::runtime::git::Repository;
use crate::runtime::launch::LaunchMode;
use crate::runtime::run::claim::holder;
use crate::runtime::run::{METADATA, RECORD, RunDirectory};
use crate::runtime::store::{self, Store};

/// How many of the latest ones are listed.
const MOST: usize = 20;
/// What the user edits.
pub const CHECKLIST: &str = "checklist.md";

/// An earlier polish.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EarlierRun {
    /// The run's name.
    pub run_id: String,
    /// Its folder, absolute.
    pub run: String,
    /// Its mode.
    pub mode: LaunchMode,
    /// The commit that it began at.
    pub head_sha: String,
    /// Whether it ended.
    pub status: EarlierStatus,
    /// Whether its checklist is still open for the branch that is polished: continue it with `--continue`.
    pub continuable: bool,
    /// Whether that branch was rewritten since: tell the user before you continue.
    pub rewritten: bool,
    /// Whether its checklist is still open, even if a run holds the working tree.
    #[serde(skip)]
    pub waits: bool,
}

/// Whether an earlier polish ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EarlierStatus {
    /// It has not ended.
    Unfinished,
    /// It has ended.
    Finished,
}

/// The earlier polishes of a branch or pull request, latest first; `head` is the commit that is polished now.
pub(super) fn find(
    repository: &Repository,
    root: Option<&Path>,
    (branch, number): (Option<&str>, Option<u64>),
    head: Option<&str>,
) -> Result<Vec<EarlierRun>, CallFailure> {
    let mut found = Vec::new();
    for place in store::places_to_read(repository, root)? {
        let store = Store::new(place, repository.environment());
        let runs = store.runs(POLISH.name);
        // Names begin with a time.
        for (name, kind) in store.list(&runs)?.into_iter().rev() {
            let path = runs.join(name);
            if kind != FileKind::Folder || found.len() == MOST {
                continue;
            }
            let folder = RunDirectory { workflow: &POLISH, store: &store, path: &path };
            // Anything written by another program is not our run.
            let Ok(Some(record)) = folder.sealed::<PolishRecord>(RECORD) else { continue };
            let is_request = number.is_some() && record.pr.as_ref().map(|pr| pr.number) == number;
            if !is_request && (branch.is_none() || record.branch.as_deref() != branch) {
                continue;
            }
            let finished = store.has_file(&path.join(METADATA))?;
            let has_list = !finished && store.has_file(&path.join(CHECKLIST))?;
            let history = match head.filter(|_| has_list) {
                Some(head) => BranchHistory::read(&record, repository, head)?,
                None => None,
            };
            let rewritten = matches!(history, Some(BranchHistory::Rewritten));
            let is_headless = record.mode == LaunchMode::Headless;
            // No user has seen the checklist of a headless run, and the new commits may be unrelated.
            let waits = history.is_some() && !(rewritten && is_headless);
            // A run that is in progress cannot be continued.
            let continuable = waits
                && (is_headless
                    || holder(&store, &POLISH, &record.tree, repository.environment())?.as_deref()
                        != Some(record.run_id.as_str()));
            // The names of two runs of the same second are in random order.
            found.push((
                record.started_at,
                EarlierRun {
                    run_id: record.run_id,
                    run: path.display().to_string(),
                    mode: record.mode,
                    head_sha: record.head_sha,
                    status: if finished { EarlierStatus::Finished } else { EarlierStatus::Unfinished },
                    continuable,
                    rewritten,
                    waits,
                },
            ));
        }
    }
    order::sort_by(&mut found, |(one, _), (other, _)| other.cmp(one));
    Ok(found.into_iter().map(|(_, run)| run).collect())
}

/// The folder of the latest one whose checklist is still open for a branch, even if a run holds the working tree.
pub(super) fn waiting(
    repository: &Repository,
    root: Option<&Path>,
    target: (Option<&str>, Option<u64>),
    head: Option<&str>,
) -> Result<Option<String>, CallFailure> {
    let found = find(repository, root, target, head)?;
    Ok(found.into_iter().find(|earlier| earlier.waits).map(|earlier| earlier.run))
}
