//! The folder of one review: `runs/review/<run>/` in the store. Its record says how it began; `metadata.json`
//! is written last, so that a folder without it is unfinished.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Mode;
use super::claim::{Claim, claim_path};
use super::merge::{Answer, Merged, picked};
use super::seal::Seal;
use crate::disk::{self, Kind};
use crate::order;
use crate::runtime::answer::{CONTENDED, Failure, MALFORMED, USAGE};
use crate::runtime::document;
use crate::runtime::git::Repository;
use crate::runtime::store::{Step, Store};
use crate::runtime::surroundings::Surroundings;

pub use super::record::{Base, Ending, Flags, Metadata, Record};

/// The folder of a run into which the reviewers write their replies.
pub const REPLIES: &str = "replies";
/// The name of the workflow in the store.
pub const WORKFLOW: &str = "review";
/// The file of what a later step takes on.
pub(super) const RESIDUAL: &str = "residual.json";
const QUEUE_SCHEMA: &str = "plugcast.review-queue/1";
/// The schema of `findings.json`.
pub const FINDINGS_SCHEMA: &str = "plugcast.review-findings/1";
/// Names that a reviewer's file cannot have.
pub(super) const OWN: [&str; 11] = [
    "run", "findings", "applied", "residual", "advisory", "metadata", "scope", "report", "context", "fix",
    "shown",
];

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    #[serde(flatten)]
    merged: &'a Answer,
}

/// The folder of one review.
#[derive(Debug)]
pub struct RunFolder {
    /// Where it is, absolute.
    pub path: PathBuf,
    /// How it began.
    pub record: Record,
    /// The store that holds it.
    pub store: Store,
}

impl RunFolder {
    /// Opens a folder that `review begin` made.
    ///
    /// # Errors
    /// `no_folder`; `not_a_run` for a folder that lies elsewhere; `no_run` and `malformed_json` for its record.
    pub fn open(surroundings: &Surroundings, given: &Path) -> Result<Self, Failure> {
        let path = disk::canonical(&surroundings.path(given)).map_err(|_| {
            let message = format!("`{}` is no folder", given.display());
            Failure::environment("no_folder", message, "name the `run` of `review begin`")
        })?;
        let mut above = path.ancestors().skip(1);
        let named = |folder: Option<&Path>, name: &str| {
            folder.is_some_and(|folder| folder.file_name().is_some_and(|own| own == name))
        };
        let placed = named(above.next(), WORKFLOW) && named(above.next(), "runs");
        let Some(root) = above.next().filter(|_| placed) else {
            let message = format!("`{}` is no folder of a review", given.display());
            return Err(Failure::new(USAGE, "not_a_run", message, "name the `run` of `review begin`"));
        };
        let store = Store::at(root.to_owned(), surroundings);
        store.open()?;
        let record: Record = sealed(&store, &path, "run.json")?.ok_or_else(|| {
            let message = format!("`{}` has no record", given.display());
            Failure::new(MALFORMED, "no_run", message, "start a new one with `review begin`")
        })?;
        Ok(Self { path, record, store })
    }

    /// A document of this run, if it is as this program wrote it; `None` when it is not there.
    ///
    /// # Errors
    /// `malformed_json` with the place, `untrusted_state`, and what [`Store::text`] fails with.
    pub fn document<T: for<'a> Deserialize<'a>>(&self, name: &str) -> Result<Option<T>, Failure> {
        sealed(&self.store, &self.path, name)
    }

    /// What this program wrote of the run.
    pub(super) fn seal(&self) -> Result<Seal, Failure> {
        Seal::stored(&self.store, &run_name(&self.path))
    }

    /// Writes documents of this run.
    ///
    /// # Errors
    /// `locked`, `state_unwritable`, `sandboxed`.
    pub fn save(&self, documents: Vec<(&str, String)>) -> Result<(), Failure> {
        let held = self.store.lock()?;
        held.together(self.seal()?.steps(&self.store, &run_name(&self.path), documents)?)
    }

    /// Whether it is unfinished still.
    ///
    /// # Errors
    /// `finished` with how it ended.
    pub fn must_be_open(&self) -> Result<(), Failure> {
        match self.metadata()? {
            None => Ok(()),
            Some(metadata) => {
                let how = match metadata.status {
                    Ending::Abandoned => "given up",
                    Ending::Done | Ending::Degraded | Ending::Empty => "finished",
                };
                let message = format!("run `{}` was {how} at {}", metadata.run_id, metadata.completed_at);
                Err(Failure::new(CONTENDED, "finished", message, "start a new one with `review begin`"))
            }
        }
    }

    /// Whether it is unfinished still.
    ///
    /// # Errors
    /// As [`parsed`].
    pub fn is_open(&self) -> Result<bool, Failure> {
        self.metadata().map(|metadata| metadata.is_none())
    }

    fn metadata(&self) -> Result<Option<Metadata>, Failure> {
        parsed(&self.store, &self.path.join("metadata.json"))
    }

    /// Whether the call comes from the working tree and the commit that the run is bound to.
    ///
    /// # Errors
    /// `run_moved` with both.
    pub fn must_be_here(&self, surroundings: &Surroundings) -> Result<(), Failure> {
        let repository = Repository::find(surroundings, &surroundings.folder)?;
        let (tree, head) = (repository.top.display().to_string(), repository.commit("HEAD")?);
        if tree == self.record.tree && head.as_ref() == Some(&self.record.head_sha) {
            return Ok(());
        }
        let shown = head.as_deref().unwrap_or("no commit");
        let message = format!(
            "run `{}` is bound to `{}` at {}, and this is `{tree}` at {shown}",
            self.record.run_id, self.record.tree, self.record.head_sha
        );
        let hint = "go back to that working tree and commit, or give the run up with `review abandon --run DIR` and begin again";
        Err(Failure::new(CONTENDED, "run_moved", message, hint))
    }

    /// The folders of replies with their rounds: `replies` for the first, `replies/round-N` for later ones.
    ///
    /// # Errors
    /// `tracked_state`, `untrusted_state`, `file_unreadable`.
    pub fn reply_folders(&self) -> Result<Vec<(u32, PathBuf)>, Failure> {
        let replies = self.path.join(REPLIES);
        let mut folders = Vec::new();
        for (name, kind) in self.store.list(&replies)? {
            let round = name.strip_prefix("round-").and_then(|number| number.parse::<u32>().ok());
            match round.filter(|round| *round > 1 && name == format!("round-{round}")) {
                Some(round) if kind == Kind::Folder => folders.push((round, replies.join(name))),
                _ => {}
            }
        }
        folders.push((1, replies));
        order::sort(&mut folders);
        Ok(folders)
    }

    /// Whether anything lies in the folder of replies of a round; some hosts make the folder first.
    ///
    /// # Errors
    /// As [`RunFolder::reply_folders`].
    pub fn has_replies(&self, round: u32) -> Result<bool, Failure> {
        for (_, path) in self.reply_folders()?.into_iter().filter(|(known, _)| *known == round) {
            if self.store.list(&path)?.iter().any(|(name, _)| !name.starts_with('.')) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Stores the record again.
    ///
    /// # Errors
    /// `locked`, `state_unwritable`, `sandboxed`.
    pub fn store_record(&self) -> Result<(), Failure> {
        self.save(vec![("run.json", text(&self.record))])
    }

    /// Ends the run before it came to anything, and gives the working tree back.
    ///
    /// # Errors
    /// `finished`, `locked`, `state_unwritable`, `sandboxed`.
    pub fn close(
        &self,
        surroundings: &Surroundings,
        ending: Ending,
        head_moved: bool,
    ) -> Result<(), Failure> {
        let metadata = self.record.ended(surroundings, ending, None, head_moved);
        self.end(&metadata, Vec::new(), Vec::new())
    }

    /// Writes the last files of a run, documents of it and others, `metadata.json` last of all, and gives the working
    /// tree back.
    ///
    /// # Errors
    /// As [`RunFolder::close`].
    pub fn end(
        &self,
        metadata: &Metadata,
        documents: Vec<(&str, String)>,
        mut steps: Vec<Step>,
    ) -> Result<(), Failure> {
        steps.push(Step::Write { path: self.relative("metadata.json"), text: text(metadata) });
        let path = claim_path(&self.record.tree);
        let held = self.store.lock()?;
        self.must_be_open()?;
        let is_ours = match parsed::<Claim>(&self.store, &path) {
            // A damaged claim is nobody's, and holds the tree.
            Err(failure) if failure.error.code == "malformed_json" => true,
            claim => claim?.is_some_and(|claim| claim.run_id == self.record.run_id),
        };
        if is_ours {
            steps.push(Step::Remove { path });
        }
        if !documents.is_empty() {
            let mut first = self.seal()?.steps(&self.store, &run_name(&self.path), documents)?;
            first.append(&mut steps);
            steps = first;
        }
        held.together(steps)
    }

    /// Stores what was merged, `findings.json` last.
    ///
    /// # Errors
    /// `finished`, `locked`, `state_unwritable`, `sandboxed`.
    pub(super) fn store(
        &self,
        merged: &Answer,
        returns: &[(String, Value)],
        (name, context): (&str, &impl Serialize),
        seal: Seal,
    ) -> Result<(), Failure> {
        let held = self.store.lock()?;
        self.must_be_open()?;
        let known = self.seal()?;
        // What somebody else wrote there stays, to be told of.
        let listed = self.store.list(&self.path)?.into_iter().map(|(name, _)| name);
        let mut taken: Vec<String> = listed.filter(|name| !known.wrote(name)).collect();
        let mut returned: Vec<(String, String)> = Vec::new();
        for (reviewer, value) in returns {
            let name = file_name(reviewer, &taken);
            taken.push(name.clone());
            returned.push((name, text(value)));
        }
        let mut documents: Vec<(&str, String)> =
            returned.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
        documents.extend([
            (name, text(context)),
            (RESIDUAL, queue(&merged.findings, &merged.queues.residual)),
            ("advisory.json", queue(&merged.findings, &merged.queues.report)),
            ("findings.json", text(&Document { schema: FINDINGS_SCHEMA, merged })),
        ]);
        // What another command wrote since the replies were read stays.
        let seal = seal.beside(known);
        held.together(seal.steps(&self.store, &run_name(&self.path), documents)?)
    }

    /// A path of this folder, relative to the store's.
    pub fn relative(&self, name: &str) -> PathBuf {
        Path::new("runs").join(WORKFLOW).join(run_name(&self.path)).join(name)
    }
}

/// A queue as it is stored.
pub(super) fn queue(all: &[Merged], ids: &[String]) -> String {
    let findings: Vec<&Merged> = picked(all, ids).collect();
    text(&serde_json::json!({ "schema": QUEUE_SCHEMA, "findings": findings }))
}

/// The file of a reviewer's return: its name with plain characters, none of our own, none twice.
fn file_name(reviewer: &str, taken: &[String]) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' };
    let mut stem: String = reviewer.chars().map(plain).take(80).collect();
    if OWN.contains(&stem.as_str()) {
        stem = format!("reviewer-{stem}");
    }
    let numbered = |number: usize| match number {
        1 => format!("{stem}.json"),
        number => format!("{stem}-{number}.json"),
    };
    (1..).map(numbered).find(|name| !taken.contains(name)).unwrap_or_default()
}

/// The name of a run, by its folder.
fn run_name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Reads a document of a run, if it is as this program wrote it.
pub(super) fn sealed<T: for<'a> Deserialize<'a>>(
    store: &Store,
    folder: &Path,
    name: &str,
) -> Result<Option<T>, Failure> {
    let Some((text, untrusted)) = compared(store, folder, name)? else { return Ok(None) };
    let (path, hint) = (folder.join(name).display().to_string(), "repair or remove the file");
    let value = serde_json::from_str(&text).map_err(|error| document::no_json(&error, &path, hint))?;
    untrusted.map_or(Ok(Some(value)), Err)
}

/// The text of a document of a run, and why it is not as this program wrote it; `None` where it was never written.
///
/// # Errors
/// `untrusted_state` where it was written and is gone, and what [`Store::text`] fails with.
pub(super) fn compared(
    store: &Store,
    folder: &Path,
    name: &str,
) -> Result<Option<(String, Option<Failure>)>, Failure> {
    let path = folder.join(name);
    let look = || {
        let text = store.text(&path)?;
        let seal = Seal::stored(store, &run_name(folder))?;
        Ok(match &text {
            Some(held) => (seal.must_hold(name, &path, held).err(), text),
            None => (seal.gone(name, &path), None),
        })
    };
    let mut looked = look()?;
    // Another command may write between the two looks, and has done so once the lock can be had.
    if looked.0.is_some()
        && let Ok(_held) = store.lock()
    {
        looked = look()?;
    }
    match looked {
        (untrusted, Some(text)) => Ok(Some((text, untrusted))),
        (Some(gone), None) => Err(gone),
        (None, None) => Ok(None),
    }
}

/// The mode that the record of a run names, whoever wrote it: a message is given its form by it, and nothing else.
pub(super) fn mode_said(surroundings: &Surroundings, run: &Path) -> Option<Mode> {
    let text = disk::read_settings(&surroundings.path(run).join("run.json")).ok()??;
    let text = String::from_utf8(text).ok()?;
    match serde_json::from_str::<Value>(&text) {
        Ok(record) => serde_json::from_value(record["mode"].clone()).ok(),
        // Of a damaged record its words are left.
        Err(_) => text.contains("\"headless\"").then_some(Mode::Headless),
    }
}

/// A document as it is stored.
pub fn text(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

/// Reads one of our own documents, by its path in the store or its absolute one; `None` when it is not there.
///
/// # Errors
/// `malformed_json` with the place, and what [`Store::text`] fails with.
pub fn parsed<T: for<'a> Deserialize<'a>>(store: &Store, path: &Path) -> Result<Option<T>, Failure> {
    let Some(text) = store.text(path)? else { return Ok(None) };
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|error| document::no_json(&error, &path.display().to_string(), "repair or remove the file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_reviewers_have_plain_names() {
        assert_eq!(file_name("security", &[]), "security.json");
        assert_eq!(file_name("review:code/../x", &[]), "review-code----x.json");
        assert_eq!(file_name("metadata", &[]), "reviewer-metadata.json");
        assert_eq!(file_name("a", &["a.json".to_owned()]), "a-2.json");
    }
}
