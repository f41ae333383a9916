//! `feedback finish`: ends a run, releases the working tree, and lists what became of every item.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::answered::AnsweredThread;
use super::gates::TriagedFeedback;
use super::items::{ItemKind, ReasonedItem};
use super::outcome::{CallState, FeedbackOutcome, FeedbackVerdict};
use super::record::FeedbackRecord;
use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::run::text;

options! {
    /// End a run
    ///
    /// Writes `report.json` and, last, `metadata.json`, and releases the working tree. Nothing is posted.
    ///
    /// Exit codes: 0 ended; 2 wrong call; 3 state that this machine's helper did not write; 4 nothing was
    /// fetched, or a malformed document; 5 it cannot be written, or git failed; 6 it has ended already, or is
    /// bound to another tree or commit; 7 git took too long.
    pub struct Options {
        /// The folder of the run
        run: PathBuf = "--run <DIR>",
    }
    examples: ["plugcast-run feedback finish --run DIR"]
}

/// The answer of `feedback finish`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether anything is left.
    pub status: FeedbackEnding,
    /// The pull request.
    pub pr: String,
    /// What was answered, in order.
    pub outcomes: Vec<FeedbackOutcome>,
    /// The items of the last fetch that have no reply, and the threads that are open though a reply settles them.
    pub open: Vec<String>,
    /// Open threads that an earlier run has answered.
    pub answered_before: Vec<AnsweredThread>,
    /// Those that the triage closed, each with its reason.
    pub closed: Vec<ReasonedItem>,
}

/// Whether anything is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackEnding {
    /// Every item has a reply and its thread is resolved unless the user has to decide, or the triage closed it.
    Complete,
    /// See `open`.
    Partial,
}

/// Runs the command.
///
/// # Errors
/// `finished`, `not_fetched`, and those of `feedback gates`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let mut loaded = TriagedFeedback::load(environment, (Some(&options.run), None, None), None)?;
    let Some(run) = loaded.run.take() else { return Err(CallFailure::usage("no run")) };
    let open = open_items(&loaded, &run.record);
    let answered = run.record.outcomes.iter().filter(|one| one.reply != CallState::Open);
    let response = Response {
        status: if open.is_empty() { FeedbackEnding::Complete } else { FeedbackEnding::Partial },
        pr: run.record.pr.url.clone(),
        outcomes: answered.cloned().collect(),
        open,
        answered_before: AnsweredThread::list(&loaded.fetched, Some(&run.record)),
        closed: loaded
            .items
            .closed
            .into_iter()
            .map(|id| (loaded.triage.closed(&id).unwrap_or_default().to_owned(), id))
            .map(|(reason, id)| ReasonedItem { id, reason })
            .collect(),
    };
    let status = if response.status == FeedbackEnding::Complete { "complete" } else { "partial" };
    run.end(environment, status, vec![("report.json", text(&response))])?;
    Ok(Delivery::from_answer(&response))
}

/// What a run leaves open: items without a reply, and threads with one that settles them.
fn open_items(loaded: &TriagedFeedback, record: &FeedbackRecord) -> Vec<String> {
    let is_unresolved = |id: &&String| {
        let mut outcomes = record.outcomes.iter();
        let last = outcomes.rfind(|one| one.id == **id && one.reply == CallState::Done);
        let item = loaded.places.item(&loaded.fetched, id);
        item.is_some_and(|item| item.kind == ItemKind::ReviewThread)
            && last.is_some_and(|last| {
                last.verdict != FeedbackVerdict::NeedsHuman && last.resolution != CallState::Done
            })
    };
    let begun = record.begun().map(|one| &one.id);
    let mut open = loaded.items.new.clone();
    for id in begun.chain(loaded.items.handled_by_us.iter().filter(is_unresolved)) {
        if !open.contains(id) {
            open.push(id.clone());
        }
    }
    open
}
