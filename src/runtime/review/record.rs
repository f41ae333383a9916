//! How a review began, and how it ended: `run.json` and `metadata.json`.

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

/// How a review began: `run.json`. Later commands take mode, target and tree from here.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewRecord {
    /// The kind of document.
    pub schema: String,
    /// The run's name.
    pub run_id: String,
    /// How it runs.
    pub mode: ReviewMode,
    /// How it was called, beside the user's words.
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
    /// What it is compared with, where that is known.
    #[serde(default)]
    pub base: Option<ReviewBase>,
    /// The commit that it is compared with, where that is known.
    pub base_sha: Option<String>,
    /// The plan that the change follows.
    #[serde(default)]
    pub plan: Option<ReviewPlan>,
    /// A plan that was named and is not there.
    #[serde(default)]
    pub missing_plan: Option<String>,
    /// Whether nothing changed but files that git does not track, which were left out.
    #[serde(default)]
    pub only_untracked: bool,
    /// What was not looked at and should have been.
    #[serde(default)]
    pub unseen: Vec<String>,
    /// What a reader should know of how it began.
    #[serde(default)]
    pub notes: Vec<String>,
    /// When.
    pub started_at: String,
    /// The same by the clock that only runs forward.
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
    /// By `review begin`, so that replies lie in the run's folder.
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
    /// What told it.
    pub source: base::BaseSource,
}

/// How a review ended: `metadata.json`.
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
    /// What it came to; none for one that was given up.
    pub verdict: Option<ReviewVerdict>,
    /// When it ended.
    pub completed_at: String,
    /// How it ran.
    pub mode: ReviewMode,
    /// The commit that it was compared with, where that is known.
    pub base_sha: Option<String>,
    /// How it ended.
    pub status: ReviewEnding,
    /// When it began.
    pub started_at: String,
    /// Whether HEAD is another commit than at the beginning.
    pub head_moved: bool,
    /// Whether what was reviewed held changes that are not committed: the commit alone is not what the verdict is of.
    #[serde(default)]
    pub uncommitted: bool,
}

/// How a review ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewEnding {
    /// Through.
    Done,
    /// Without a usable return.
    Degraded,
    /// At once: nothing had changed.
    Empty,
    /// It was given up, or another review took its place.
    Abandoned,
}

impl ReviewRecord {
    /// A record of now.
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
    pub fn ended(
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
