//! The start and the end of a review: `run.json` and `metadata.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ReviewMode;
use super::arguments::ReviewTarget;
use super::scope::ReviewPlan;
use super::verdict::ReviewVerdict;
use crate::runtime::environment::{Environment, Uptime};
use crate::runtime::repo::base;

const RECORD_SCHEMA: &str = "plugcast.review-run/1";
const METADATA_SCHEMA: &str = "plugcast.review/1";

/// The start of a review: `run.json`. Later commands take mode, target and tree from here.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewRecord {
    /// The kind of document.
    pub schema: String,
    /// The run's name.
    pub run_id: String,
    /// Its mode.
    pub mode: ReviewMode,
    /// How it was called, besides the user's words.
    #[serde(default)]
    pub flags: ReviewFlags,
    /// What reviewers are told to look at first.
    #[serde(default)]
    pub focus: Option<String>,
    /// What is reviewed.
    #[serde(default)]
    pub target: ReviewTarget,
    /// The working tree.
    pub tree: String,
    /// The branch; none for a detached HEAD.
    pub branch: Option<String>,
    /// The commit.
    pub head_sha: String,
    /// What it is compared with, if known.
    #[serde(default)]
    pub base: Option<ReviewBase>,
    /// The commit that it is compared with, if known.
    pub base_sha: Option<String>,
    /// The plan that the change follows.
    #[serde(default)]
    pub plan: Option<ReviewPlan>,
    /// A plan that was named but does not exist.
    #[serde(default)]
    pub missing_plan: Option<String>,
    /// Whether nothing changed except untracked files, which were excluded.
    #[serde(default)]
    pub only_untracked: bool,
    /// What should have been reviewed but was not.
    #[serde(default)]
    pub unseen: Vec<String>,
    /// What a reader should know about its start.
    #[serde(default)]
    pub notes: Vec<String>,
    /// When it began.
    pub started_at: String,
    /// The same by the monotonic clock.
    #[serde(default)]
    pub uptime: Option<Uptime>,
    /// The process that began it.
    #[serde(default)]
    pub pid: u32,
    /// The folder of all runs and records.
    #[serde(default)]
    pub state_root: String,
}

/// How `review begin` was called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewFlags {
    /// Whether `review begin` started it, so that replies are in the run's folder.
    pub begun: bool,
    /// `--take-over`.
    pub take_over: bool,
    /// `--include-untracked`.
    pub include_untracked: bool,
}

/// What a review compares with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewBase {
    /// The ref.
    #[serde(rename = "ref")]
    pub name: String,
    /// The commit.
    pub sha: String,
    /// How it was determined.
    pub source: base::BaseSource,
}

/// The end of a review: `metadata.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewMetadata {
    /// The kind of document.
    pub schema: String,
    /// The run's name.
    pub run_id: String,
    /// The branch when it began; none for a detached HEAD.
    pub branch: Option<String>,
    /// The commit when it began.
    pub head_sha: String,
    /// The verdict; none if it was abandoned.
    pub verdict: Option<ReviewVerdict>,
    /// When it ended.
    pub completed_at: String,
    /// Its mode.
    pub mode: ReviewMode,
    /// The commit that it was compared with, if known.
    pub base_sha: Option<String>,
    /// How it ended.
    pub status: ReviewEnding,
    /// When it began.
    pub started_at: String,
    /// Whether HEAD has moved since the beginning.
    pub head_moved: bool,
    /// Whether uncommitted changes were reviewed, so that the verdict is not for the commit alone.
    #[serde(default)]
    pub uncommitted: bool,
}

/// How a review ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewEnding {
    /// Completed.
    Done,
    /// Without a usable return.
    Degraded,
    /// Immediately: nothing had changed.
    Empty,
    /// It was abandoned, or another review took its working tree.
    Abandoned,
}

impl ReviewRecord {
    /// A record that starts now.
    pub fn new(run_id: String, mode: ReviewMode, environment: &Environment) -> Self {
        Self {
            schema: RECORD_SCHEMA.to_owned(),
            run_id,
            mode,
            flags: ReviewFlags::default(),
            focus: None,
            target: ReviewTarget::default(),
            tree: String::new(),
            branch: None,
            head_sha: String::new(),
            base: None,
            base_sha: None,
            plan: None,
            missing_plan: None,
            only_untracked: false,
            unseen: Vec::new(),
            notes: Vec::new(),
            started_at: environment.now().rfc3339(),
            uptime: environment.uptime(),
            pid: environment.process_id(),
            state_root: String::new(),
        }
    }

    /// How it ended.
    pub fn end_metadata(
        &self,
        environment: &Environment,
        status: ReviewEnding,
        verdict: Option<ReviewVerdict>,
        head_moved: bool,
    ) -> ReviewMetadata {
        ReviewMetadata {
            schema: METADATA_SCHEMA.to_owned(),
            run_id: self.run_id.clone(),
            branch: self.branch.clone(),
            head_sha: self.head_sha.clone(),
            verdict,
            completed_at: environment.now().rfc3339(),
            mode: self.mode,
            base_sha: self.base_sha.clone(),
            status,
            started_at: self.started_at.clone(),
            head_moved,
            uncommitted: false,
        }
    }
}
