//! The commit at which the polished work began, and what changed since then.

use super::record::PolishRecord;
use crate::printable::line;
use crate::runtime::answer::CallFailure;
use crate::runtime::git::{Repository, short_commit};
use crate::runtime::repo::size::ChangeSizes;

impl PolishRecord {
    /// The commit of the base now. A local branch may be called like one of a remote, and is not meant.
    ///
    /// # Errors
    /// When git fails.
    pub fn base_commit(&self, tree: &Repository) -> Result<Option<String>, CallFailure> {
        match tree.commit(&format!("refs/remotes/{}", self.base_ref))? {
            None => tree.commit(&self.base_ref),
            of_remote => Ok(of_remote),
        }
    }

    /// The merge base of the base and HEAD. While the recorded one is part of the branch, only a later one takes its
    /// place: a base that was pruned, or forced back or to other commits, has not changed what is polished.
    ///
    /// # Errors
    /// When git fails.
    pub fn merge_base(&self, tree: &Repository) -> Result<Option<String>, CallFailure> {
        let is_part = |one: &str, other: &str| -> Result<bool, CallFailure> {
            Ok(tree.ask(&["merge-base", "--is-ancestor", "--end-of-options", one, other])?.succeeded())
        };
        let recorded = &self.base_sha;
        let found = match self.base_commit(tree)? {
            Some(base) => tree.merge_base(&base, "HEAD")?,
            None => None,
        };
        Ok(match found {
            Some(found)
                if found == *recorded || !is_part(recorded, "HEAD")? || is_part(recorded, &found)? =>
            {
                Some(found)
            }
            _ => None,
        })
    }

    /// What changed since the base. Where its ref no longer tells, the recorded merge base takes its place.
    ///
    /// # Errors
    /// When git fails.
    pub fn changes(&self, tree: &Repository, warnings: &mut Vec<String>) -> Result<ChangeSizes, CallFailure> {
        if let Some(base) = self.merge_base(tree)? {
            return ChangeSizes::size_since(tree, &base);
        }
        let what = if self.base_commit(tree)?.is_some() { "was moved to other commits" } else { "is gone" };
        warnings.push(format!(
            "`{}` {what}: compared with the commit where the work began, {}",
            line(&self.base_ref),
            short_commit(&self.base_sha)
        ));
        ChangeSizes::size_since(tree, &self.base_sha)
    }
}
