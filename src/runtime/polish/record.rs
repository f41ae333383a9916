//! The start and the end of a polish, stored in its folder as `run.json` and `metadata.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::arguments::{PolishFlags, Response as Words};
use super::checklist::{CHECKLIST, ItemOutcome};
use super::gate::pass::GateRecord;
use super::history::BranchHistory;
use crate::printable::shell_word;
use crate::runtime::answer::{CONTENDED, CallFailure};
use crate::runtime::environment::{Environment, Uptime};
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::github::PullRequest;
use crate::runtime::launch::LaunchMode;
use crate::runtime::review::arguments::{ReviewTarget, TargetKind};
use crate::runtime::run::record::{RunOrigin, RunRecord, WorkflowRun};
use crate::runtime::run::{self, METADATA, Workflow, parsed, text};
use crate::runtime::store::StoreStep;

/// The workflow of polishes in the store.
pub(super) static POLISH: Workflow = Workflow {
    name: "polish",
    begin: "polish acquire --apply",
    clear: "or continue it with `polish acquire --apply --continue DIR`",
    give_up: "begin again with `polish acquire --apply --take-over`",
    other_key: "it was begun with another key (another home, or a sandbox) or changed since: to clear it, run `plugcast-run polish acquire --apply --take-over`",
    redo: "restore the file, or begin again",
};
const RECORD_SCHEMA: &str = "plugcast.polish-run/1";
/// The envelope of a finished run, for people.
pub(super) const SUMMARY: &str = "summary.md";
const METADATA_SCHEMA: &str = "plugcast.polish/1";

/// The start of a polish: `run.json`. Later commands take mode, target and tree from here.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::runtime) struct PolishRecord {
    /// The kind of document.
    pub schema: String,
    /// The run's name.
    pub run_id: String,
    /// Its mode.
    pub mode: LaunchMode,
    /// What the user allowed in advance.
    pub flags: PolishFlags,
    /// The plan that was given.
    pub plan: Option<String>,
    /// What is polished.
    pub target: ReviewTarget,
    /// The working tree.
    pub tree: String,
    /// The branch; none for a detached HEAD.
    pub branch: Option<String>,
    /// The commit that it began at.
    pub head_sha: String,
    /// The branch that it is to be merged into.
    pub base_branch: String,
    /// The local ref of that branch.
    pub base_ref: String,
    /// The merge base.
    pub base_sha: String,
    /// The pull request, if known.
    pub pr: Option<PullRequest>,
    /// Whether the branch has the code of that pull request, although only the branch was named.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tracks_request: bool,
    /// The branch of another repository that the branch follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<String>,
    /// The latest result of its gate; none before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateRecord>,
    /// Whether something was checked out for it, or merged since then.
    pub moved: bool,
    /// A merge of the base that was begun, and may not be recorded yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merging: Option<BegunMerge>,
    /// The commits since then, oldest first: merges of the base, fixes, and the user's own.
    pub commits: Vec<String>,
    /// Those of them that the user made.
    #[serde(default)]
    pub user_commits: BTreeSet<String>,
    /// The results of dispatched items, by number.
    #[serde(default)]
    pub outcomes: BTreeMap<u32, ItemOutcome>,
    /// The items with a seed, in the order of their numbers.
    #[serde(default)]
    pub seeds: Vec<u32>,
    /// Whether there is a seed for planning it again.
    #[serde(default)]
    pub replan: bool,
    /// When it began.
    pub started_at: String,
    /// The same by the monotonic clock.
    pub uptime: Option<Uptime>,
    /// The process that began it.
    pub pid: u32,
    /// The folder of all runs and records.
    pub state_root: String,
}

/// A merge of the base that git was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::runtime) struct BegunMerge {
    /// The commit of the branch.
    pub before: String,
    /// The commit of the base.
    pub base_sha: String,
}

/// The end of a polish: `metadata.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::runtime) struct PolishMetadata {
    /// The kind of document.
    pub schema: String,
    /// The run's name.
    pub run_id: String,
    /// The branch.
    pub branch: Option<String>,
    /// The commit that it began at.
    pub head_sha: String,
    /// Its mode.
    pub mode: LaunchMode,
    /// How it ended.
    pub status: PolishEnding,
    /// When it ended.
    pub completed_at: String,
}

/// How a polish ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::runtime) enum PolishEnding {
    /// All that was asked for was done.
    Complete,
    /// The user ended it.
    Cancelled,
    /// It was abandoned, or another run took its working tree.
    Abandoned,
}

impl PolishRecord {
    /// A record that starts now.
    pub fn new(words: &Words, environment: &Environment) -> Self {
        Self {
            schema: RECORD_SCHEMA.to_owned(),
            run_id: String::new(),
            mode: words.mode,
            flags: words.flags,
            plan: words.plan.clone(),
            target: words.target.clone(),
            tree: String::new(),
            branch: None,
            head_sha: String::new(),
            base_branch: String::new(),
            base_ref: String::new(),
            base_sha: String::new(),
            pr: None,
            tracks_request: false,
            follows: None,
            gate: None,
            moved: false,
            merging: None,
            commits: Vec::new(),
            user_commits: BTreeSet::new(),
            outcomes: BTreeMap::new(),
            seeds: Vec::new(),
            replan: false,
            started_at: environment.now().rfc3339(),
            uptime: environment.uptime(),
            pid: environment.process_id(),
            state_root: String::new(),
        }
    }

    /// Whether its code is that of a pull request: the pull request was named, its head is what the branch tracks, or
    /// this program created the branch for it. Every other branch is the user's own.
    pub fn is_of_request(&self) -> bool {
        let is_own = |pr: &PullRequest| self.branch.as_deref().is_some_and(|name| pr.is_own_branch(name));
        self.target.kind == TargetKind::Pr || self.tracks_request || self.pr.as_ref().is_some_and(is_own)
    }

    /// Whether its code is that of another repository.
    pub fn is_foreign(&self) -> bool {
        let is_foreign = self.pr.as_ref().is_some_and(|request| request.is_cross_repository);
        self.follows.is_some() || self.is_of_request() && is_foreign
    }

    /// The commits that the branch may be at, newest first.
    pub fn known_commits(&self) -> Vec<&str> {
        let own = self.commits.iter().rev().map(String::as_str);
        own.chain([self.head_sha.as_str()]).collect()
    }

    /// Whether it or a review made this commit.
    pub fn has_made_commit(&self, commit: &String) -> bool {
        self.commits.contains(commit) && !self.user_commits.contains(commit)
    }

    /// The commits made by it or a review.
    pub fn own_commits(self) -> impl Iterator<Item = String> {
        let users = self.user_commits;
        self.commits.into_iter().filter(move |commit| !users.contains(commit))
    }

    /// The metadata for its end.
    pub fn end_metadata(&self, environment: &Environment, status: PolishEnding) -> PolishMetadata {
        PolishMetadata {
            schema: METADATA_SCHEMA.to_owned(),
            run_id: self.run_id.clone(),
            branch: self.branch.clone(),
            head_sha: self.head_sha.clone(),
            mode: self.mode,
            status,
            completed_at: environment.now().rfc3339(),
        }
    }
}

/// The folder of one polish.
pub(in crate::runtime) type PolishRun = WorkflowRun<PolishRecord>;

impl RunRecord for PolishRecord {
    fn workflow() -> &'static Workflow {
        &POLISH
    }

    fn origin(&mut self) -> RunOrigin<'_> {
        let Self { run_id, state_root, tree, started_at, uptime, .. } = self;
        RunOrigin { run_id, state_root, tree, started_at, uptime }
    }

    fn abandoned(&self, environment: &Environment) -> String {
        text(&self.end_metadata(environment, PolishEnding::Abandoned))
    }
}

impl PolishRun {
    /// Opens a run, after completing what a killed call left unfinished.
    pub fn open_completed(environment: &Environment, given: &Path) -> Result<Self, CallFailure> {
        let mut run = Self::open(environment, given)?;
        if run.store.complete_pending()? {
            run = Self::open(environment, given)?;
        }
        // Without its working tree, nothing depends on a merge.
        if run.record.merging.is_some()
            && let Ok(tree) = Repository::find(environment, Path::new(&run.record.tree))
        {
            run.record_begun_merge(&tree)?;
        }
        Ok(run)
    }

    /// Records the merge of the base that was begun, if git has completed it, also after its call was killed.
    pub(super) fn record_begun_merge(&mut self, tree: &Repository) -> Result<(), CallFailure> {
        let Some(begun) = self.record.merging.clone() else { return Ok(()) };
        if tree.branch()? != self.record.branch {
            return Ok(());
        }
        let range = format!("{}..HEAD", begun.before);
        let added = tree.ask(&["rev-list", "--first-parent", "--parents", "--reverse", &range])?;
        let added = String::from_utf8_lossy(&added.stdout).into_owned();
        let mut first = added.lines().next().unwrap_or_default().split(' ');
        let commit = first.next().unwrap_or_default().to_owned();
        let is_merge = first.eq([&*begun.before, &*begun.base_sha]);
        let head = tree.must_commit("HEAD")?;
        if is_merge || head == begun.base_sha {
            self.record.commits.push(if is_merge { commit } else { head });
            (self.record.moved, self.record.merging) = (true, None);
            self.record.base_sha = begun.base_sha;
            self.store_record()?;
        }
        Ok(())
    }

    /// Opens an unfinished run from its own working tree, and returns both.
    pub fn open_here(environment: &Environment, given: &Path) -> Result<(Self, Repository), CallFailure> {
        let run = Self::open_completed(environment, given)?;
        run.must_be_open()?;
        run.must_have_begun()?;
        let repository = Repository::find(environment, &environment.folder)?;
        let record = &run.record;
        let is_here = repository.top.display().to_string() == record.tree;
        let history = if is_here { BranchHistory::from_checkout(record, &repository)? } else { None };
        let failure = match history {
            Some(BranchHistory::Known) => return Ok((run, repository)),
            Some(BranchHistory::Extended(added)) => run.commits_added(added.len()),
            Some(BranchHistory::Rewritten) => run.history_rewritten(),
            Some(BranchHistory::OtherBranch) => run.on_other_branch(&repository)?,
            None => {
                let commits = record.known_commits();
                run::must_be_at(&repository, (&POLISH, &record.run_id), &record.tree, &commits)?;
                return Ok((run, repository));
            }
        };
        Err(failure)
    }

    /// The failure if another branch is checked out, or the branch has another name now.
    ///
    /// # Errors
    /// When git fails.
    pub fn on_other_branch(&self, tree: &Repository) -> Result<CallFailure, CallFailure> {
        let PolishRecord { run_id, branch, .. } = &self.record;
        let way = match (branch, tree.branch()?) {
            (Some(branch), Some(now)) if tree.commit(&format!("refs/heads/{branch}"))?.is_none() => {
                let (from, to) = (shell_word(&now), shell_word(branch));
                format!("if `{now}` is its new name, name it back with `git branch -m {from} {to}`")
            }
            _ => "switch back to it, or finish a rebase in progress".to_owned(),
        };
        let branch = branch.as_ref().map_or("a detached HEAD".to_owned(), |branch| format!("`{branch}`"));
        let message = format!("run `{run_id}` is bound to {branch}, which is not checked out");
        let hint = format!("{way}, or {}", POLISH.give_up);
        Ok(CallFailure::new(CONTENDED, ErrorCode::RunMoved, message, hint))
    }

    /// For a message: whether there is a checklist.
    fn has_checklist(&self) -> bool {
        self.store.has_file(&self.path.join(CHECKLIST)).unwrap_or_default()
    }

    /// The failure if commits were added that the run does not know: the user may continue with them.
    fn commits_added(&self, count: usize) -> CallFailure {
        let count = if count == 1 { "1 commit was".to_owned() } else { format!("{count} commits were") };
        let what = if self.has_checklist() { ": its checklist still fits" } else { "" };
        let message = format!("{count} added since run `{}` last wrote{what}", self.record.run_id);
        CallFailure::new(CONTENDED, ErrorCode::CommitsAdded, message, self.continue_hint())
    }

    /// The failure if the last known commit is no longer part of the branch.
    fn history_rewritten(&self) -> CallFailure {
        let PolishRecord { run_id, branch, .. } = &self.record;
        let what = if self.has_checklist() { ": its checklist is kept, and measured again" } else { "" };
        let message = format!(
            "`{}` was rewritten since run `{run_id}` last wrote{what}",
            branch.as_deref().unwrap_or_default()
        );
        CallFailure::new(CONTENDED, ErrorCode::HistoryRewritten, message, self.continue_hint())
    }

    /// The hint for continuing with the user.
    fn continue_hint(&self) -> String {
        format!(
            "ask the user whether to continue, then call `polish acquire --apply --continue DIR`, where DIR is `{}`",
            self.path.display()
        )
    }

    /// Refuses a run that has ended.
    pub fn must_be_open(&self) -> Result<(), CallFailure> {
        let Some(metadata) = parsed::<PolishMetadata>(&self.store, &self.path.join(METADATA))? else {
            return Ok(());
        };
        let message = format!("run `{}` ended at {}", metadata.run_id, metadata.completed_at);
        let summary = self.path.join(SUMMARY);
        let hint = match self.store.has_file(&summary)? {
            true => format!("read `{}`, or start a new one with `polish acquire --apply`", summary.display()),
            false => "start a new one with `polish acquire --apply`".to_owned(),
        };
        Err(CallFailure::new(CONTENDED, ErrorCode::Finished, message, hint))
    }

    /// Refuses a run that was interrupted before its base was known.
    pub fn must_have_begun(&self) -> Result<(), CallFailure> {
        if !self.record.base_ref.is_empty() {
            return Ok(());
        }
        let message =
            format!("run `{}` was interrupted before it began, and has no base", self.record.run_id);
        Err(CallFailure::new(CONTENDED, ErrorCode::RunMoved, message, POLISH.give_up))
    }

    /// Ends it, and releases the working tree.
    pub fn end(
        &self,
        environment: &Environment,
        status: PolishEnding,
        steps: Vec<StoreStep>,
    ) -> Result<(), CallFailure> {
        let metadata = text(&self.record.end_metadata(environment, status));
        self.folder().end(&self.record.tree, metadata, Vec::new(), steps, &|| self.must_be_open())
    }
}
