//! `polish acquire`: the first step of a polish, in one call. Reads the user's words and finds the working tree of the
//! target; with `--apply` claims it, checks out what is not checked out yet, and records all of it.

mod plan;
mod worktree;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::arguments::{self, PolishFlags, Response as Words};
use super::earlier_runs::{self, EarlierRun};
use super::record::{PolishEnding, PolishRecord, PolishRun};
use super::{continuation, in_mode, resolve_base};
use crate::printable::line;
use crate::process::interrupt;
use crate::runtime::answer::{CONTENDED, CallFailure, Delivery, ShownText};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::github::PullRequest;
use crate::runtime::launch::LaunchMode;
use crate::runtime::repo::base::{self, BaseRequest, FetchError, is_head_of_fork, is_home};
use crate::runtime::review::arguments::ReviewTarget;
use crate::runtime::review::scope::plan as review_plan;
use crate::runtime::review::target::{self, OwnBranches, PendingCheckout};
use plan::{AcquirePlan, must_be_inside, on_base, plan};
use worktree::{add_worktree, remove_worktree, worktree_path};

options! {
    /// Find the working tree to polish, and begin a run there
    ///
    /// Words are those of `polish args`. Without `--apply` nothing changes, and the answer says what would be
    /// done. If no working tree has the target checked out, `--apply` switches this one, and
    /// `--apply --worktree PATH` adds one. With `--continue` the user continues an unfinished polish, even a
    /// headless one: it claims its working tree again and is interactive from then on. The tree must be where
    /// the polish left it, or have only added commits.
    ///
    /// Exit codes: 0 answered; 2 wrong arguments; 3 a pull request that is not open, the base itself, no
    /// branch, changes that are not committed, a working tree that may not be switched, or state that this machine's
    /// helper did not write; 4 a malformed document of the helper; 5 no repository, no such branch or plan, no base,
    /// or git or GitHub failed; 6 another polish has this working tree, or the checkout is not what was asked for,
    /// or not what the polish to continue left; 7 git or GitHub took too long.
    pub struct Options {
        /// Read the words on standard input
        stdin: bool = "--stdin" { conflicts: &["[TEXT]..."] },
        /// The words
        text: Vec<String> = "[TEXT]...",
        /// Make the changes, and begin a run
        apply: bool = "--apply",
        /// Add a working tree there instead of switching this one
        worktree: Option<PathBuf> = "--worktree <PATH>" { requires: "--apply" },
        /// Continue the polish in this folder, with the user
        pub(super) r#continue: Option<PathBuf> = "--continue <DIR>" {
            requires: "--apply",
            conflicts: &["[TEXT]...", "--stdin", "--worktree"],
        },
        /// End the polish that has the working tree
        pub(super) take_over: bool = "--take-over" { requires: "--apply" },
    }
    examples: ["plugcast-run polish acquire --stdin < arguments", "plugcast-run polish acquire 42 --apply --worktree ../polish-42", "plugcast-run polish acquire --apply --continue DIR"]
}

/// The answer of `polish acquire`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether it was done.
    pub status: AcquireStatus,
    /// The folder of the run, absolute: the value of `--run` in later calls. None without `--apply`.
    pub run: Option<String>,
    /// The run's name.
    pub run_id: Option<String>,
    /// The mode of the polish.
    pub mode: LaunchMode,
    /// What the user allowed in advance.
    pub flags: PolishFlags,
    /// The plan that was given.
    pub plan: Option<String>,
    /// What is polished.
    pub target: ReviewTarget,
    /// How the target gets into a working tree.
    pub action: AcquireAction,
    /// The ways to do it: ask the user which.
    pub choices: Vec<AcquireChoice>,
    /// The working tree to work in, absolute: go there when it is another one.
    pub tree: String,
    /// The branch; none for a detached HEAD.
    pub branch: Option<String>,
    /// The commit; none until a pull request is fetched.
    pub head_sha: Option<String>,
    /// The branch that it is to be merged into, if known.
    pub base_branch: Option<String>,
    /// The local ref of that branch, once it is fetched.
    pub base_ref: Option<String>,
    /// Whether the base was fetched just now.
    pub fetched: bool,
    /// Why it was not, if a fetch was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fetch_error: Option<FetchError>,
    /// The pull request, if known.
    pub pr: Option<PullRequest>,
    /// Earlier polishes of the same target, latest first.
    pub earlier_runs: Vec<EarlierRun>,
    /// The run that was ended for this one.
    pub abandoned: Option<String>,
    /// Whether it has a checklist: one that is continued without a checklist begins with the gate.
    pub checklist: bool,
    /// What a reader should know.
    #[serde(serialize_with = "ShownText::shown")]
    pub notes: Vec<String>,
}

/// Whether it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AcquireStatus {
    /// Nothing was changed.
    Planned,
    /// The target is checked out, and a run was started.
    Acquired,
}

/// How the target gets into a working tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AcquireAction {
    /// Nothing: it is checked out here.
    None,
    /// Nothing: it is checked out in another working tree.
    Attach,
    /// The head of the pull request is fetched and checked out.
    CheckoutPr,
    /// The branch is checked out.
    CheckoutBranch,
}

/// A way to check something out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AcquireChoice {
    /// The working tree in `tree` switches: `--apply`.
    Switch,
    /// Another one is added: `--apply --worktree PATH`.
    WorktreeAdd,
}

/// Runs the command.
///
/// # Errors
/// `pr_not_open`, `on_base`, `detached`, `dirty`, `shared_checkout`, `bad_ref`, `no_plan`, `state_violation`, `taken`; with
/// `--continue` the errors of opening a run.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    if let Some(run) = &options.r#continue {
        return continuation::run(run, options.take_over, environment);
    }
    let root = environment.root();
    let words = arguments::read(options.stdin, &options.text, environment)?;
    let mode = words.mode;
    acquire(options, words, environment, root).map_err(|failure| in_mode(mode, failure))
}

fn acquire(
    options: &Options,
    words: Words,
    environment: &Environment,
    root: Option<&Path>,
) -> Result<Delivery, CallFailure> {
    let repository = Repository::find(environment, &environment.folder)?;
    let mut plan = plan(&repository, &words, options.worktree.is_some(), root)?;
    must_be_inside(&repository, &plan, words.plan.as_deref())?;
    if plan.location.checkout == PendingCheckout::None {
        must_have_plan(&plan.location.repository, words.plan.as_deref())?;
    }
    let mut response = planned_response(&repository, &words, &plan, root)?;
    if !options.apply
        && plan.location.request.is_none()
        && let Some(branch) = &plan.branch
        && let Some(base) = base::base_on_github(&plan.location.repository, branch)?
    {
        if *branch == base {
            return Err(on_base(&base));
        }
        response.base_branch = Some(base);
    }
    if options.apply {
        let (run, abandoned) = apply(options, &words, &mut plan, root)?;
        response.add_run(run, abandoned);
    }
    match plan.fetched {
        Ok(fetched) => response.fetched = fetched,
        Err(error) => response.fetch_error = Some(error),
    }
    response.notes = plan.location.notes;
    let delivery = Delivery::from_answer(&response);
    // The next polish would be refused for a run that nobody was told of.
    Ok(match &response.run {
        Some(run) => delivery.undone_by(&["polish", "cancel", "--run", run]),
        None => delivery,
    })
}

/// What was planned, with the earlier runs of the same target.
fn planned_response(
    repository: &Repository,
    words: &Words,
    plan: &AcquirePlan,
    root: Option<&Path>,
) -> Result<Response, CallFailure> {
    let number = plan.location.request.as_ref().map(|request| request.number);
    let earlier_runs =
        earlier_runs::find(repository, root, (plan.branch.as_deref(), number), plan.head.as_deref())?;
    // No other working tree gets a branch that is checked out.
    let is_movable = plan.location.repository.top == repository.top && plan.branch != repository.branch()?;
    let choices = match plan.action {
        AcquireAction::None | AcquireAction::Attach => Vec::new(),
        AcquireAction::CheckoutPr | AcquireAction::CheckoutBranch if is_movable => {
            vec![AcquireChoice::Switch, AcquireChoice::WorktreeAdd]
        }
        AcquireAction::CheckoutPr | AcquireAction::CheckoutBranch => vec![AcquireChoice::Switch],
    };
    Ok(Response {
        status: AcquireStatus::Planned,
        run: None,
        run_id: None,
        mode: words.mode,
        flags: words.flags,
        plan: words.plan.clone(),
        target: words.target.clone(),
        action: plan.action,
        choices,
        tree: plan.location.repository.top.display().to_string(),
        branch: plan.branch.clone(),
        head_sha: plan.head.clone(),
        base_branch: plan.base_branch.clone(),
        base_ref: None,
        fetched: false,
        fetch_error: None,
        pr: plan.location.request.clone(),
        earlier_runs,
        abandoned: None,
        checklist: false,
        notes: Vec::new(),
    })
}

impl Response {
    /// Adds the run that was begun.
    fn add_run(&mut self, run: PolishRun, abandoned: Option<String>) {
        let PolishRun { path, record, .. } = run;
        self.status = AcquireStatus::Acquired;
        self.run = Some(path.display().to_string());
        (self.run_id, self.abandoned) = (Some(record.run_id), abandoned);
        (self.tree, self.branch, self.head_sha) = (record.tree, record.branch, Some(record.head_sha));
        (self.base_branch, self.base_ref) = (Some(record.base_branch), Some(record.base_ref));
        (self.pr, self.choices) = (record.pr, Vec::new());
    }
}

/// Refuses a plan that was named and is not a file of the tree that is polished.
fn must_have_plan(tree: &Repository, named: Option<&str>) -> Result<(), CallFailure> {
    let mut notes = Vec::new();
    if named.is_some() {
        review_plan::find(tree, named, None, (None, &[]), &mut notes);
    }
    match notes.pop() {
        Some(why) => {
            let hint = "correct the path in `plan:PATH`, or leave it out";
            Err(CallFailure::environment(ErrorCode::NoPlan, line(&why), hint))
        }
        None => Ok(()),
    }
}

/// Does what was planned, and begins a run.
fn apply(
    options: &Options,
    words: &Words,
    plan: &mut AcquirePlan,
    root: Option<&Path>,
) -> Result<(PolishRun, Option<String>), CallFailure> {
    let before = plan.location.repository.clone();
    let added = match &options.worktree {
        Some(path) if plan.location.checkout != PendingCheckout::None => {
            let path = worktree_path(&before, path)?;
            add_worktree(&before, &path)?;
            Some(path.display().to_string())
        }
        _ => None,
    };
    let begun = match &added {
        Some(path) => Repository::find(before.environment(), Path::new(path)).and_then(|tree| {
            plan.location.repository = tree;
            begin(options, words, plan, root)
        }),
        None => begin(options, words, plan, root),
    };
    if let (Err(_), Some(path)) = (&begun, &added) {
        remove_worktree(&before, path);
    }
    begun
}

fn begin(
    options: &Options,
    words: &Words,
    plan: &mut AcquirePlan,
    root: Option<&Path>,
) -> Result<(PolishRun, Option<String>), CallFailure> {
    let tree = plan.location.repository.clone();
    let mut record = PolishRecord::new(words, tree.environment());
    record.tree = tree.top.display().to_string();
    record.branch = tree.branch()?;
    record.head_sha = tree.must_commit("HEAD")?;
    record.moved = plan.location.checkout != PendingCheckout::None;
    let (from, commit) = (record.branch.clone(), record.head_sha.clone());
    let (mut run, abandoned) = PolishRun::claim(&tree, root, record, options.take_over)?;
    let taken = check_out(plan, &mut run);
    // Nobody learns of a run that was interrupted while it started.
    let taken = if interrupt::pending() { Err(CallFailure::interrupted()) } else { taken };
    if taken.is_err() {
        interrupt::set_aside(|| {
            target::restore_checkout(&tree, from.as_deref(), &commit);
            // The tree is released; the original failure is the one to report.
            if run.end(tree.environment(), PolishEnding::Abandoned, Vec::new()).is_err() {
                run.folder().release_tree(&run.record.tree);
            }
        });
    }
    taken.map(|()| (run, abandoned))
}

/// Checks the target out, verifies the result, and records it with the base.
fn check_out(plan: &mut AcquirePlan, run: &mut PolishRun) -> Result<(), CallFailure> {
    plan.location.check_out(&OwnBranches(Some(&run.store)))?;
    run.store.ask_what_is_tracked()?;
    let tree = &plan.location.repository;
    let (branch, head) = (tree.branch()?, tree.commit("HEAD")?);
    if branch != plan.branch || head != plan.head {
        let shown = |branch: &Option<String>, head: &Option<String>| {
            let branch = branch.as_deref().map_or("no branch".to_owned(), |branch| format!("`{branch}`"));
            format!("{branch} at {}", head.as_deref().unwrap_or("no commit"))
        };
        let message = format!(
            "expected {} to be checked out, found {}",
            shown(&plan.branch, &plan.head),
            shown(&branch, &head)
        );
        return Err(CallFailure::new(
            CONTENDED,
            ErrorCode::StateViolation,
            message,
            "look at the tree, then run it again",
        ));
    }
    must_have_plan(tree, run.record.plan.as_deref())?;
    let request = BaseRequest { known: plan.location.request.as_ref(), ..BaseRequest::default() };
    let base = resolve_base(tree, request)?;
    if branch.as_ref() == Some(&base.base_branch) {
        return Err(on_base(&base.base_branch));
    }
    plan.location.notes.extend(base.warnings);
    plan.fetched = base.fetch_error.map_or(Ok(base.fetched), Err);
    let record = &mut run.record;
    (record.branch, record.head_sha) = (branch, head.unwrap_or_default());
    (record.base_branch, record.base_ref, record.base_sha) =
        (base.base_branch, base.base_ref, base.merge_base);
    record.pr = plan.location.request.clone().or(base.pull_request);
    if let Some(request) = &mut record.pr {
        // The code of another repository is as foreign as that of a fork.
        request.is_cross_repository |= !is_home(tree, &request.base_url)?;
        record.tracks_request = match plan.source.tracks_request {
            Some(tracks) => tracks,
            None => is_head_of_fork(tree, request, &record.head_sha)?,
        };
    }
    // What GitHub has in the repository itself is not foreign, wherever a branch follows it.
    let is_in_repository =
        |request: &PullRequest| !request.is_cross_repository && request.head_sha == record.head_sha;
    let is_foreign = !record.pr.as_ref().is_some_and(is_in_repository);
    record.follows = plan.source.foreign.take().filter(|_| is_foreign);
    run.store_record()
}
