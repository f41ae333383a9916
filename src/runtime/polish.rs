//! `polish`: the steps between a passed review and the merge, in which the user tries out the running result.

pub mod acquire;
pub mod arguments;
pub mod cancel;
pub mod checklist;
pub(in crate::runtime) mod clean_tree;
mod continuation;
mod earlier_runs;
pub mod envelope;
pub mod gate;
mod history;
pub mod merge_base;
pub(super) mod record;
pub mod seed;
mod tally;
mod work_base;

use std::path::Path;

use super::answer::{CallFailure, REFUSED};
use super::environment::Environment;
use super::error_code::ErrorCode;
use super::git::Repository;
use super::launch::LaunchMode;
use super::repo::base::{self, BaseRequest};
use super::run;
use crate::printable::line;

/// A failure in the form that the caller of this run expects.
pub(super) fn reported(failure: CallFailure, environment: &Environment, run: Option<&Path>) -> CallFailure {
    match run.and_then(|run| run::recorded_mode(environment, run)) {
        Some(LaunchMode::Headless) => in_mode(LaunchMode::Headless, failure),
        _ => failure,
    }
}

/// The failure when a rule forbids it.
fn refusal(code: ErrorCode, message: String, hint: &str) -> CallFailure {
    CallFailure::new(REFUSED, code, line(&message), hint)
}

/// The base of the change. No option of `polish` names another.
fn resolve_base(tree: &Repository, request: BaseRequest<'_>) -> Result<base::Response, CallFailure> {
    base::resolve(tree, request).map_err(|failure| match failure.error.code == ErrorCode::BaseUnresolved {
        true => failure.with_hint(
            "a polish compares with the base of the pull request, else with the default branch: fetch it, or polish a \
             branch that was made from it",
        ),
        false => failure,
    })
}

/// The last line of every envelope.
const END: &str = "Polish complete";

/// A failure in the form for the caller of a headless polish: two lines, the last of which marks the end.
fn in_mode(mode: LaunchMode, mut failure: CallFailure) -> CallFailure {
    if mode == LaunchMode::Headless && failure.text.is_none() {
        let (reason, hint) =
            (failure.error.message.trim_end_matches('.'), failure.error.hint.trim_end_matches('.'));
        let start = hint.chars().next().map_or(0, char::len_utf8);
        let remedy = hint[..start].to_uppercase() + &hint[start..];
        failure.text = Some(format!(
            "Polish failed (headless mode). Reason: {}. {}.\n{END}",
            line(reason),
            line(&remedy)
        ));
    }
    failure
}
