//! What became of an item: what its resolver decided, and how far the calls of GitHub got.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::items::text;
use super::record::{round, texts};

/// What became of an item in one round.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FeedbackOutcome {
    /// The item.
    pub id: String,
    /// The round; 0 if an earlier run has posted the reply.
    pub round: u32,
    /// What its resolver decided.
    pub verdict: FeedbackVerdict,
    /// Why.
    pub reason: String,
    /// What the user has to know to decide, for `needs-human`.
    pub decision_context: Option<String>,
    /// The files that were changed for it.
    pub files_changed: Vec<String>,
    /// Whether the reply is posted.
    pub reply: CallState,
    /// The address of the reply.
    pub reply_url: Option<String>,
    /// Whether the thread is resolved.
    pub resolution: CallState,
}

/// What a resolver decided about an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FeedbackVerdict {
    /// It is fixed as the comment asks.
    Fixed,
    /// It is fixed in another way.
    FixedDifferently,
    /// A question is answered; nothing is changed.
    Replied,
    /// It is declined, with the reason.
    NotAddressing,
    /// The user has to decide: the thread stays open.
    NeedsHuman,
}

/// How far a call of GitHub got. It is recorded before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// Not begun.
    Open,
    /// Begun: it may have been made.
    Begun,
    /// Made.
    Done,
    /// Made, and undone by somebody: the thread was opened again.
    Undone,
}

impl FeedbackOutcome {
    /// The outcome of an item before anything is posted.
    pub(super) fn new(id: String, round: u32, verdict: FeedbackVerdict) -> Self {
        Self {
            id,
            round,
            verdict,
            reason: String::new(),
            decision_context: None,
            files_changed: Vec::new(),
            reply: CallState::Open,
            reply_url: None,
            resolution: CallState::Open,
        }
    }

    pub(super) fn from_document(value: &Value) -> Option<Self> {
        Some(Self {
            id: text(value, "id")?,
            round: round(value)?,
            verdict: FeedbackVerdict::parse(value["verdict"].as_str()?)?,
            reason: text(value, "reason")?,
            decision_context: text(value, "decision_context"),
            files_changed: texts(&value["files_changed"]),
            reply: CallState::parse(&value["reply"])?,
            reply_url: text(value, "reply_url"),
            resolution: CallState::parse(&value["resolution"])?,
        })
    }
}

impl FeedbackVerdict {
    /// The verdict of a word.
    pub(super) fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "fixed" => Self::Fixed,
            "fixed-differently" => Self::FixedDifferently,
            "replied" => Self::Replied,
            "not-addressing" | "declined" => Self::NotAddressing,
            "needs-human" => Self::NeedsHuman,
            _ => return None,
        })
    }

    /// The word of a verdict.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::FixedDifferently => "fixed-differently",
            Self::Replied => "replied",
            Self::NotAddressing => "not-addressing",
            Self::NeedsHuman => "needs-human",
        }
    }
}

impl CallState {
    pub(super) fn parse(value: &Value) -> Option<Self> {
        Some(match value.as_str()? {
            "open" => Self::Open,
            "begun" => Self::Begun,
            "done" => Self::Done,
            "undone" => Self::Undone,
            _ => return None,
        })
    }
}
