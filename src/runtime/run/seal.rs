//! Hashes of what this program wrote for a run, in a file of the store that agents never write and that is marked with
//! this user's key: modified documents of a run are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{RECORD, RunDirectory, Workflow, text};
use crate::disk;
use crate::runtime::answer::{CallFailure, REFUSED};
use crate::runtime::error_code::ErrorCode;
use crate::runtime::store::{StoreStep, TextMark, seal_path};

const SCHEMA: &str = "plugcast.seal/1";

/// Hashes of what this program wrote for a run, and of the replies that it merged.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSeal {
    schema: String,
    /// Documents by name, with the sha256 of their text.
    pub(in crate::runtime) documents: BTreeMap<String, String>,
    /// Replies by their path below the run, as last merged.
    pub(in crate::runtime) replies: BTreeMap<String, SealedReply>,
    /// Replies that were merged once, and have changed or disappeared.
    pub(in crate::runtime) lost: BTreeSet<String>,
    /// The sha256 of the context next to the replies, as last merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::runtime) context: Option<String>,
    /// The mark that authenticates it.
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
    /// The seal of a run; an empty one if there is none written by this user here.
    pub(super) fn stored(folder: &RunDirectory<'_>) -> Result<Self, CallFailure> {
        let text = folder.store.text(&seal_path(folder.workflow.name, &folder.name()))?;
        let Some(mut seal) = text.and_then(|text| serde_json::from_str::<Self>(&text).ok()) else {
            return Ok(Self::default());
        };
        let mark = std::mem::take(&mut seal.mark);
        let own = folder.store.has_marked(SCHEMA, &seal.sealed_text(folder), &mark)?;
        Ok(if own { seal } else { Self::default() })
    }

    /// The text that the mark covers.
    fn sealed_text(&self, folder: &RunDirectory<'_>) -> String {
        format!("{}/{}\n{}", folder.workflow.name, folder.name(), text(self))
    }

    /// The same with the documents of `now`.
    pub(in crate::runtime) fn with_documents(self, now: Self) -> Self {
        Self { documents: now.documents, ..self }
    }

    /// The steps that write documents of a run and record them here.
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
        self.mark = folder.store.mark(SCHEMA, &self.sealed_text(folder))?;
        // Before the documents: after a kill between two steps, the journal completes the rest.
        let path = seal_path(folder.workflow.name, &folder.name());
        steps.insert(0, StoreStep::Write { path, text: text(&self) });
        Ok(steps)
    }

    /// Refuses a document that was modified.
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
        let failure = CallFailure::new(REFUSED, ErrorCode::UntrustedState, message, hint);
        Err(failure.in_file(path.display().to_string(), None, None))
    }

    /// The failure if a document that this program wrote is missing.
    pub(super) fn missing_document(&self, name: &str, path: &Path) -> Option<CallFailure> {
        self.documents.get(name)?;
        let message = format!("this program wrote `{}`, but it no longer exists", path.display());
        let failure = CallFailure::new(REFUSED, ErrorCode::UntrustedState, message, "begin again");
        Some(failure.in_file(path.display().to_string(), None, None))
    }

    /// Whether this program wrote a file of this name in the folder of the run.
    pub fn has_written(&self, name: &str) -> bool {
        self.documents.contains_key(name)
    }
}
