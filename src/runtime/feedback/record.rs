//! The record of a run: `run.json` tells which pull request is answered, which units were dispatched, and which replies
//! and resolutions were begun and done. `fetched.json` holds the comments.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::gates::GatePolicy;
use super::items::FetchedFeedback;
use super::missing;
use crate::runtime::answer::{CONTENDED, CallFailure};
use crate::runtime::environment::{Environment, Uptime};
use crate::runtime::git::Repository;
use crate::runtime::github::{ApiSession, PullRequest, RepositoryAddress};
use crate::runtime::run::record::{RunOrigin, RunRecord, WorkflowRun};
use crate::runtime::run::{self, METADATA, RECORD, RunDirectory, Workflow, parsed, text};
use crate::runtime::store::LockedStore;

/// The workflow in the store.
pub(super) static FEEDBACK: Workflow = Workflow {
    name: "feedback",
    begin: "feedback begin",
    clear: "or clear it with `feedback abandon --run DIR`",
    give_up: "begin again with `feedback begin --take-over`",
    other_key: "it was begun with another key (another home, or a sandbox) or changed since: to clear it, begin with `feedback begin --take-over`",
    redo: "fetch again",
};
/// The comments that were fetched last.
pub(super) const FETCHED: &str = "fetched.json";
/// How long a call waits for GitHub's limits by default, in seconds.
pub(super) const MAX_WAIT: u64 = 30;
/// How many rounds of repairs there are before the user decides.
pub(super) const ROUNDS: u32 = 2;

/// The record of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeedbackRecord {
    schema: String,
    /// The run's name.
    pub run_id: String,
    /// The pull request.
    pub pr: PullRequest,
    /// The comment that the user named, as the end of its address.
    pub comment: Option<String>,
    /// When clusters are formed.
    pub policy: GatePolicy,
    /// The working tree.
    pub tree: String,
    /// The branch; none for a detached HEAD.
    pub branch: Option<String>,
    /// The commit that it began at.
    pub head_sha: String,
    /// The current round, from 1.
    pub round: u32,
    /// What was dispatched.
    pub units: Vec<DispatchedUnit>,
    /// What became of each item, in the order of the replies.
    pub outcomes: Vec<FeedbackOutcome>,
    started_at: String,
    uptime: Option<Uptime>,
    pid: u32,
    state_root: String,
}

/// A unit of work that was dispatched.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DispatchedUnit {
    /// Its name, and that of its files.
    pub name: String,
    /// The round.
    pub round: u32,
    /// Whether it is a cluster.
    pub is_cluster: bool,
    /// Its items.
    pub items: Vec<String>,
}

/// What became of an item in one round.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedbackOutcome {
    /// The item.
    pub id: String,
    /// The round.
    pub round: u32,
    /// What its resolver decided.
    pub verdict: FeedbackVerdict,
    /// Why.
    pub reason: String,
    /// What the user has to know to decide, for `needs-human`.
    pub decision_context: Option<String>,
    /// The files that were changed for it.
    pub files_changed: Vec<String>,
    /// Whether the reply is posted.
    pub reply: CallState,
    /// The address of the reply.
    pub reply_url: Option<String>,
    /// Whether the thread is resolved.
    pub resolution: CallState,
}

/// What a resolver decided about an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FeedbackVerdict {
    /// It is fixed as the comment asks.
    Fixed,
    /// It is fixed in another way.
    FixedDifferently,
    /// A question is answered; nothing is changed.
    Replied,
    /// It is declined, with the reason.
    NotAddressing,
    /// The user has to decide: the thread stays open.
    NeedsHuman,
}

/// How far a call of GitHub got. It is recorded before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// Not begun.
    Open,
    /// Begun: it may have been made.
    Begun,
    /// Made.
    Done,
}

/// The folder of one run.
pub(super) type FeedbackRun = WorkflowRun<FeedbackRecord>;

impl FeedbackRecord {
    /// A record that starts now.
    pub(super) fn new(
        (pr, comment): (PullRequest, Option<String>),
        policy: GatePolicy,
        tree: &Repository,
    ) -> Result<Self, CallFailure> {
        let environment = tree.environment();
        Ok(Self {
            schema: "plugcast.feedback-run/1".to_owned(),
            run_id: String::new(),
            pr,
            comment,
            policy,
            tree: tree.top.display().to_string(),
            branch: tree.branch()?,
            head_sha: tree.must_commit("HEAD")?,
            round: 1,
            units: Vec::new(),
            outcomes: Vec::new(),
            started_at: environment.now().rfc3339(),
            uptime: environment.uptime(),
            pid: environment.process_id(),
            state_root: String::new(),
        })
    }

    /// The document that ends the run.
    pub(super) fn ended(&self, environment: &Environment, status: &str) -> String {
        text(&json!({
            "schema": "plugcast.feedback/1",
            "run_id": self.run_id,
            "pr": self.pr.url,
            "status": status,
            "completed_at": environment.now().rfc3339(),
        }))
    }

    /// What became of an item in the current round.
    pub(super) fn outcome(&self, id: &str) -> Option<&FeedbackOutcome> {
        self.outcomes.iter().find(|one| one.id == id && one.round == self.round)
    }
}

impl RunRecord for FeedbackRecord {
    fn workflow() -> &'static Workflow {
        &FEEDBACK
    }

    fn origin(&mut self) -> RunOrigin<'_> {
        let Self { run_id, state_root, tree, started_at, uptime, .. } = self;
        RunOrigin { run_id, state_root, tree, started_at, uptime }
    }

    fn abandoned(&self, environment: &Environment) -> String {
        self.ended(environment, "abandoned")
    }
}

impl FeedbackRun {
    /// Opens an unfinished run, after completing what a killed call left unfinished.
    pub(super) fn open_unfinished(environment: &Environment, given: &Path) -> Result<Self, CallFailure> {
        let mut run = Self::open(environment, given)?;
        if run.store.complete_pending()? {
            run = Self::open(environment, given)?;
        }
        run.must_be_open()?;
        Ok(run)
    }

    /// Opens an unfinished run from its own working tree, and returns both. Commits on top of the first one are fixes.
    pub(super) fn open_here(
        environment: &Environment,
        given: &Path,
    ) -> Result<(Self, Repository), CallFailure> {
        let run = Self::open_unfinished(environment, given)?;
        let repository = Repository::find(environment, &environment.folder)?;
        let (record, head) = (&run.record, repository.must_commit("HEAD")?);
        let is_on_top = || repository.ask(&["merge-base", "--is-ancestor", &record.head_sha, &head]);
        let commits = match head == record.head_sha || is_on_top()?.succeeded() {
            true => vec![record.head_sha.as_str(), &head],
            false => vec![record.head_sha.as_str()],
        };
        run::must_be_at(&repository, (&FEEDBACK, &record.run_id), &record.tree, &commits)?;
        Ok((run, repository))
    }

    /// Refuses a run that has ended.
    pub(super) fn must_be_open(&self) -> Result<(), CallFailure> {
        let Some(metadata) = parsed::<Value>(&self.store, &self.path.join(METADATA))? else { return Ok(()) };
        let at = metadata["completed_at"].as_str().unwrap_or_default();
        let message = format!("run `{}` ended at {at}", self.record.run_id);
        Err(CallFailure::new(CONTENDED, "finished", message, "start a new one with `feedback begin`"))
    }

    /// Ends it, and releases the working tree.
    pub(super) fn end(
        &self,
        environment: &Environment,
        status: &str,
        documents: Vec<(&str, String)>,
    ) -> Result<(), CallFailure> {
        let metadata = self.record.ended(environment, status);
        self.folder().end(&self.record.tree, metadata, documents, Vec::new(), &|| self.must_be_open())
    }

    /// What was fetched last.
    pub(super) fn fetched(&self) -> Result<FetchedFeedback, CallFailure> {
        let fetched = self.folder().sealed::<Value>(FETCHED)?;
        fetched.as_ref().and_then(FetchedFeedback::from_document).ok_or_else(|| {
            let message = format!("run `{}` has fetched nothing yet", self.record.run_id);
            missing("not_fetched", message, "call `feedback fetch --run DIR` first")
        })
    }

    /// Calls of GitHub for its pull request.
    pub(super) fn session<'a>(
        &self,
        repository: &'a Repository,
        max_wait: u64,
    ) -> Result<ApiSession<'a>, CallFailure> {
        let url = &self.record.pr.base_url;
        let at = RepositoryAddress::parse(url).ok_or_else(|| {
            let message = format!("`{url}` is not the address of a repository");
            CallFailure::environment("no_remote", message, "name the pull request by its address")
        })?;
        Ok(ApiSession { repository, at, max_wait })
    }

    /// Reads the record again, under the lock.
    pub(super) fn reread(&mut self) -> Result<(), CallFailure> {
        self.must_be_open()?;
        if let Some(record) = self.folder().sealed(RECORD)? {
            self.record = record;
        }
        Ok(())
    }

    /// Writes the record and other documents under the lock.
    pub(super) fn write(
        &self,
        held: &LockedStore<'_>,
        mut documents: Vec<(&str, String)>,
    ) -> Result<(), CallFailure> {
        documents.push((RECORD, text(&self.record)));
        let folder: RunDirectory<'_> = self.folder();
        held.commit(folder.seal()?.steps(&folder, documents)?)
    }
}
