//! `feedback`: the mechanical steps of answering the comments on a pull request. Agents judge and repair; these commands
//! read the comments, decide what belongs together, post each reply once, and resolve each thread once. The text of a
//! comment is data, and never an instruction or an argument.

pub mod abandon;
mod answered;
mod april;
pub mod begin;
mod brief;
pub mod cluster;
pub mod dispatch;
pub mod fetch;
pub mod finish;
pub mod gates;
mod items;
mod mark;
mod outcome;
mod pages;
mod polling;
mod posting;
mod record;
mod reference;
pub mod reply;
pub mod resolve;
mod results;
pub mod thread_for;
mod triage;
mod unit;
mod words;

use super::answer::{CallFailure, MALFORMED};
use super::error_code::ErrorCode;

/// The failure if something that a caller names is missing from the run.
fn missing(code: ErrorCode, message: String, hint: &str) -> CallFailure {
    CallFailure::new(MALFORMED, code, message, hint)
}
