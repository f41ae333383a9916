//! The branches `pr-<n>` that reviews create for pull requests. The state folder records which ones are ours and their
//! last commit: a branch that the user created, or committed to since, is never moved. It also records the pull request
//! of each, so that code of a fork remains known as such.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::checkouts;
use crate::runtime::answer::{CallFailure, REFUSED};
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::github::PullRequest;
use crate::runtime::run::{parsed, text};
use crate::runtime::store::{self, Store};

const NAME: &str = "review-branches.json";

/// The record of our branches in a store; none if nothing may be written.
pub(in crate::runtime) struct OwnBranches<'a>(pub(in crate::runtime) Option<&'a Store>);

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BranchRecord {
    /// The commit of each branch when we left it.
    branches: BTreeMap<String, String>,
    /// The address of the pull request that each was created for.
    #[serde(default)]
    requests: BTreeMap<String, String>,
}

/// The pull request that a branch was created for: its address, or its number if only the name of the branch shows it.
///
/// # Errors
/// What the stores refuse.
pub(in crate::runtime) fn made_for(
    repository: &Repository,
    root: Option<&Path>,
    branch: &str,
) -> Result<Option<String>, CallFailure> {
    let Some(number) = branch.strip_prefix("pr-").filter(|number| number.parse::<u64>().is_ok()) else {
        return Ok(None);
    };
    for place in store::places_to_read(repository, root)? {
        let store = Store::new(place, repository.environment());
        let record = parsed::<BranchRecord>(&store, &store.local(NAME))?.unwrap_or_default();
        if let Some(address) = record.requests.get(branch) {
            return Ok(Some(address.clone()));
        }
    }
    Ok(Some(number.to_owned()))
}

impl OwnBranches<'_> {
    /// Checks out the head of a pull request as our own branch.
    pub(super) fn check_out(
        &self,
        repository: &Repository,
        request: &PullRequest,
        head: &str,
    ) -> Result<Vec<String>, CallFailure> {
        let name = format!("pr-{}", request.number);
        let there = repository.commit(&format!("refs/heads/{name}"))?;
        let held = self.0.map(Store::lock).transpose()?;
        let path = self.0.map(|store| store.local(NAME));
        let read = self.0.zip(path.as_deref()).map(|(store, path)| parsed::<BranchRecord>(store, path));
        let mut record = read.transpose()?.flatten().unwrap_or_default();
        // What is ours may have commits of the user that were pushed: nothing of it is lost.
        let goes_on = |commit: &str| -> Result<bool, CallFailure> {
            let words = ["merge-base", "--is-ancestor", commit, head];
            Ok(record.branches.contains_key(&name) && repository.ask(&words)?.succeeded())
        };
        match there {
            Some(commit) if commit == head => {
                return repository.check_out(&["--end-of-options", &name], head);
            }
            Some(commit) if record.branches.get(&name) != Some(&commit) && !goes_on(&commit)? => {
                let number = request.number;
                let (message, hint) = match record.branches.contains_key(&name) {
                    true => (
                        format!(
                            "the branch `{name}` has commits, or a merge of the base, since it was made, and is left unchanged"
                        ),
                        format!(
                            "rename it with `git branch -m {name} NEW_NAME`, which keeps them, and begin again"
                        ),
                    ),
                    false => (
                        format!(
                            "the branch `{name}` is not the head of pull request {number}, and was not made by a review"
                        ),
                        format!("rename `{name}`, or check the pull request out yourself"),
                    ),
                };
                return Err(CallFailure::new(REFUSED, ErrorCode::BranchNotOurs, message, hint));
            }
            _ => {}
        }
        if let Some(top) = checkouts::matching_checkout(repository, |one| one.branch.as_ref() == Some(&name))?
        {
            let message =
                format!("the branch `{name}` is checked out in `{}`, and is left unchanged", top.display());
            let hint = "switch that working tree to another branch, and begin again";
            return Err(CallFailure::new(REFUSED, ErrorCode::BranchNotOurs, message, hint));
        }
        record.branches.insert(name.clone(), head.to_owned());
        record.requests.insert(name.clone(), request.url.clone());
        // Recorded first, so that a kill in between leaves no unrecorded branch.
        if let (Some(held), Some(path)) = (&held, &path) {
            held.replace(path, text(&record).as_bytes())?;
        }
        repository.check_out(&["--no-track", "--force-create", &name, head], head)
    }
}
