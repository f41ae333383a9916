//! The folder of one review: `runs/review/<run>/` in the store. Its record says how it began; `metadata.json`
//! is written last, so that a folder without it is unfinished.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Mode;
use super::merge::{Answer, Merged, picked};
use super::verdict::Verdict;
use crate::disk;
use crate::runtime::answer::{CONTENDED, Failure, MALFORMED, USAGE};
use crate::runtime::document;
use crate::runtime::store::{Held, Store};
use crate::runtime::surroundings::Surroundings;

/// The name of the workflow in the store.
pub const WORKFLOW: &str = "review";
const RECORD_SCHEMA: &str = "plugcast.review-run/1";
const METADATA_SCHEMA: &str = "plugcast.review/1";
const QUEUE_SCHEMA: &str = "plugcast.review-queue/1";
/// The schema of `findings.json`.
pub const FINDINGS_SCHEMA: &str = "plugcast.review-findings/1";
/// Names that a reviewer's file cannot have.
const OWN: [&str; 8] = ["run", "findings", "applied", "residual", "advisory", "metadata", "scope", "report"];

/// How a review began: `run.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The kind of document.
    pub schema: String,
    /// The run's name.
    pub run_id: String,
    /// How it runs.
    pub mode: Mode,
    /// The branch; none for a detached HEAD.
    pub branch: Option<String>,
    /// The commit.
    pub head_sha: String,
    /// The commit that it is compared with, where that is known.
    pub base_sha: Option<String>,
    /// When.
    pub started_at: String,
    /// The working tree.
    pub worktree: String,
}

/// How a review ended: `metadata.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    /// The kind of document.
    pub schema: String,
    /// The run's name.
    pub run_id: String,
    /// The branch when it began; none for a detached HEAD.
    pub branch: Option<String>,
    /// The commit when it began.
    pub head_sha: String,
    /// What it came to; none for one that was given up.
    pub verdict: Option<Verdict>,
    /// When it ended.
    pub completed_at: String,
    /// How it ran.
    pub mode: Mode,
    /// The commit that it was compared with, where that is known.
    pub base_sha: Option<String>,
    /// How it ended.
    pub status: Ending,
    /// When it began.
    pub started_at: String,
    /// Whether HEAD is another commit than at the beginning.
    pub head_moved: bool,
}

/// How a review ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Through.
    Done,
    /// Without a usable return.
    Degraded,
    /// It was given up, or another review took its place.
    Abandoned,
}

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

impl Record {
    /// A record of now.
    pub fn new(run_id: String, mode: Mode, surroundings: &Surroundings) -> Self {
        Self {
            schema: RECORD_SCHEMA.to_owned(),
            run_id,
            mode,
            branch: None,
            head_sha: String::new(),
            base_sha: None,
            started_at: surroundings.now().rfc3339(),
            worktree: String::new(),
        }
    }

    /// How it ended.
    pub fn ended(
        &self,
        surroundings: &Surroundings,
        status: Ending,
        verdict: Option<Verdict>,
        head_moved: bool,
    ) -> Metadata {
        Metadata {
            schema: METADATA_SCHEMA.to_owned(),
            run_id: self.run_id.clone(),
            branch: self.branch.clone(),
            head_sha: self.head_sha.clone(),
            verdict,
            completed_at: surroundings.now().rfc3339(),
            mode: self.mode,
            base_sha: self.base_sha.clone(),
            status,
            started_at: self.started_at.clone(),
            head_moved,
        }
    }
}

impl RunFolder {
    /// Opens a folder that `review start` made.
    ///
    /// # Errors
    /// `no_folder`; `not_a_run` for a folder that lies elsewhere; `no_run` and `malformed_json` for its record.
    pub fn open(surroundings: &Surroundings, given: &Path) -> Result<Self, Failure> {
        let path = disk::canonical(&surroundings.path(given)).map_err(|_| {
            let message = format!("`{}` is no folder", given.display());
            Failure::environment("no_folder", message, "name the `run_dir` of `review start`")
        })?;
        let mut above = path.ancestors().skip(1);
        let named = |folder: Option<&Path>, name: &str| {
            folder.is_some_and(|folder| folder.file_name().is_some_and(|own| own == name))
        };
        let placed = named(above.next(), WORKFLOW) && named(above.next(), "runs");
        let Some(root) = above.next().filter(|_| placed) else {
            let message = format!("`{}` is no folder of a review", given.display());
            return Err(Failure::new(USAGE, "not_a_run", message, "name the `run_dir` of `review start`"));
        };
        let store = Store::at(root.to_owned(), surroundings);
        let record: Record = parsed(&path.join("run.json"))?.ok_or_else(|| {
            let message = format!("`{}` has no record", given.display());
            Failure::new(MALFORMED, "no_run", message, "start a new one with `review start`")
        })?;
        Ok(Self { path, record, store })
    }

    /// Whether it is unfinished still.
    ///
    /// # Errors
    /// `finished` with how it ended.
    pub fn must_be_open(&self) -> Result<(), Failure> {
        match parsed::<Metadata>(&self.path.join("metadata.json"))? {
            None => Ok(()),
            Some(metadata) => {
                let how = match metadata.status {
                    Ending::Abandoned => "given up",
                    Ending::Done | Ending::Degraded => "finished",
                };
                let message = format!("run `{}` was {how} at {}", metadata.run_id, metadata.completed_at);
                Err(Failure::new(CONTENDED, "finished", message, "start a new one with `review start`"))
            }
        }
    }

    /// Stores what was merged, `findings.json` last.
    ///
    /// # Errors
    /// `finished`, `locked`, `state_unwritable`, `sandboxed`.
    pub fn store(&self, merged: &Answer, returns: &[(String, Value)]) -> Result<(), Failure> {
        let held = self.store.lock()?;
        self.must_be_open()?;
        let mut names: Vec<String> = Vec::new();
        for (reviewer, value) in returns {
            let name = file_name(reviewer, &names);
            self.write(&held, &name, value)?;
            names.push(name);
        }
        let of = |ids: &[String]| {
            let findings: Vec<&Merged> = picked(&merged.findings, ids).collect();
            serde_json::json!({ "schema": QUEUE_SCHEMA, "findings": findings })
        };
        self.write(&held, "residual.json", &of(&merged.queues.residual))?;
        self.write(&held, "advisory.json", &of(&merged.queues.report))?;
        self.write(&held, "findings.json", &Document { schema: FINDINGS_SCHEMA, merged })
    }

    fn write(&self, held: &Held<'_>, name: &str, value: &impl Serialize) -> Result<(), Failure> {
        held.replace(&self.path.join(name), text(value).as_bytes())
    }

    /// A path of this folder, relative to the store's.
    pub fn relative(&self, name: &str) -> PathBuf {
        Path::new("runs").join(WORKFLOW).join(self.path.file_name().unwrap_or_default()).join(name)
    }
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

/// A document as it is stored.
pub fn text(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

/// Reads one of our own documents; `None` when it is not there.
///
/// # Errors
/// `malformed_json` with the place.
pub fn parsed<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<Option<T>, Failure> {
    let Some(text) = document::text(path)? else { return Ok(None) };
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
