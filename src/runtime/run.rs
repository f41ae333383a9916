//! The folder of a run in the store, for any workflow: found by the path from the caller, its documents sealed, its end
//! written last.

pub mod claim;
pub mod record;
mod seal;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{CONTENDED, CallFailure, USAGE};
use super::command_line::OptionValue;
use super::document;
use super::environment::Environment;
use super::error_code::ErrorCode;
use super::git::Repository;
use super::pretty_json;
use super::store::{Store, StoreStep};
use crate::{disk, printable};
use claim::{TreeClaim, claim_path};
pub use seal::{RunSeal, SealedReply};

/// The record that every run begins with.
pub const RECORD: &str = "run.json";
/// What ends a run.
pub const METADATA: &str = "metadata.json";

/// A workflow, with its names and messages.
#[derive(Debug)]
pub struct Workflow {
    /// Its name, and that of its folder of runs.
    pub name: &'static str,
    /// The command that begins a run.
    pub begin: &'static str,
    /// How to continue a run that has the working tree, or clear it: the end of a list. DIR is its folder.
    pub clear: &'static str,
    /// How to abandon a run that is bound to another tree.
    pub give_up: &'static str,
    /// What to do with a run that was not sealed with this machine's key.
    pub other_key: &'static str,
    /// What to do if another document of a run was modified.
    pub redo: &'static str,
}

/// The folder of one run.
#[derive(Debug, Clone, Copy)]
pub struct RunDirectory<'a> {
    /// Its workflow.
    pub workflow: &'static Workflow,
    /// The store that holds it.
    pub store: &'a Store,
    /// Its path, absolute.
    pub path: &'a Path,
}

/// The store and the folder that a caller names.
///
/// # Errors
/// `no_folder`; `not_a_run` for any other folder; `tracked_state`, `untrusted_state`.
pub fn find(
    environment: &Environment,
    workflow: &Workflow,
    given: &Path,
) -> Result<(Store, PathBuf), CallFailure> {
    let hint = || format!("name the run that `{}` answered with", workflow.begin);
    let path = disk::canonical(&environment.path(given)).map_err(|_| {
        CallFailure::environment(
            ErrorCode::NoFolder,
            format!("`{}` is not a folder", given.display()),
            hint(),
        )
    })?;
    let mut above = path.ancestors().skip(1);
    let named = |folder: Option<&Path>, name: &str| {
        folder.is_some_and(|folder| folder.file_name().is_some_and(|own| own == name))
    };
    let placed = named(above.next(), workflow.name) && named(above.next(), "runs");
    let Some(root) = above.next().filter(|_| placed) else {
        let message = format!("`{}` is not the folder of a {}", given.display(), workflow.name);
        return Err(CallFailure::new(USAGE, ErrorCode::NotARun, message, hint()));
    };
    let store = Store::new(root.to_owned(), environment);
    store.open()?;
    Ok((store, path))
}

impl RunDirectory<'_> {
    /// The run's name.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// A path of this folder, relative to the store's.
    pub fn relative(&self, name: &str) -> PathBuf {
        Path::new("runs").join(self.workflow.name).join(self.name()).join(name)
    }

    /// The seal of the run: hashes of what this program wrote.
    ///
    /// # Errors
    /// As [`Store::text`].
    pub fn seal(&self) -> Result<RunSeal, CallFailure> {
        RunSeal::stored(self)
    }

    /// Writes documents of this run.
    ///
    /// # Errors
    /// `locked`, `state_unwritable`, `sandboxed`.
    pub fn save(&self, documents: Vec<(&str, String)>) -> Result<(), CallFailure> {
        let held = self.store.lock()?;
        held.commit(self.seal()?.steps(self, documents)?)
    }

    /// Reads a document of a run, if it is unmodified.
    ///
    /// # Errors
    /// `malformed_json` with the place, `untrusted_state`, and the errors of [`Store::text`].
    pub fn sealed<T: for<'a> Deserialize<'a>>(&self, name: &str) -> Result<Option<T>, CallFailure> {
        let Some((text, untrusted)) = self.checked_text(name)? else { return Ok(None) };
        let path = self.path.join(name).display().to_string();
        let hint = format!("restore the file, or {}", self.workflow.give_up);
        let value = serde_json::from_str(&text).map_err(|error| document::no_json(&error, &path, &hint))?;
        untrusted.map_or(Ok(Some(value)), Err)
    }

    /// The text of a document of a run, with the failure if it was modified; `None` if it was never written.
    ///
    /// # Errors
    /// `untrusted_state` if it was written and is gone, and the errors of [`Store::text`].
    pub fn checked_text(&self, name: &str) -> Result<Option<(String, Option<CallFailure>)>, CallFailure> {
        let path = self.path.join(name);
        let read = || {
            let text = self.store.text(&path)?;
            let seal = self.seal()?;
            Ok(match &text {
                Some(held) => (seal.must_hold(self.workflow, name, &path, held).err(), text),
                None => (seal.missing_document(name, &path), None),
            })
        };
        let mut found = read()?;
        // Another command may be writing between the two reads; under the lock, it has finished.
        if found.0.is_some()
            && let Ok(_held) = self.store.lock()
        {
            found = read()?;
        }
        match found {
            (untrusted, Some(text)) => Ok(Some((text, untrusted))),
            (Some(gone), None) => Err(gone),
            (None, None) => Ok(None),
        }
    }

    /// Writes the final files of a run, `metadata.json` last, and releases its working tree. `must_be_open` is called
    /// under the lock.
    ///
    /// # Errors
    /// The errors of `must_be_open`; `locked`, `state_unwritable`, `sandboxed`.
    pub fn end(
        &self,
        tree: &str,
        metadata: String,
        documents: Vec<(&str, String)>,
        mut steps: Vec<StoreStep>,
        must_be_open: &dyn Fn() -> Result<(), CallFailure>,
    ) -> Result<(), CallFailure> {
        steps.push(StoreStep::Write { path: self.relative(METADATA), text: metadata });
        let held = self.store.lock()?;
        must_be_open()?;
        steps.extend(self.release(tree)?);
        if !documents.is_empty() {
            let mut first = self.seal()?.steps(self, documents)?;
            first.append(&mut steps);
            steps = first;
        }
        held.commit(steps)
    }

    /// Releases the working tree of a run that nobody learns of, if it could not be ended properly.
    pub fn release_tree(&self, tree: &str) {
        self.store.discard(&claim_path(self.workflow, tree));
    }

    /// The step that releases the working tree, if this run holds it.
    ///
    /// # Errors
    /// As [`parsed`].
    pub fn release(&self, tree: &str) -> Result<Option<StoreStep>, CallFailure> {
        let path = claim_path(self.workflow, tree);
        let is_ours = match parsed::<TreeClaim>(self.store, &path) {
            // A damaged claim belongs to no run, but still blocks the tree.
            Err(failure) if failure.error.code == ErrorCode::MalformedJson => true,
            claim => claim?.is_some_and(|claim| claim.run_id == self.name()),
        };
        Ok(is_ours.then_some(StoreStep::Remove { path }))
    }
}

/// Refuses a call from another working tree than the run is bound to, or from none of its `commits`, newest first.
///
/// # Errors
/// `run_moved` with both.
pub fn must_be_at(
    repository: &Repository,
    (workflow, run_id): (&Workflow, &str),
    bound_to: &str,
    commits: &[&str],
) -> Result<(), CallFailure> {
    let (tree, head) = (repository.top.display().to_string(), repository.commit("HEAD")?);
    if tree == bound_to && head.as_deref().is_some_and(|head| commits.contains(&head)) {
        return Ok(());
    }
    let (last, shown) = (commits.first().unwrap_or(&""), head.as_deref().unwrap_or("no commit"));
    let message =
        format!("run `{run_id}` is bound to `{bound_to}` at {last}, but this is `{tree}` at {shown}");
    let way = if disk::kind(Path::new(bound_to)).is_some() { "go back to" } else { "move back, or restore," };
    let hint = format!("{way} that working tree and commit, or {}", workflow.give_up);
    Err(CallFailure::new(CONTENDED, ErrorCode::RunMoved, message, hint))
}

/// The stored form of a document, of printable characters: models read it.
pub fn text(value: &impl Serialize) -> String {
    printable::json(&(pretty_json::text(value) + "\n")).into_owned()
}

/// Reads one of our own documents, by its path in the store or its absolute path; `None` if it does not exist.
///
/// # Errors
/// `malformed_json` with the place, and the errors of [`Store::text`].
pub fn parsed<T: for<'a> Deserialize<'a>>(store: &Store, path: &Path) -> Result<Option<T>, CallFailure> {
    let Some(text) = store.text(path)? else { return Ok(None) };
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|error| document::no_json(&error, &path.display().to_string(), "repair or remove the file"))
}

/// The mode of a run without a user, in every workflow.
const HEADLESS: &str = "headless";

/// The mode in the record of a run, regardless of who wrote it: it only decides the form of a message.
pub fn recorded_mode<M: OptionValue>(environment: &Environment, run: &Path) -> Option<M> {
    M::parse(&recorded_word(environment, run)?).ok()
}

fn recorded_word(environment: &Environment, run: &Path) -> Option<String> {
    let text = disk::read_settings(&environment.path(run).join(RECORD)).ok()??;
    let text = String::from_utf8(text).ok()?;
    match serde_json::from_str::<Value>(&text) {
        Ok(record) => record["mode"].as_str().map(str::to_owned),
        // A damaged record can still be searched for the word.
        Err(_) => text.contains(&format!("\"{HEADLESS}\"")).then(|| HEADLESS.to_owned()),
    }
}
