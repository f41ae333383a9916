//! `review`: the mechanical steps of a code review. Agents find problems; these commands read arguments, determine the
//! scope, merge the findings, and record the result.

pub mod abandon;
pub mod approve;
pub mod arguments;
pub mod begin;
mod evidence;
pub mod findings;
pub mod finish;
mod fix;
pub mod merge;
mod obstacles;
pub mod record;
pub mod render;
pub mod repairs;
pub mod reply;
pub mod reviewers;
pub mod run_folder;
pub mod scope;
mod seal;
pub mod start;
pub(super) mod target;
mod ticket;
pub mod verdict;

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::CallFailure;
use super::command_line::choices;
use super::environment::Environment;
use super::error_code::ErrorCode;
use super::run;

choices! {
    /// How a review runs.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    pub enum ReviewMode {
        /// Asks, and repairs what it may
        Interactive = "interactive",
        /// Repairs what is safe, without questions
        Autofix = "autofix",
        /// Changes nothing at all
        ReportOnly = "report-only",
        /// One pass for another program, without questions
        Headless = "headless",
    }
}

impl ReviewMode {
    /// The mode of a token.
    fn token(word: &str) -> Option<Self> {
        match word {
            "mode:autofix" => Some(ReviewMode::Autofix),
            "mode:report-only" => Some(ReviewMode::ReportOnly),
            "mode:headless" => Some(ReviewMode::Headless),
            _ => None,
        }
    }
}

/// A failure in the form that the caller of this run expects.
pub(super) fn reported(failure: CallFailure, environment: &Environment, run: Option<&Path>) -> CallFailure {
    match run.map(|run| run::recorded_mode(environment, run)) {
        Some(Some(ReviewMode::Headless)) => in_mode(ReviewMode::Headless, failure),
        // The record may have said `headless` before it was changed or removed.
        Some(_) if UNKNOWN_MODE_ERRORS.contains(&failure.error.code) => with_reason("", failure),
        _ => failure,
    }
}

/// Failures after which the mode of a run is unknown.
const UNKNOWN_MODE_ERRORS: [ErrorCode; 5] = [
    ErrorCode::MalformedJson,
    ErrorCode::NoFolder,
    ErrorCode::NoRun,
    ErrorCode::NotARun,
    ErrorCode::UntrustedState,
];

/// The failure of a review that cannot continue, in the form that its caller expects.
fn failed(exit: u8, code: ErrorCode, mode: ReviewMode, reason: &str) -> CallFailure {
    let how = if mode == ReviewMode::Headless { " (headless mode)" } else { "" };
    let text = format!("Review failed{how}. Reason: {reason}");
    CallFailure::new(exit, code, text.clone(), "print the message, and stop").with_text(text)
}

/// A failure of a step after the arguments were read, in the form for the caller of a headless review.
fn in_mode(mode: ReviewMode, failure: CallFailure) -> CallFailure {
    if mode == ReviewMode::Headless { with_reason(" (headless mode)", failure) } else { failure }
}

fn with_reason(how: &str, mut failure: CallFailure) -> CallFailure {
    if failure.text.is_none() {
        let text = format!("Review failed{how}. Reason: {}", failure.error.message);
        failure.error.message.clone_from(&text);
        failure.text = Some(text);
    }
    failure
}
