//! `feedback resolve`: resolves the threads that have a reply, each once, and reads back that they are resolved. What
//! the user has to decide stays open.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::answered::{AnsweredThread, EARLIER};
use super::items::{FeedbackItem, FetchedFeedback, ItemKind, ReasonedItem};
use super::missing;
use super::outcome::{CallState, FeedbackVerdict};
use super::posting::{FeedbackPoster, ThreadResolution};
use super::record::{FeedbackRecord, FeedbackRun, MAX_WAIT};
use super::reply::known_item;
use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::github::ApiSession;

options! {
    /// Resolve the threads that have a reply
    ///
    /// A thread stays open if its verdict is `needs-human`, or if others have written what the reply does not
    /// take into account. Comments and review texts cannot be resolved. With `--item`, only that item, which may
    /// also be one of `answered_before`. Every call is recorded before and after it: if one fails, make the same
    /// call again.
    ///
    /// Exit codes: 0 answered; 2 wrong call; 3 a thread of another pull request, or state that this machine's
    /// helper did not write; 4 nothing was fetched, an unknown item, no reply, or a malformed document; 5 a
    /// thread is still open, or git, GitHub or the network failed; 6 the run has ended or is bound to another
    /// tree or commit; 7 git or GitHub took too long.
    pub struct Options {
        /// The folder of the run
        run: PathBuf = "--run <DIR>",
        /// The item
        item: Option<String> = "--item <ID>",
    }
    examples: ["plugcast-run feedback resolve --run DIR"]
}

/// The answer of `feedback resolve`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether every thread with a reply is resolved.
    pub status: ResolveStatus,
    /// The threads that are resolved.
    pub resolved: Vec<String>,
    /// Threads that the user has to decide.
    pub needs_human: Vec<String>,
    /// Threads in which others have written or edited what the reply does not take into account.
    pub answered: Vec<String>,
    /// Threads that were deleted after the reply.
    pub deleted: Vec<String>,
    /// Other threads that were not resolved, each with the reason: what GitHub answered, or that its reply was deleted, or
    /// that somebody opened it again.
    pub refused: Vec<ReasonedItem>,
}

/// Whether every thread with a reply is resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResolveStatus {
    /// All are.
    Resolved,
    /// Some stay open.
    Partial,
}

/// Runs the command.
///
/// # Errors
/// `not_replied`, `unknown_item`, and those of the call and of the store.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let (mut run, repository) = FeedbackRun::open_here(environment, &options.run)?;
    let fetched = run.fetched()?;
    if let Some(id) = &options.item {
        must_be_answered(&mut run, known_item(&fetched, id)?)?;
    }
    let session = run.session(&repository, MAX_WAIT)?;
    let mut response = Response {
        status: ResolveStatus::Resolved,
        resolved: Vec::new(),
        needs_human: Vec::new(),
        answered: Vec::new(),
        deleted: Vec::new(),
        refused: Vec::new(),
    };
    for at in 0..run.record.outcomes.len() {
        resolve(&mut run, (&session, &fetched), (at, options.item.as_deref()), &mut response)?;
    }
    let left = [&response.needs_human, &response.answered, &response.deleted];
    if left.iter().any(|left| !left.is_empty()) || !response.refused.is_empty() {
        response.status = ResolveStatus::Partial;
    }
    Ok(Delivery::from_answer(&response))
}

/// Refuses an item without a reply. One that an earlier run has answered is recorded: the user wants it resolved.
///
/// # Errors
/// `not_replied`, and those of the store.
fn must_be_answered(run: &mut FeedbackRun, item: &FeedbackItem) -> Result<(), CallFailure> {
    let is_answered = |record: &FeedbackRecord| {
        let last = record.outcomes.iter().rfind(|one| one.id == item.id && one.reply == CallState::Done);
        last.is_some_and(|last| {
            last.round == record.round || last.round == EARLIER || last.resolution == CallState::Undone
        })
    };
    let store = run.store.clone();
    let held = store.lock()?;
    run.reread()?;
    if is_answered(&run.record) {
        return Ok(());
    }
    let Some(thread) = AnsweredThread::from_item(item, Some(&run.record)) else {
        let message = format!("`{}` has no reply yet", item.id);
        return Err(missing(ErrorCode::NotReplied, message, "call `feedback reply --run DIR` first"));
    };
    run.record.outcomes.push(thread.into_outcome());
    run.write(&held, Vec::new())
}

/// Resolves the thread of the outcome at a place in the record under the lock, if it counts for the call.
fn resolve(
    run: &mut FeedbackRun,
    (session, fetched): (&ApiSession<'_>, &FetchedFeedback),
    (at, item): (usize, Option<&str>),
    response: &mut Response,
) -> Result<(), CallFailure> {
    let store = run.store.clone();
    let held = store.lock()?;
    run.reread()?;
    let Some(outcome) = run.record.outcomes.get(at) else { return Ok(()) };
    let (id, resolution) = (outcome.id.clone(), outcome.resolution);
    let needs_human = outcome.verdict == FeedbackVerdict::NeedsHuman;
    let is_last = run.record.outcomes[at + 1..].iter().all(|later| later.id != id);
    let counts = match item {
        Some(item) => item == id && is_last,
        // The call may have been interrupted in an earlier round.
        None => {
            let is_left = is_last && matches!(resolution, CallState::Open | CallState::Begun) && !needs_human;
            outcome.round == run.record.round || is_left
        }
    };
    let item = fetched.item(&id).filter(|item| item.kind == ItemKind::ReviewThread);
    let Some(item) = item.filter(|_| counts && outcome.reply == CallState::Done) else { return Ok(()) };
    if needs_human {
        response.needs_human.push(id);
        return Ok(());
    }
    if resolution == CallState::Undone {
        response.refused.push(ReasonedItem { id, reason: "somebody opened it again".to_owned() });
        return Ok(());
    }
    if resolution != CallState::Done {
        let origin = format!("{}/{}", run.record.run_id, outcome.round);
        let poster = FeedbackPoster { session, number: run.record.pr.number, origin, is_users: false };
        let mut set = |state| {
            run.record.outcomes[at].resolution = state;
            run.write(&held, Vec::new())
        };
        match poster.resolve(item, resolution == CallState::Begun, &mut || set(CallState::Begun)) {
            Ok(ThreadResolution::Resolved) => set(CallState::Done)?,
            // The same call tries again to open it.
            Ok(ThreadResolution::Closed(why)) => {
                let reason =
                    format!("others wrote while it was resolved, and it cannot be opened again: {why}");
                response.refused.push(ReasonedItem { id, reason });
                return Ok(());
            }
            Ok(ThreadResolution::Answered) => {
                set(CallState::Open)?;
                response.answered.push(id);
                return Ok(());
            }
            // Both cost their thread alone.
            Err(failure) if failure.error.code == ErrorCode::NoThread => {
                response.deleted.push(id);
                return Ok(());
            }
            Err(failure) if matches!(failure.error.code, ErrorCode::GhForbidden | ErrorCode::NotReplied) => {
                set(CallState::Open)?;
                response.refused.push(ReasonedItem { id, reason: failure.error.message });
                return Ok(());
            }
            Err(failure) => return Err(failure),
        }
    }
    response.resolved.push(id);
    Ok(())
}
