//! `feedback reply`: posts what the resolvers replied, each text once. Every call is recorded before and after it.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::items::{FeedbackItem, FetchedFeedback};
use super::missing;
use super::outcome::{CallState, FeedbackOutcome, FeedbackVerdict};
use super::posting::{FeedbackPoster, PostedReply, is_of_one_item};
use super::record::{FEEDBACK, FeedbackRun, MAX_WAIT};
use super::results::{UnitResults, UnreadResult, shows_anything};
use crate::disk::FileKind;
use crate::runtime::answer::{CallFailure, Delivery, USAGE};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::github::ApiSession;
use crate::runtime::run::{METADATA, RECORD, parsed};

options! {
    /// Post the replies
    ///
    /// Reads the reply of each unit of the round from `replies` in the run, and posts the text of each result to
    /// its thread; to a comment or review text it posts a comment that quotes it. With `--item`, only that item;
    /// with `--stdin`, standard input is its reply. A posted reply is never posted again, even if the call
    /// is repeated. If a call fails, what was posted before it is recorded: make the same call again.
    ///
    /// Exit codes: 0 answered; 2 wrong call, or no text; 3 the viewer has a review that is not submitted, a
    /// thread of another pull request, or state that this machine's helper did not write; 4 nothing was fetched,
    /// an unknown item, a text that is too long, or a malformed document; 5 git, GitHub or the network failed; 6
    /// the run has ended or is bound to another tree or commit; 7 git or GitHub took too long.
    pub struct Options {
        /// The folder of the run
        run: PathBuf = "--run <DIR>",
        /// The item
        item: Option<String> = "--item <ID>",
        /// Read the reply to the item on standard input
        stdin: bool = "--stdin" { requires: "--item" },
    }
    examples: ["plugcast-run feedback reply --run DIR", "plugcast-run feedback reply --run DIR --item ID --stdin < text"]
}

/// The answer of `feedback reply`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether every unit has a readable reply.
    pub status: ReplyStatus,
    /// The replies on GitHub.
    pub replies: Vec<FeedbackReply>,
    /// Units without a reply, and what does not count.
    pub unread: Vec<UnreadResult>,
    /// Items to which others have written, or which they edited, since the fetch: nothing was posted there.
    pub changed: Vec<String>,
    /// What the replies lack, though every item has its result.
    pub notes: Vec<String>,
    /// The assessments of clusters, as their agents returned them.
    pub assessments: Vec<Value>,
}

/// Whether every unit has a readable reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplyStatus {
    /// All are posted.
    Posted,
    /// Some are, or none: see `unread`.
    Partial,
}

/// A reply on GitHub.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FeedbackReply {
    /// The item.
    pub id: String,
    /// The verdict.
    pub verdict: FeedbackVerdict,
    /// The address of the reply.
    pub url: String,
    /// Whether an earlier call posted it.
    pub was_posted: bool,
}

/// Runs the command.
///
/// # Errors
/// `empty_reply`, `too_long`, `unknown_item`, and those of the post and of the store.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let (mut run, repository) = FeedbackRun::open_here(environment, &options.run)?;
    let fetched = run.fetched()?;
    if let Some(id) = &options.item {
        known_item(&fetched, id)?;
    }
    let mut results = UnitResults::default();
    match &options.item {
        Some(id) if options.stdin => {
            let text = environment.input_text()?;
            if !shows_anything(&text) {
                let hint = "give the reply on standard input";
                return Err(CallFailure::new(USAGE, ErrorCode::EmptyReply, "the reply is empty", hint));
            }
            let outcome = FeedbackOutcome::new(id.clone(), run.record.round, FeedbackVerdict::Replied);
            results.outcomes.push((outcome, text));
        }
        _ => results = UnitResults::read(&run)?,
    }
    results.outcomes.retain(|(outcome, _)| options.item.as_ref().is_none_or(|id| outcome.id == *id));
    let session = run.session(&repository, MAX_WAIT)?;
    let (mut replies, mut changed) = (Vec::new(), Vec::new());
    for (outcome, text) in results.outcomes {
        let item = known_item(&fetched, &outcome.id)?;
        match post(&mut run, &session, item, (outcome, &text), options.stdin) {
            // It costs its item alone; what the user asked for is an error.
            Err(failure) if !options.stdin && is_of_one_item(&failure) => {
                let unit = unit_of(&run, &item.id);
                results.unread.push(UnreadResult { unit, reason: failure.error.message });
            }
            reply => match reply? {
                Some(reply) => replies.push(reply),
                None => changed.push(item.id.clone()),
            },
        }
    }
    let is_complete = results.unread.is_empty();
    Ok(Delivery::from_answer(&Response {
        status: if is_complete { ReplyStatus::Posted } else { ReplyStatus::Partial },
        replies,
        unread: results.unread,
        changed,
        notes: results.notes,
        assessments: results.assessments,
    }))
}

/// The name of the unit that an item is part of in the current round.
fn unit_of(run: &FeedbackRun, id: &str) -> String {
    let mut units = run.record.units.iter().filter(|unit| unit.round == run.record.round);
    let unit = units.find(|unit| unit.items.iter().any(|item| item == id));
    unit.map(|unit| unit.name.clone()).unwrap_or_default()
}

/// The item of an id.
///
/// # Errors
/// `unknown_item`.
pub(super) fn known_item<'a>(
    fetched: &'a FetchedFeedback,
    id: &str,
) -> Result<&'a FeedbackItem, CallFailure> {
    let unknown = || {
        let message = format!("`{id}` is not an item of this run");
        missing(ErrorCode::UnknownItem, message, "use the ids that `feedback fetch` answered with")
    };
    fetched.item(id).ok_or_else(unknown)
}

/// How long GitHub may be at work on a call, in seconds.
const LONGEST_CALL: u64 = 120;

/// Whether an unfinished run of another working tree has begun a reply to an item: GitHub may still be at work on it.
fn is_begun_elsewhere(run: &FeedbackRun, id: &str) -> Result<bool, CallFailure> {
    let runs = run.store.runs(FEEDBACK.name);
    for (name, kind) in run.store.list(&runs)? {
        let path = runs.join(name);
        if kind != FileKind::Folder || path == run.path || run.store.has_file(&path.join(METADATA))? {
            continue;
        }
        // A run may have been killed while its record was written. One that stays damaged holds up no other run.
        let Ok(record) = parsed::<Value>(&run.store, &path.join(RECORD)) else {
            if run.store.age(&path.join(RECORD))?.is_some_and(|age| age < LONGEST_CALL) {
                return Ok(true);
            }
            continue;
        };
        let record = record.unwrap_or_default();
        let mut outcomes = record["outcomes"].as_array().into_iter().flatten();
        if outcomes.any(|one| one["id"] == id && CallState::parse(&one["reply"]) == Some(CallState::Begun)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Posts one reply under the lock, and records it before and after. `None` if others have written since it was fetched.
fn post(
    run: &mut FeedbackRun,
    session: &ApiSession<'_>,
    item: &FeedbackItem,
    (outcome, text): (FeedbackOutcome, &str),
    is_users: bool,
) -> Result<Option<FeedbackReply>, CallFailure> {
    let store = run.store.clone();
    let held = store.lock()?;
    run.reread()?;
    let id = outcome.id.clone();
    if let Some(known) = run.record.outcome(&id).filter(|known| known.reply == CallState::Done) {
        let (verdict, url) = (known.verdict, known.reply_url.clone().unwrap_or_default());
        return Ok(Some(FeedbackReply { id, verdict, url, was_posted: true }));
    }
    // It may have been begun in an earlier round.
    let begun = run.record.begun().find(|one| one.id == id).cloned();
    let origin = format!("{}/{}", run.record.run_id, run.record.round);
    let poster = FeedbackPoster { session, number: run.record.pr.number, origin, is_users };
    let is_begun = begun.is_some() || !is_users && is_begun_elsewhere(run, &id)?;
    let posted = poster.reply(item, (outcome.verdict, text), is_begun, &mut || {
        run.record.settle(FeedbackOutcome { reply: CallState::Begun, ..outcome.clone() });
        run.write(&held, Vec::new())
    });
    if posted.as_ref().is_err_and(is_of_one_item) {
        // It counts as tried.
        run.record.settle(outcome.clone());
        run.write(&held, Vec::new())?;
    }
    let Some(PostedReply { url, verdict, was_found }) = posted? else { return Ok(None) };
    let mut own = begun.filter(|_| was_found).unwrap_or(outcome);
    if verdict == FeedbackVerdict::NeedsHuman && own.verdict != verdict {
        own.decision_context = Some(format!("another run has answered it: {url}"));
    }
    (own.round, own.verdict, own.reply) = (run.record.round, verdict, CallState::Done);
    own.reply_url = Some(url.clone());
    run.record.settle(own);
    run.write(&held, Vec::new())?;
    Ok(Some(FeedbackReply { id, verdict, url, was_posted: was_found }))
}
