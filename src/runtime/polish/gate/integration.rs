//! The result of continuous integration for the commit that is polished.

use schemars::JsonSchema;
use serde::Serialize;

use super::GateResult;
use crate::runtime::answer::{CallFailure, ShownText};
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::github::{self, CheckBucket, ForkOrigin, RepositoryAddress};
use crate::runtime::polish::record::PolishRecord;
use crate::runtime::polish::refusal;
use crate::runtime::repo::base;

/// The result of continuous integration.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct CiResult {
    /// The overall result.
    pub signal: CiSignal,
    /// The checks that failed or were cancelled.
    #[serde(serialize_with = "ShownText::shown")]
    pub failing: Vec<String>,
    /// The checks that have not ended.
    #[serde(serialize_with = "ShownText::shown")]
    pub pending: Vec<String>,
}

/// The overall result of all checks.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CiSignal {
    /// All passed or were skipped.
    Pass,
    /// One failed or was cancelled.
    Fail,
    /// One has not ended.
    Pending,
    /// There are no checks for this commit.
    #[default]
    None,
}

/// Asks GitHub, if the repository has a remote there. `heads` are the current commit, and those before what the run made:
/// they may be all that was pushed.
pub(super) fn check(
    tree: &Repository,
    record: &PolishRecord,
    heads: &[String],
) -> Result<(CiResult, Option<ForkOrigin>, GateResult), CallFailure> {
    let request = record.pr.as_ref();
    let of_request = request.and_then(|request| RepositoryAddress::parse(&request.base_url));
    let at = match of_request {
        Some(at) => Some(at),
        None => base::server(tree)?,
    };
    let Some(at) = at else {
        let none = no_signal("no remote is on GitHub".to_owned());
        return Ok((CiResult::default(), None, Err(none)));
    };
    let (number, head) = (request.map(|request| request.number), &heads[0]);
    let mut found = github::checks(tree, &at, number, head)?;
    for earlier in &heads[1..] {
        if found.commit.is_none() {
            found = github::checks(tree, &at, number, earlier)?;
        }
    }
    let fork = found.fork.map(|fork| ForkOrigin { trusted: record.flags.trust_fork, ..fork });
    let mut ci = CiResult::default();
    if let Some(state) = found.state.filter(|state| state != "OPEN") {
        let message = format!("the pull request is {}", state.to_lowercase());
        return Ok((ci, fork, Err(refusal(ErrorCode::PrNotOpen, message, "nothing is left to polish"))));
    }
    let none_why = match found.commit {
        None => Some(format!("{head} is not on GitHub: push it")),
        Some(commit) if !heads.contains(&commit) => {
            Some(format!("GitHub's checks are for {commit}, but {head} is checked out: push it, or pull"))
        }
        Some(commit) if found.checks.is_empty() => Some(format!("GitHub has no checks for {commit}")),
        Some(_) => None,
    };
    if let Some(why) = none_why {
        return Ok((ci, fork, Err(no_signal(why))));
    }
    let count = found.checks.len();
    for check in found.checks {
        match check.bucket {
            CheckBucket::Fail | CheckBucket::Cancel => ci.failing.push(check.name),
            CheckBucket::Pending => ci.pending.push(check.name),
            CheckBucket::Pass | CheckBucket::Skipping => {}
        }
    }
    let looked = if !ci.failing.is_empty() {
        ci.signal = CiSignal::Fail;
        let message = format!("checks failed: `{}`", ci.failing.join("`, `"));
        Err(refusal(ErrorCode::CiFailed, message, "repair them, push, and begin again"))
    } else if !ci.pending.is_empty() {
        ci.signal = CiSignal::Pending;
        let message = format!("checks have not ended: `{}`", ci.pending.join("`, `"));
        Err(refusal(ErrorCode::CiPending, message, "wait until they have, and run it again"))
    } else {
        ci.signal = CiSignal::Pass;
        Ok(match count {
            1 => "1 check passed or was skipped".to_owned(),
            count => format!("{count} checks passed or were skipped"),
        })
    };
    Ok((ci, fork, looked))
}

fn no_signal(why: String) -> CallFailure {
    refusal(ErrorCode::CiNone, why, "run it again once GitHub has checked this commit")
}
