//! What this program wrote of a run, by hash, in a file of the store that no agent is told to write and that bears this
//! user's mark: a document of a run that something else changed is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{RECORD, RunDirectory, Workflow, text};
use crate::disk;
use crate::runtime::answer::{CallFailure, REFUSED};
use crate::runtime::store::{StoreStep, TextMark, seal_path};

const SCHEMA: &str = "plugcast.seal/1";

/// What this program wrote of a run, and which replies it merged.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSeal {
    schema: String,
    /// Documents by name, with the sha256 of their text.
    pub(in crate::runtime) documents: BTreeMap<String, String>,
    /// Replies by their path below the run, as they were merged last.
    pub(in crate::runtime) replies: BTreeMap<String, SealedReply>,
    /// Replies that were merged once and are not there any more as they were.
    pub(in crate::runtime) lost: BTreeSet<String>,
    /// The sha256 of what the caller wrote beside the replies, as it was merged last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::runtime) context: Option<String>,
    /// By which it is known again.
    #[serde(default)]
    mark: TextMark,
}

/// One reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SealedReply {
    pub(in crate::runtime) sha256: String,
    /// Whether it could be read.
    pub(in crate::runtime) read: bool,
}

impl RunSeal {
    /// The seal of a run; an empty one where there is none that this user wrote here.
    pub(super) fn stored(folder: &RunDirectory<'_>) -> Result<Self, CallFailure> {
        let text = folder.store.text(&seal_path(folder.workflow.name, &folder.name()))?;
        let Some(mut seal) = text.and_then(|text| serde_json::from_str::<Self>(&text).ok()) else {
            return Ok(Self::default());
        };
        let mark = std::mem::take(&mut seal.mark);
        let own = folder.store.has_marked(SCHEMA, &seal.marked(folder), &mark)?;
        Ok(if own { seal } else { Self::default() })
    }

    /// What the mark is of.
    fn marked(&self, folder: &RunDirectory<'_>) -> String {
        format!("{}/{}\n{}", folder.workflow.name, folder.name(), text(self))
    }

    /// The same with the documents that are there now.
    pub(in crate::runtime) fn beside(self, now: Self) -> Self {
        Self { documents: now.documents, ..self }
    }

    /// The steps that write documents of a run and note them here.
    ///
    /// # Errors
    /// As [`crate::runtime::store::Store::mark`].
    pub fn steps(
        mut self,
        folder: &RunDirectory<'_>,
        documents: Vec<(&str, String)>,
    ) -> Result<Vec<StoreStep>, CallFailure> {
        SCHEMA.clone_into(&mut self.schema);
        let mut steps = Vec::new();
        for (name, text) in documents {
            self.documents.insert(name.to_owned(), disk::sha256(text.as_bytes()));
            steps.push(StoreStep::Write { path: folder.relative(name), text });
        }
        self.mark = TextMark::default();
        self.mark = folder.store.mark(SCHEMA, &self.marked(folder))?;
        // Before the documents: after a kill between two steps the journal writes the rest.
        let path = seal_path(folder.workflow.name, &folder.name());
        steps.insert(0, StoreStep::Write { path, text: text(&self) });
        Ok(steps)
    }

    /// Refuses a document that is not as this program wrote it.
    pub(super) fn must_hold(
        &self,
        workflow: &Workflow,
        name: &str,
        path: &Path,
        text: &str,
    ) -> Result<(), CallFailure> {
        if self.documents.get(name) == Some(&disk::sha256(text.as_bytes())) {
            return Ok(());
        }
        let message = format!("`{}` is not as this program wrote it", path.display());
        let hint = if name == RECORD { workflow.other_key } else { workflow.redo };
        let failure = CallFailure::new(REFUSED, "untrusted_state", message, hint);
        Err(failure.in_file(path.display().to_string(), None, None))
    }

    /// The failure of a document that this program wrote and that is not there.
    pub(super) fn gone(&self, name: &str, path: &Path) -> Option<CallFailure> {
        self.documents.get(name)?;
        let message = format!("this program wrote `{}`, and it is gone", path.display());
        let failure = CallFailure::new(REFUSED, "untrusted_state", message, "begin again");
        Some(failure.in_file(path.display().to_string(), None, None))
    }

    /// Whether this program wrote a file of this name in the folder of the run.
    pub fn wrote(&self, name: &str) -> bool {
        self.documents.contains_key(name)
    }
}
