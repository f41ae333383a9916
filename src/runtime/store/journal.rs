//! Several files that belong together: what is meant is written down first, then done, then crossed
//! out. The next holder of the lock finishes what was left, and doing it twice changes nothing. Only what this user
//! wrote on this machine for this folder is done: a journal is signed, and a foreign one is moved aside.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::key::SealKey;
use super::{LockedStore, OWN, Store};
use crate::runtime::answer::{CallFailure, MALFORMED};

pub(super) const NAME: &str = "journal.json";
const SCHEMA: &str = "plugcast.journal/2";
/// How many foreign journals are kept.
const MOST_FOREIGN: usize = 1000;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoreJournal {
    schema: String,
    /// The keyed hash of the rest and of the folder it is for; none where no key can be kept.
    signature: Option<String>,
    steps: Vec<StoreStep>,
}

/// One file of several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum StoreStep {
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

impl Store {
    /// Removes `path`, and what was written down and could not be done: what a full disk keeps from being ended in order.
    /// The lock would do that first, and removing needs no space.
    pub fn give_up(&self, path: &Path) {
        if let Ok(Some(root)) = self.open() {
            // What went wrong before is what the user must know.
            let _ = root.remove(&LockedStore::own_file(NAME));
            let _ = root.remove(path);
        }
    }
}

impl LockedStore<'_> {
    /// Does all steps, in their order: after a kill either none, or all once the lock is taken again. Where no key can
    /// be kept, nobody finishes what a kill left.
    ///
    /// # Errors
    /// `untrusted_state`, `state_unwritable` or `sandboxed`.
    pub fn together(&self, steps: Vec<StoreStep>) -> Result<(), CallFailure> {
        steps.iter().try_for_each(must_stay)?;
        let key = SealKey::load(&self.store.surroundings);
        let signature = key.map(|key| self.signed(&steps, |texts| key.sign(texts))).transpose()?;
        let journal = StoreJournal { schema: SCHEMA.to_owned(), signature, steps };
        // Texts and paths of ours are UTF-8.
        let text = serde_json::to_string(&journal).unwrap_or_default();
        self.replace(&Self::own_file(NAME), text.as_bytes())?;
        self.carry_out(&journal.steps)
    }

    /// Finishes what a command wrote down and could not do, if it was one of this user's on this machine.
    pub(super) fn finish_pending(&self) -> Result<(), CallFailure> {
        let Some(bytes) = self.read(&Self::own_file(NAME))? else { return Ok(()) };
        match self.own(&bytes)? {
            Some(steps) => self.carry_out(&steps),
            None => self.move_aside(),
        }
    }

    /// The steps of a journal that was written by this user, here, for this folder.
    fn own(&self, bytes: &[u8]) -> Result<Option<Vec<StoreStep>>, CallFailure> {
        let Ok(text) = std::str::from_utf8(bytes) else { return Ok(None) };
        let Ok(journal) = serde_json::from_str::<StoreJournal>(text) else { return Ok(None) };
        let Some(signature) = journal.signature.filter(|_| journal.schema == SCHEMA) else { return Ok(None) };
        let Some(key) = SealKey::load(&self.store.surroundings) else { return Ok(None) };
        let own = self.signed(&journal.steps, |texts| key.has_signed(texts, &signature))?;
        Ok(own.then_some(journal.steps).filter(|steps| steps.iter().all(|step| must_stay(step).is_ok())))
    }

    /// What a signature is of: the steps, and the folder.
    fn signed<T>(&self, steps: &[StoreStep], sign: impl FnOnce(&[&[u8]]) -> T) -> Result<T, CallFailure> {
        let steps = serde_json::to_string(steps).unwrap_or_default();
        let place = self.store.place(&self.root)?;
        Ok(sign(&[SCHEMA.as_bytes(), place.as_bytes(), steps.as_bytes()]))
    }

    /// Keeps a journal that is not ours under another name, and says so.
    fn move_aside(&self) -> Result<(), CallFailure> {
        let refused = |error| self.store.refused(error);
        for number in 1..=MOST_FOREIGN {
            let name = format!("foreign-journal-{number}.json");
            let aside = Self::own_file(&name);
            if self.root.kind(&aside).map_err(refused)?.is_none() {
                self.root.rename(&Self::own_file(NAME), &name).map_err(refused)?;
                self.store.surroundings.warn(&format!(
                    "a journal that this user did not write here was not carried out: it is `{}` now",
                    self.store.root.join(aside).display()
                ));
                return Ok(());
            }
        }
        let hint = "look at them, and remove them";
        Err(CallFailure::new(MALFORMED, "malformed_journal", "there are too many foreign journals", hint))
    }

    fn carry_out(&self, steps: &[StoreStep]) -> Result<(), CallFailure> {
        for step in steps {
            match step {
                StoreStep::Write { path, text } => self.replace(path, text.as_bytes())?,
                StoreStep::Remove { path } => self.remove(path)?,
            }
        }
        self.remove(&Self::own_file(NAME))
    }

    /// Removes a file; one that is not there is no failure.
    ///
    /// # Errors
    /// `untrusted_state`, `state_unwritable` or `sandboxed`.
    pub fn remove(&self, path: &Path) -> Result<(), CallFailure> {
        self.root.remove(self.store.relative(path)).map_err(|error| self.store.refused(error))
    }
}

/// Sees that a step stays in the store, and away from the store's own files.
fn must_stay(step: &StoreStep) -> Result<(), CallFailure> {
    let (StoreStep::Write { path, .. } | StoreStep::Remove { path }) = step;
    let down = path.components().all(|part| matches!(part, Component::Normal(_)));
    let own = OWN.iter().any(|folder| *path == Path::new(folder).join(".gitignore"));
    if down && !own && !path.as_os_str().is_empty() {
        return Ok(());
    }
    let message = format!("`{}` leaves the store", path.display());
    Err(CallFailure::new(MALFORMED, "malformed_journal", message, "remove the journal"))
}
