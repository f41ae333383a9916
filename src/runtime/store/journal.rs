//! Atomic updates of several files: the steps are journaled first, then carried out, then the journal is removed. The
//! next holder of the lock completes an unfinished journal; the steps are idempotent. A journal is signed and only
//! carried out if this user wrote it on this machine for this folder; a foreign one is moved aside. A file that was
//! edited in the meantime is not replaced: its new text is kept next to it.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::key::SealKey;
use super::{LockedStore, Store, UNTRACKED_FOLDERS};
use crate::disk::reader::SizeLimit;
use crate::disk::sha256;
use crate::runtime::answer::{CONTENDED, CallFailure, MALFORMED};
use crate::runtime::document::without_mark;
use crate::runtime::error_code::ErrorCode;

pub(super) const NAME: &str = "journal.json";
const SCHEMA: &str = "plugcast.journal/3";
/// The file that shows that there is space for a journal and its steps.
const SPACE: &str = "space";
/// What a file or folder may take besides its content, in bytes.
const BLOCK: usize = 4096;
/// How many foreign journals are kept.
const MOST_FOREIGN: usize = 1000;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoreJournal {
    schema: String,
    /// The keyed hash of the rest and of the folder it is for; none if no key can be stored.
    signature: Option<String>,
    steps: Vec<StoreStep>,
    /// The hash of each step's file before; empty if there was none.
    before: Vec<String>,
}

/// Which files must be unchanged before they are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplacementGuard {
    /// None: they were read under the current lock.
    None,
    /// The file of the first step.
    First,
    /// All: time has passed since the journal was written.
    All,
}

/// The suffix of a text that is kept next to an edited file.
pub const KEPT_SUFFIX: &str = ".new";

/// One step of an update of several files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum StoreStep {
    /// Writes a file.
    Write {
        /// Relative to the store's folder.
        path: PathBuf,
        /// Its complete text.
        text: String,
    },
    /// Removes a file.
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
    /// Removes `path` and the unfinished journal, for a run that cannot be ended properly because the disk is full.
    /// Taking the lock would carry out the journal first; removing needs no space.
    pub fn discard(&self, path: &Path) {
        if let Ok(Some(root)) = self.open() {
            // The original failure is the one to report.
            let _ = root.remove(&LockedStore::own_file(NAME));
            let _ = root.remove(path);
        }
    }
}

impl LockedStore<'_> {
    /// Carries out all steps in order: after a kill, either none, or all once the lock is taken again. Without a key,
    /// an interrupted journal is not completed.
    ///
    /// # Errors
    /// `untrusted_state`, `state_unwritable` or `sandboxed`.
    pub fn commit(&self, steps: Vec<StoreStep>) -> Result<(), CallFailure> {
        self.begin(steps, None)
    }

    /// The same if the first step replaces a file that the user edits: its hash must still be that of what was read
    /// when it is replaced. Otherwise nothing is done.
    ///
    /// # Errors
    /// `stale`, and those of [`LockedStore::commit`].
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
        // Our texts and paths are UTF-8.
        let text = serde_json::to_string(&journal).unwrap_or_default();
        self.must_have_space(text.len(), &journal.steps)?;
        self.replace_secret(&Self::own_file(NAME), text.as_bytes())?;
        let guard = if read.is_some() { ReplacementGuard::First } else { ReplacementGuard::None };
        self.replay(&journal, guard)
    }

    /// Fails before anything is changed if the disk is full: a command that fails half-way would take effect afterwards.
    fn must_have_space(&self, journal: usize, steps: &[StoreStep]) -> Result<(), CallFailure> {
        let needs = |step: &StoreStep| match step {
            StoreStep::Write { text, .. } => text.len() + 2 * BLOCK,
            StoreStep::Remove { .. } => 0,
        };
        let bytes = journal + BLOCK + steps.iter().map(needs).sum::<usize>();
        let file = Self::own_file(SPACE);
        self.replace(&file, &vec![b' '; bytes])?;
        self.remove(&file)
    }

    /// The hash of a file without its byte order mark; empty if there is none. An unreadable file is refused when it is
    /// replaced.
    fn hash(&self, path: &Path) -> String {
        match self.root.read(path, SizeLimit::Document) {
            Ok(bytes) => bytes.map_or_else(String::new, |bytes| sha256(&without_mark(bytes))),
            Err(_) => "unreadable".to_owned(),
        }
    }

    /// Completes the journal of an interrupted command, if it was this user's on this machine.
    pub(super) fn finish_pending(&self) -> Result<(), CallFailure> {
        let Some(bytes) = self.read(&Self::own_file(NAME))? else { return Ok(()) };
        match self.own_journal(&bytes)? {
            Some(journal) => self.replay(&journal, ReplacementGuard::All),
            None => self.move_aside(),
        }
    }

    /// The journal, if this user wrote it on this machine for this folder.
    fn own_journal(&self, bytes: &[u8]) -> Result<Option<StoreJournal>, CallFailure> {
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

    /// Signs a journal: the steps, the previous hashes, and the folder.
    fn signed<T>(&self, journal: &StoreJournal, sign: impl FnOnce(&[&[u8]]) -> T) -> Result<T, CallFailure> {
        let steps = serde_json::to_string(&(&journal.steps, &journal.before)).unwrap_or_default();
        let place = self.store.place(&self.root)?;
        Ok(sign(&[SCHEMA.as_bytes(), place.as_bytes(), steps.as_bytes()]))
    }

    /// Moves a foreign journal aside, with a warning.
    fn move_aside(&self) -> Result<(), CallFailure> {
        let refused = |error| self.store.refusal(error);
        for number in 1..=MOST_FOREIGN {
            let name = format!("foreign-journal-{number}.json");
            let aside = Self::own_file(&name);
            if self.root.kind(&aside).map_err(refused)?.is_none() {
                self.root.rename(&Self::own_file(NAME), &name).map_err(refused)?;
                self.store.environment.warn(&format!(
                    "a journal that this user did not write here was not replayed: it was moved to `{}`",
                    self.store.root.join(aside).display()
                ));
                return Ok(());
            }
        }
        let hint = "check them, and remove those that you do not need";
        Err(CallFailure::new(MALFORMED, ErrorCode::MalformedJournal, "too many foreign journals", hint))
    }

    fn replay(&self, journal: &StoreJournal, guard: ReplacementGuard) -> Result<(), CallFailure> {
        for (at, (step, before)) in journal.steps.iter().zip(&journal.before).enumerate() {
            let is_free = guard == ReplacementGuard::None || (guard == ReplacementGuard::First && at > 0);
            match step {
                StoreStep::Write { path, text } => {
                    let may = || {
                        is_free || {
                            let now = self.hash(path);
                            now == *before || now == sha256(&without_mark(text.clone().into_bytes()))
                        }
                    };
                    let replaced = self.root.replace_if(path, text.as_bytes(), &may);
                    if replaced.map_err(|error| self.store.refusal(error))? {
                        continue;
                    }
                    if guard == ReplacementGuard::First {
                        self.remove(&Self::own_file(NAME))?;
                        let message = format!("`{}` was changed in the meantime", path.display());
                        let hint = "read it again, and decide again";
                        return Err(CallFailure::new(CONTENDED, ErrorCode::Stale, message, hint));
                    }
                    self.keep_beside(path, text)?;
                }
                StoreStep::Remove { path } => self.remove(path)?,
            }
        }
        self.remove(&Self::own_file(NAME))
    }

    /// Keeps the new text of a file that was edited in the meantime next to it, with a warning.
    fn keep_beside(&self, path: &Path, text: &str) -> Result<(), CallFailure> {
        let beside = PathBuf::from(format!("{}{KEPT_SUFFIX}", path.display()));
        self.replace_secret(&beside, text.as_bytes())?;
        let edited = self.store.root.join(path);
        self.store.environment.warn(&format!(
            "`{}` was edited after a command was interrupted: the text that it was to write is in `{}{KEPT_SUFFIX}`",
            edited.display(),
            edited.display()
        ));
        Ok(())
    }

    /// Replaces a file with texts of others, which other users may not be allowed to read.
    fn replace_secret(&self, path: &Path, bytes: &[u8]) -> Result<(), CallFailure> {
        self.root.replace_secret(path, bytes).map_err(|error| self.store.refusal(error))
    }

    /// Removes a file, if it exists.
    ///
    /// # Errors
    /// `untrusted_state`, `state_unwritable` or `sandboxed`.
    pub fn remove(&self, path: &Path) -> Result<(), CallFailure> {
        self.root.remove(self.store.relative(path)).map_err(|error| self.store.refusal(error))
    }
}

/// Checks that a step stays inside the store, and does not touch the store's own files.
fn must_stay(step: &StoreStep) -> Result<(), CallFailure> {
    let path = step.path();
    let down = path.components().all(|part| matches!(part, Component::Normal(_)));
    let own = UNTRACKED_FOLDERS.iter().any(|folder| *path == Path::new(folder).join(".gitignore"));
    if down && !own && !path.as_os_str().is_empty() {
        return Ok(());
    }
    let message = format!("`{}` leaves the store", path.display());
    Err(CallFailure::new(MALFORMED, ErrorCode::MalformedJournal, message, "remove the journal"))
}
