//! The recorded result of the gate, and the commit that it holds for.

use serde::{Deserialize, Serialize};

use crate::runtime::answer::CallFailure;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::{Repository, short_commit};
use crate::runtime::polish::checklist::LOCK;
use crate::runtime::polish::record::PolishRun;
use crate::runtime::polish::refusal;

/// A result of `polish gate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::runtime) struct GateRecord {
    /// The commit that was checked.
    pub head_sha: String,
    /// The code of the first refusal; none if it passed.
    pub refused: Option<String>,
    /// How many entries the log of HEAD had then; none in a run of an older helper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logged: Option<usize>,
    /// Whether the run was continued since then with commits that neither it nor its user made in the same session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_outdated: bool,
}

impl PolishRun {
    /// The current commit, then those before the latest commits that the run made: merges of the base, and once its
    /// checklist is written, fixes.
    pub fn gated_commits(&self, tree: &Repository) -> Result<Vec<String>, CallFailure> {
        let has_list = self.folder().seal()?.has_written(LOCK);
        let mut commits = vec![tree.must_commit("HEAD")?];
        while let Some(last) = commits.last().filter(|last| self.record.has_made_commit(last)) {
            let is_ours = has_list || tree.commit(&format!("{last}^2"))?.is_some();
            let Some(before) = tree.commit(&format!("{last}^"))?.filter(|_| is_ours) else { break };
            commits.push(before);
        }
        Ok(commits)
    }

    /// Refuses a run that has not passed its gate: nothing of it starts, is repaired or counts as complete before. Until
    /// its checklist is written, and after a continuation with the commits of others, it must have passed with the
    /// current commit.
    pub fn must_have_passed(&self, tree: &Repository) -> Result<(), CallFailure> {
        let run = &self.record.run_id;
        let message = match &self.record.gate {
            Some(GateRecord { refused: None, head_sha, is_outdated, .. }) => {
                let has_list = self.folder().seal()?.has_written(LOCK);
                if has_list && !is_outdated || self.gated_commits(tree)?.contains(head_sha) {
                    return Ok(());
                }
                let passed = short_commit(head_sha);
                format!("run `{run}` passed its gate at {passed}, and another commit is checked out since")
            }
            Some(GateRecord { refused: Some(code), .. }) => format!("the gate refused run `{run}`: `{code}`"),
            None => format!("run `{run}` has not passed its gate"),
        };
        let hint = format!(
            "call `polish gate --run DIR` first, where DIR is `{}`: it must pass",
            self.path.display()
        );
        Err(refusal(ErrorCode::GateNotPassed, message, &hint))
    }
}
