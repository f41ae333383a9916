//! Several files that belong together: what is meant is written down first, then done, then crossed
//! out. Whoever takes the lock next finishes what was left, and doing it twice changes nothing.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Held;
use crate::disk::{self, durable};
use crate::runtime::answer::{Failure, MALFORMED};

const NAME: &str = "journal.json";
const SCHEMA: &str = "plugcast.journal/1";

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Journal {
    schema: String,
    steps: Vec<Step>,
}

/// One file of several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Step {
    /// The file gets this text.
    Write {
        /// Relative to the store's folder.
        path: PathBuf,
        /// All of it.
        text: String,
    },
    /// The file goes.
    Remove {
        /// Relative to the store's folder.
        path: PathBuf,
    },
}

impl Held<'_> {
    /// Does all steps, in their order: after a kill either none, or all once the lock is taken again.
    ///
    /// # Errors
    /// `state_unwritable` or `sandboxed`.
    pub fn together(&self, steps: Vec<Step>) -> Result<(), Failure> {
        let journal = Journal { schema: SCHEMA.to_owned(), steps };
        // Texts and paths of ours are UTF-8.
        let text = serde_json::to_string(&journal).unwrap_or_default();
        self.replace(&self.local(NAME), text.as_bytes())?;
        self.carry_out(&journal.steps)
    }

    /// Finishes what a command wrote down and could not do.
    pub(super) fn finish_pending(&self) -> Result<(), Failure> {
        let path = self.local(NAME);
        let Some(text) = disk::read_text(&path).map_err(|error| self.store.unwritable(&error))? else {
            return Ok(());
        };
        let malformed = |message: String, line: Option<usize>, col: Option<usize>| {
            let hint = "remove the file; what it says was not done";
            Failure::new(MALFORMED, "malformed_journal", message, hint).at(
                path.display().to_string(),
                line,
                col,
            )
        };
        let journal: Journal = serde_json::from_str(&text)
            .map_err(|error| malformed(error.to_string(), Some(error.line()), Some(error.column())))?;
        if journal.schema != SCHEMA {
            return Err(malformed(format!("`{}` is not known here", journal.schema), None, None));
        }
        self.carry_out(&journal.steps)
    }

    fn carry_out(&self, steps: &[Step]) -> Result<(), Failure> {
        for step in steps {
            let (Step::Write { path, .. } | Step::Remove { path }) = step;
            // What a journal names must not leave the store.
            if path.components().any(|part| !matches!(part, Component::Normal(_))) {
                let message = format!("`{}` leaves the store", path.display());
                return Err(Failure::new(MALFORMED, "malformed_journal", message, "remove the journal"));
            }
            let path: &Path = &self.store.root.join(path);
            match step {
                Step::Write { text, .. } => self.replace(path, text.as_bytes())?,
                Step::Remove { .. } => self.remove(path)?,
            }
        }
        self.remove(&self.local(NAME))
    }

    fn remove(&self, path: &Path) -> Result<(), Failure> {
        durable::remove(path).map_err(|error| self.store.unwritable(&error))
    }
}
