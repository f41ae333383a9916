//! Several files that belong together: what is meant is written down first, then done, then crossed out. The next
//! holder of the lock finishes what was left, and doing it twice changes nothing. Only what this user wrote on this
//! machine for this folder is done: a journal is signed, and a foreign one is moved aside. What somebody edited
//! meanwhile is not replaced: the text for it is kept beside it.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::key::SealKey;
use super::{LockedStore, OWN, Store};
use crate::disk::reader::SizeLimit;
use crate::disk::sha256;
use crate::runtime::answer::{CONTENDED, CallFailure, MALFORMED};
use crate::runtime::document::without_mark;

pub(super) const NAME: &str = "journal.json";
const SCHEMA: &str = "plugcast.journal/3";
/// How many foreign journals are kept.
const MOST_FOREIGN: usize = 1000;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoreJournal {
    schema: String,
    /// The keyed hash of the rest and of the folder it is for; none where no key can be kept.
    signature: Option<String>,
    steps: Vec<StoreStep>,
    /// The hash of what the file of each step held before; empty where there was none.
    before: Vec<String>,
}

/// Which files must be as they were before they are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplacementGuard {
    /// None: they were read under this very lock.
    None,
    /// That of the first step.
    First,
    /// All: time has passed since the journal was written.
    All,
}

/// What the name of a text ends with that is kept beside a file which somebody edited.
pub const KEPT: &str = ".new";

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

impl StoreStep {
    fn path(&self) -> &Path {
        let (Self::Write { path, .. } | Self::Remove { path }) = self;
        path
    }
}

impl Store {
    /// Removes `path`, and what was written down and could not be done: what a full disk keeps from being ended in
    /// order. The lock would do that first, and removing needs no space.
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
        self.begin(steps, None)
    }

    /// The same where the first step replaces a file that its user edits: it must still hold what was read, by its
    /// hash, at the moment when it is replaced. Otherwise nothing is done.
    ///
    /// # Errors
    /// `stale`, and those of [`LockedStore::together`].
    pub fn together_over(&self, steps: Vec<StoreStep>, read: &str) -> Result<(), CallFailure> {
        self.begin(steps, Some(read))
    }

    fn begin(&self, steps: Vec<StoreStep>, read: Option<&str>) -> Result<(), CallFailure> {
        steps.iter().try_for_each(must_stay)?;
        let mut before: Vec<String> = steps.iter().map(|step| self.hash(step.path())).collect();
        if let (Some(first), Some(read)) = (before.first_mut(), read) {
            read.clone_into(first);
        }
        let mut journal = StoreJournal { schema: SCHEMA.to_owned(), signature: None, steps, before };
        let key = SealKey::load(&self.store.environment);
        journal.signature = key.map(|key| self.signed(&journal, |texts| key.sign(texts))).transpose()?;
        // Texts and paths of ours are UTF-8.
        let text = serde_json::to_string(&journal).unwrap_or_default();
        self.replace(&Self::own_file(NAME), text.as_bytes())?;
        let guard = if read.is_some() { ReplacementGuard::First } else { ReplacementGuard::None };
        self.carry_out(&journal, guard)
    }

    /// The hash of what a file holds without its byte order mark; empty where there is none. One that cannot be read is
    /// refused when it is replaced.
    fn hash(&self, path: &Path) -> String {
        match self.root.read(path, SizeLimit::Document) {
            Ok(bytes) => bytes.map_or_else(String::new, |bytes| sha256(&without_mark(bytes))),
            Err(_) => "unreadable".to_owned(),
        }
    }

    /// Finishes what a command wrote down and could not do, if it was one of this user's on this machine.
    pub(super) fn finish_pending(&self) -> Result<(), CallFailure> {
        let Some(bytes) = self.read(&Self::own_file(NAME))? else { return Ok(()) };
        match self.own(&bytes)? {
            Some(journal) => self.carry_out(&journal, ReplacementGuard::All),
            None => self.move_aside(),
        }
    }

    /// A journal that was written by this user, here, for this folder.
    fn own(&self, bytes: &[u8]) -> Result<Option<StoreJournal>, CallFailure> {
        let Ok(text) = std::str::from_utf8(bytes) else { return Ok(None) };
        let Ok(journal) = serde_json::from_str::<StoreJournal>(text) else { return Ok(None) };
        let Some(signature) = journal.signature.as_ref().filter(|_| journal.schema == SCHEMA) else {
            return Ok(None);
        };
        let Some(key) = SealKey::load(&self.store.environment) else { return Ok(None) };
        let own = self.signed(&journal, |texts| key.has_signed(texts, signature))?;
        let stays = journal.steps.iter().all(|step| must_stay(step).is_ok());
        Ok((own && stays).then_some(journal))
    }

    /// What a signature is of: the steps with what was there before, and the folder.
    fn signed<T>(&self, journal: &StoreJournal, sign: impl FnOnce(&[&[u8]]) -> T) -> Result<T, CallFailure> {
        let steps = serde_json::to_string(&(&journal.steps, &journal.before)).unwrap_or_default();
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
                self.store.environment.warn(&format!(
                    "a journal that this user did not write here was not carried out: it is `{}` now",
                    self.store.root.join(aside).display()
                ));
                return Ok(());
            }
        }
        let hint = "look at them, and remove them";
        Err(CallFailure::new(MALFORMED, "malformed_journal", "there are too many foreign journals", hint))
    }

    fn carry_out(&self, journal: &StoreJournal, guard: ReplacementGuard) -> Result<(), CallFailure> {
        for (at, (step, before)) in journal.steps.iter().zip(&journal.before).enumerate() {
            let is_free = guard == ReplacementGuard::None || (guard == ReplacementGuard::First && at > 0);
            match step {
                StoreStep::Write { path, text } => {
                    let may = || {
                        is_free || {
                            let now = self.hash(path);
                            now == *before || now == sha256(text.as_bytes())
                        }
                    };
                    let replaced = self.root.replace_if(path, text.as_bytes(), &may);
                    if replaced.map_err(|error| self.store.refused(error))? {
                        continue;
                    }
                    if guard == ReplacementGuard::First {
                        self.remove(&Self::own_file(NAME))?;
                        let message = format!("`{}` was changed in the meantime", path.display());
                        let hint = "read it again, and decide again";
                        return Err(CallFailure::new(CONTENDED, "stale", message, hint));
                    }
                    self.keep_beside(path, text)?;
                }
                StoreStep::Remove { path } => self.remove(path)?,
            }
        }
        self.remove(&Self::own_file(NAME))
    }

    /// Keeps the text for a file that somebody edited since it was meant to be written, and says so.
    fn keep_beside(&self, path: &Path, text: &str) -> Result<(), CallFailure> {
        let beside = PathBuf::from(format!("{}{KEPT}", path.display()));
        self.replace(&beside, text.as_bytes())?;
        let edited = self.store.root.join(path);
        self.store.environment.warn(&format!(
            "`{}` was edited after a command was cut off: what that one was to write is `{}{KEPT}`",
            edited.display(),
            edited.display()
        ));
        Ok(())
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
    let path = step.path();
    let down = path.components().all(|part| matches!(part, Component::Normal(_)));
    let own = OWN.iter().any(|folder| *path == Path::new(folder).join(".gitignore"));
    if down && !own && !path.as_os_str().is_empty() {
        return Ok(());
    }
    let message = format!("`{}` leaves the store", path.display());
    Err(CallFailure::new(MALFORMED, "malformed_journal", message, "remove the journal"))
}
