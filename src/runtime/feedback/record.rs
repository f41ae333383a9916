//! The record of a run: `run.json` tells which pull request is answered, which units were dispatched, and which replies
//! and resolutions were begun and done. `fetched.json` holds the comments.

use std::path::Path;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::gates::GatePolicy;
use super::items::{FetchedFeedback, text};
use super::missing;
use super::outcome::{CallState, FeedbackOutcome};
use super::posting::await_begun;
use super::unit::DispatchedUnit;
use crate::runtime::answer::{CONTENDED, CallFailure};
use crate::runtime::command_line::OptionValue;
use crate::runtime::environment::{Environment, Uptime};
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::github::{ApiSession, PullRequest, RepositoryAddress};
use crate::runtime::run::record::{RunOrigin, RunRecord, WorkflowRun};
use crate::runtime::run::{self, METADATA, RECORD, RunDirectory, Workflow, parsed};
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
#[derive(Debug, Clone, Serialize)]
pub struct FeedbackRecord {
    schema: String,
    /// The run's name.
    pub run_id: String,
    /// The pull request.
    pub pr: FeedbackRequest,
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
    /// What the triage that was there at the last fetch takes into account.
    pub triage: Value,
    started_at: String,
    uptime: Option<Uptime>,
    pid: u32,
    state_root: String,
}

/// The pull request of a run.
#[derive(Debug, Clone, Serialize)]
pub struct FeedbackRequest {
    /// Its number.
    pub number: u64,
    /// Its address.
    pub url: String,
    /// The repository that it belongs to.
    pub base_url: String,
}

/// The folder of one run.
pub(super) type FeedbackRun = WorkflowRun<FeedbackRecord>;

impl FeedbackRecord {
    /// A record that starts now.
    pub(super) fn new(
        (pr, comment): (&PullRequest, Option<String>),
        policy: GatePolicy,
        tree: &Repository,
    ) -> Result<Self, CallFailure> {
        let environment = tree.environment();
        Ok(Self {
            schema: "plugcast.feedback-run/1".to_owned(),
            run_id: String::new(),
            pr: FeedbackRequest { number: pr.number, url: pr.url.clone(), base_url: pr.base_url.clone() },
            comment,
            policy,
            tree: tree.top.display().to_string(),
            branch: tree.branch()?,
            head_sha: tree.must_commit("HEAD")?,
            round: 1,
            units: Vec::new(),
            outcomes: Vec::new(),
            triage: Value::Null,
            started_at: environment.now().rfc3339(),
            uptime: environment.uptime(),
            pid: environment.process_id(),
            state_root: String::new(),
        })
    }

    /// The document that ends the run.
    pub(super) fn ended(&self, environment: &Environment, status: &str) -> String {
        run::text(&json!({
            "schema": "plugcast.feedback/1",
            "run_id": self.run_id,
            "pr": self.pr.url,
            "status": status,
            "completed_at": environment.now().rfc3339(),
        }))
    }

    /// Replaces what is not settled of an item, in whichever round it was begun, by what became of it.
    pub(super) fn settle(&mut self, outcome: FeedbackOutcome) {
        self.outcomes.retain(|one| one.id != outcome.id || one.reply == CallState::Done);
        self.outcomes.push(outcome);
    }

    /// The replies that were begun, and may be posted or not.
    pub(super) fn begun(&self) -> impl Iterator<Item = &FeedbackOutcome> {
        self.outcomes.iter().filter(|one| one.reply == CallState::Begun)
    }

    /// What became of the items of the current round.
    pub(super) fn current_outcomes(&self) -> impl Iterator<Item = &FeedbackOutcome> {
        self.outcomes.iter().filter(|one| one.round == self.round)
    }

    /// What became of an item in the current round.
    pub(super) fn outcome(&self, id: &str) -> Option<&FeedbackOutcome> {
        self.current_outcomes().find(|one| one.id == id)
    }
}

impl<'de> Deserialize<'de> for FeedbackRecord {
    /// Reads a record by hand: what a derive makes of these types is a fiftieth of the helper.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::from_document(&value).ok_or_else(|| D::Error::custom("a field of the record is missing"))
    }
}

pub(super) fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

pub(super) fn round(value: &Value) -> Option<u32> {
    value["round"].as_u64().and_then(|round| round.try_into().ok())
}

impl FeedbackRecord {
    fn from_document(value: &Value) -> Option<Self> {
        let pr = &value["pr"];
        let (units, outcomes) = (value["units"].as_array()?, value["outcomes"].as_array()?);
        Some(Self {
            schema: text(value, "schema")?,
            run_id: text(value, "run_id")?,
            pr: FeedbackRequest {
                number: pr["number"].as_u64()?,
                url: text(pr, "url")?,
                base_url: text(pr, "base_url")?,
            },
            comment: text(value, "comment"),
            policy: GatePolicy::parse(value["policy"].as_str()?).ok()?,
            tree: text(value, "tree")?,
            branch: text(value, "branch"),
            head_sha: text(value, "head_sha")?,
            round: round(value)?,
            units: units.iter().map(DispatchedUnit::from_document).collect::<Option<_>>()?,
            outcomes: outcomes.iter().map(FeedbackOutcome::from_document).collect::<Option<_>>()?,
            triage: value["triage"].clone(),
            started_at: text(value, "started_at")?,
            uptime: value["uptime"]["milliseconds"].as_u64().map(|milliseconds| Uptime {
                boot: text(&value["uptime"], "boot").unwrap_or_default(),
                milliseconds,
            }),
            pid: value["pid"].as_u64()?.try_into().ok()?,
            state_root: text(value, "state_root")?,
        })
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
        let (at, hint) = (&metadata["completed_at"], "start a new one with `feedback begin`");
        let message = format!("run `{}` ended at {}", self.record.run_id, at.as_str().unwrap_or_default());
        Err(CallFailure::new(CONTENDED, ErrorCode::Finished, message, hint))
    }

    /// Ends it, and releases the working tree. No reply that was begun can appear after the end.
    pub(super) fn end(
        &self,
        environment: &Environment,
        status: &str,
        documents: Vec<(&str, String)>,
    ) -> Result<(), CallFailure> {
        await_begun(Some(&self.record))?;
        let metadata = self.record.ended(environment, status);
        self.folder().end(&self.record.tree, metadata, documents, Vec::new(), &|| self.must_be_open())
    }

    /// What was fetched last.
    pub(super) fn fetched(&self) -> Result<FetchedFeedback, CallFailure> {
        let fetched = self.folder().sealed::<Value>(FETCHED)?;
        fetched.as_ref().and_then(FetchedFeedback::from_document).ok_or_else(|| {
            let message = format!("run `{}` has fetched nothing yet", self.record.run_id);
            missing(ErrorCode::NotFetched, message, "call `feedback fetch --run DIR` first")
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
            CallFailure::environment(ErrorCode::NoRemote, message, "name the pull request by its address")
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
        documents.push((RECORD, run::text(&self.record)));
        let folder: RunDirectory<'_> = self.folder();
        held.commit(folder.seal()?.steps(&folder, documents)?)
    }
}
