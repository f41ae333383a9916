//! Threads that an earlier run has answered, and that are open. GitHub does not tell a run that ended before it resolved
//! them from somebody who opened them again, so the user decides.

use schemars::JsonSchema;
use serde::Serialize;

use super::items::{FeedbackItem, FetchedFeedback, ItemKind};
use super::outcome::{CallState, FeedbackOutcome, FeedbackVerdict};
use super::record::FeedbackRecord;

/// The round of an outcome whose reply an earlier run has posted.
pub(super) const EARLIER: u32 = 0;

/// A thread that an earlier run has answered, and that is open.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AnsweredThread {
    /// Its id.
    pub id: String,
    /// The address of the reply, which is its last comment.
    pub url: String,
    /// The verdict of the reply.
    pub verdict: FeedbackVerdict,
    /// When the reply was written.
    pub answered_at: String,
}

impl AnsweredThread {
    /// Those among what was fetched. Of a run, those that it has neither answered itself nor tried to resolve.
    pub(super) fn list(fetched: &FetchedFeedback, record: Option<&FeedbackRecord>) -> Vec<Self> {
        fetched.items.iter().filter_map(|item| Self::from_item(item, record)).collect()
    }

    /// The thread of an item, if it is one of them.
    pub(super) fn from_item(item: &FeedbackItem, record: Option<&FeedbackRecord>) -> Option<Self> {
        let is_thread = item.kind == ItemKind::ReviewThread && item.handled_by_us;
        let last = item.comments.last().filter(|_| is_thread)?;
        let mark = last.reply_mark(&item.id)?;
        let is_of_run = |record: &FeedbackRecord| {
            mark.origin.split('/').next() == Some(&*record.run_id)
                || record.outcomes.iter().any(|one| one.id == item.id)
        };
        record.is_none_or(|record| !is_of_run(record)).then(|| Self {
            id: item.id.clone(),
            url: last.url.clone(),
            verdict: mark.verdict,
            answered_at: last.created_at.clone(),
        })
    }

    /// Its outcome before it is resolved.
    pub(super) fn into_outcome(self) -> FeedbackOutcome {
        FeedbackOutcome {
            reply: CallState::Done,
            reply_url: Some(self.url),
            ..FeedbackOutcome::new(self.id, EARLIER, self.verdict)
        }
    }
}
