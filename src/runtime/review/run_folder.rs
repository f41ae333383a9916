//! The folder of one review: `runs/review/<run>/` in the store. Its record describes the start; `metadata.json` is
//! written last, so that a folder without it is unfinished.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::merge::{MergedFinding, Response, findings_by_id};
use crate::disk::FileKind;
use crate::order;
use crate::runtime::answer::{CONTENDED, CallFailure};
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::run::record::{RunOrigin, RunRecord, WorkflowRun};
use crate::runtime::run::{self, METADATA, RunSeal, Workflow};
use crate::runtime::store::StoreStep;

pub use super::record::{ReviewBase, ReviewEnding, ReviewFlags, ReviewMetadata, ReviewRecord};
pub use crate::runtime::run::{parsed, text};

/// The folder of a run into which the reviewers write their replies.
pub const REPLIES: &str = "replies";
/// The workflow of reviews in the store.
pub static REVIEW: Workflow = Workflow {
    name: "review",
    begin: "review begin",
    clear: "continue it with `--run DIR`, or clear it with `review abandon --run DIR`",
    give_up: "give the run up with `review abandon --run DIR` and begin again",
    other_key: "it was begun with another key (another home, or a sandbox) or changed since: to clear it, run `plugcast-run review begin --stdin --take-over`",
    redo: "run `plugcast-run review merge --run DIR` again, or begin again",
};
/// The file of findings for a later step.
pub(super) const RESIDUAL: &str = "residual.json";
const QUEUE_SCHEMA: &str = "plugcast.review-queue/1";
/// The schema of `findings.json`.
pub const FINDINGS_SCHEMA: &str = "plugcast.review-findings/1";
/// Names that a reviewer's file cannot have.
pub(super) const RESERVED_NAMES: [&str; 11] = [
    "run", "findings", "applied", "residual", "advisory", "metadata", "scope", "report", "context", "fix",
    "shown",
];

#[derive(Serialize)]
struct RunDocument<'a> {
    schema: &'static str,
    #[serde(flatten)]
    merged: &'a Response,
}

/// The folder of one review.
pub type RunFolder = WorkflowRun<ReviewRecord>;

impl RunRecord for ReviewRecord {
    fn workflow() -> &'static Workflow {
        &REVIEW
    }

    fn origin(&mut self) -> RunOrigin<'_> {
        let Self { run_id, state_root, tree, started_at, uptime, .. } = self;
        RunOrigin { run_id, state_root, tree, started_at, uptime }
    }

    fn abandoned(&self, environment: &Environment) -> String {
        text(&self.end_metadata(environment, ReviewEnding::Abandoned, None, false))
    }
}

impl RunFolder {
    /// A document of this run, if it is unmodified; `None` if it does not exist.
    ///
    /// # Errors
    /// `malformed_json` with the place, `untrusted_state`, and the errors of
    /// [`Store::text`](crate::runtime::store::Store::text).
    pub fn document<T: for<'a> Deserialize<'a>>(&self, name: &str) -> Result<Option<T>, CallFailure> {
        self.folder().sealed(name)
    }

    /// The seal of the run: hashes of what this program wrote.
    pub(super) fn seal(&self) -> Result<RunSeal, CallFailure> {
        self.folder().seal()
    }

    /// Writes documents of this run.
    ///
    /// # Errors
    /// `locked`, `state_unwritable`, `sandboxed`.
    pub fn save(&self, documents: Vec<(&str, String)>) -> Result<(), CallFailure> {
        self.folder().save(documents)
    }

    /// Whether it is unfinished still.
    ///
    /// # Errors
    /// `finished` with how it ended.
    pub fn must_be_open(&self) -> Result<(), CallFailure> {
        match self.metadata()? {
            None => Ok(()),
            Some(metadata) => {
                let how = match metadata.status {
                    ReviewEnding::Abandoned => "given up",
                    ReviewEnding::Done | ReviewEnding::Degraded | ReviewEnding::Empty => "finished",
                };
                let message = format!("run `{}` was {how} at {}", metadata.run_id, metadata.completed_at);
                Err(CallFailure::new(
                    CONTENDED,
                    ErrorCode::Finished,
                    message,
                    "start a new one with `review begin`",
                ))
            }
        }
    }

    /// Whether it is unfinished still.
    ///
    /// # Errors
    /// As [`parsed`].
    pub fn is_open(&self) -> Result<bool, CallFailure> {
        self.metadata().map(|metadata| metadata.is_none())
    }

    fn metadata(&self) -> Result<Option<ReviewMetadata>, CallFailure> {
        parsed(&self.store, &self.path.join(METADATA))
    }

    /// Refuses a call from another working tree or commit than the run is bound to.
    ///
    /// # Errors
    /// `run_moved` with both.
    pub fn must_be_here(&self, environment: &Environment) -> Result<(), CallFailure> {
        let repository = Repository::find(environment, &environment.folder)?;
        let record = &self.record;
        run::must_be_at(&repository, (&REVIEW, &record.run_id), &record.tree, &[&record.head_sha])
    }

    /// The folders of replies with their rounds: `replies` for the first, `replies/round-N` for later ones.
    ///
    /// # Errors
    /// `tracked_state`, `untrusted_state`, `file_unreadable`.
    pub fn reply_folders(&self) -> Result<Vec<(u32, PathBuf)>, CallFailure> {
        let replies = self.path.join(REPLIES);
        let mut folders = Vec::new();
        for (name, kind) in self.store.list(&replies)? {
            let round = name.strip_prefix("round-").and_then(|number| number.parse::<u32>().ok());
            match round.filter(|round| *round > 1 && name == format!("round-{round}")) {
                Some(round) if kind == FileKind::Folder => folders.push((round, replies.join(name))),
                _ => {}
            }
        }
        folders.push((1, replies));
        order::sort(&mut folders);
        Ok(folders)
    }

    /// Whether the folder of replies of a round contains any; some hosts create the folder in advance.
    ///
    /// # Errors
    /// As [`RunFolder::reply_folders`].
    pub fn has_replies(&self, round: u32) -> Result<bool, CallFailure> {
        for (_, path) in self.reply_folders()?.into_iter().filter(|(known, _)| *known == round) {
            if self.store.list(&path)?.iter().any(|(name, _)| !name.starts_with('.')) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Ends the run without a result, and releases the working tree.
    ///
    /// # Errors
    /// `finished`, `locked`, `state_unwritable`, `sandboxed`.
    pub fn close(
        &self,
        environment: &Environment,
        ending: ReviewEnding,
        head_moved: bool,
    ) -> Result<(), CallFailure> {
        let metadata = self.record.end_metadata(environment, ending, None, head_moved);
        self.end(&metadata, Vec::new(), Vec::new())
    }

    /// Writes the final files of a run, `metadata.json` last, and releases the working tree.
    ///
    /// # Errors
    /// As [`RunFolder::close`].
    pub fn end(
        &self,
        metadata: &ReviewMetadata,
        documents: Vec<(&str, String)>,
        steps: Vec<StoreStep>,
    ) -> Result<(), CallFailure> {
        let (folder, tree) = (self.folder(), &self.record.tree);
        folder.end(tree, text(metadata), documents, steps, &|| self.must_be_open())
    }

    /// Stores the merged result, `findings.json` last.
    ///
    /// # Errors
    /// `finished`, `locked`, `state_unwritable`, `sandboxed`.
    pub(super) fn store(
        &self,
        merged: &Response,
        returns: &[(String, Value)],
        (name, context): (&str, &impl Serialize),
        seal: RunSeal,
    ) -> Result<(), CallFailure> {
        let held = self.store.lock()?;
        self.must_be_open()?;
        let known = self.seal()?;
        // Foreign files are kept, so that they can be reported.
        let listed = self.store.list(&self.path)?.into_iter().map(|(name, _)| name);
        let mut taken: Vec<String> = listed.filter(|name| !known.has_written(name)).collect();
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
            ("findings.json", text(&RunDocument { schema: FINDINGS_SCHEMA, merged })),
        ]);
        // Keeps what another command wrote since the replies were read.
        let seal = seal.with_documents(known);
        held.commit(seal.steps(&self.folder(), documents)?)
    }

    /// A path of this folder, relative to the store's.
    pub fn relative(&self, name: &str) -> PathBuf {
        self.folder().relative(name)
    }
}

/// The stored form of a queue.
pub(super) fn queue(all: &[MergedFinding], ids: &[String]) -> String {
    let findings: Vec<&MergedFinding> = findings_by_id(all, ids).collect();
    text(&serde_json::json!({ "schema": QUEUE_SCHEMA, "findings": findings }))
}

/// The file of a reviewer's return: its name in plain characters, distinct from our own files and unique.
fn file_name(reviewer: &str, taken: &[String]) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' };
    let mut stem: String = reviewer.chars().map(plain).take(80).collect();
    if RESERVED_NAMES.contains(&stem.as_str()) {
        stem = format!("reviewer-{stem}");
    }
    let numbered = |number: usize| match number {
        1 => format!("{stem}.json"),
        number => format!("{stem}-{number}.json"),
    };
    (1..).map(numbered).find(|name| !taken.contains(name)).unwrap_or_default()
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
