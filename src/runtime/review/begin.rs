//! `review begin`: the first step of a review, in one call. Reads the user's words, finds the target, claims the
//! working tree, checks out where the mode allows, resolves the base, takes the diff, and records all of it.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::arguments::{self, ReviewTarget, TargetKind};
use super::finish::TODOS;
use super::reviewers::{self, ChangeProfile, ProposedReviewer};
use super::run_folder::{REPLIES, ReviewEnding, ReviewFlags, ReviewRecord, RunFolder};
use super::scope::{self, ReviewScope, ScopeRequest};
use super::target::{self, OwnBranches, TargetLocation};
use super::ticket::ReviewTicket;
use super::{ReviewMode, in_mode};
use crate::disk;
use crate::process::interrupt;
use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;

options! {
    /// Begin a review
    ///
    /// Standard input contains what the user wrote, unchanged: tokens `mode:autofix`, `mode:report-only`,
    /// `mode:headless`, `base:REF` and `plan:PATH`; a pull request or an existing branch; all other words are
    /// the focus. The answer contains what every later step needs. `report-only` writes nothing, and its `run`
    /// is null.
    ///
    /// Exit codes: 0 begun, `empty` included; 2 wrong arguments; 3 nothing to review, a tree that is not clean,
    /// a working tree that may not be switched, or state that this machine's helper did not write; 4 a malformed document
    /// of the helper; 5 no repository, no base, or git or GitHub failed; 6 another review has this working
    /// tree; 7 git or GitHub took too long. Print `error.message` unchanged.
    pub struct Options {
        /// Read the user's words on standard input
        stdin: bool = "--stdin" { required: true },
        /// End the review that has this working tree
        take_over: bool = "--take-over",
        /// Include new files that git does not track in the diff; not in `report-only`, which writes nothing
        include_untracked: bool = "--include-untracked",
    }
    examples: ["plugcast-run review begin --stdin < words"]
}

/// The answer of `review begin`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether there is a run.
    pub status: BeginStatus,
    /// The folder of the run, absolute: the value of `--run` in later calls. None if nothing is written.
    pub run: Option<String>,
    /// The run's name.
    pub run_id: Option<String>,
    /// The value that every agent must return as `run`, so that replies of other reviews do not count.
    pub review_id: Option<String>,
    /// The mode of the review.
    pub mode: ReviewMode,
    /// What every reviewer is told to look at first.
    pub focus: Option<String>,
    /// What is reviewed.
    pub target: ReviewTarget,
    /// The working tree to work in, absolute: go there when it is another one.
    pub tree: String,
    /// What the review covers.
    #[serde(flatten)]
    pub scope: ReviewScope,
    /// All reviewers, and which are suggested for this change.
    pub reviewers: Vec<ProposedReviewer>,
    /// The run that was ended for this one.
    pub abandoned: Option<String>,
    /// Without a run: the value to pass to `review merge`, which checks whether anything changed in between.
    pub ticket: Option<String>,
    /// With `untraced`: the MARK in the lines `=== reply NAME MARK ===` and `=== context MARK ===`.
    pub mark: Option<String>,
}

/// Whether there is a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BeginStatus {
    /// There is a run.
    Started,
    /// There is no run: the review leaves no trace.
    Untraced,
    /// Nothing changed: there is nothing to review, and no run is open.
    Empty,
}

/// Runs the command.
///
/// # Errors
/// Those of `review args` and `review scope`; `taken`, `locked`, `state_unwritable`, `sandboxed`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let root = environment.root();
    let text = arguments::input(environment)?;
    let repository = Repository::find(environment, &environment.folder);
    let is_branch = |word: &str| match &repository {
        Ok(repository) => target::is_branch(repository, word),
        Err(_) => Ok(false),
    };
    let words = arguments::parse(&text, Some(&is_branch))?;
    let mode = words.mode;
    if options.include_untracked && mode == ReviewMode::ReportOnly {
        let message = "`report-only` writes nothing, so it cannot show files that git does not track";
        let hint = "leave `--include-untracked` out, add them with `git add -N`, or start in another mode";
        return Err(CallFailure::usage(message).with_hint(hint));
    }
    let begun = repository.and_then(|repository| {
        let note = missing_branch(&repository, &words)?;
        let mut location = target::locate(&repository, &words.target)?;
        location.may_move(mode)?;
        location.notes.extend(note);
        location.notes.extend(words.notes.iter().cloned());
        match mode {
            ReviewMode::ReportOnly => review_untraced(words, location, options),
            _ => start(words, location, &repository, options, root),
        }
    });
    let deliver = |response: Response| {
        let deliver = Delivery::from_answer(&response);
        match &response.run {
            // A run that nobody learns of would only block the tree.
            Some(run) => deliver.undone_by(&["review", "abandon", "--run", run]),
            None => deliver,
        }
    };
    begun.map(deliver).map_err(|failure| in_mode(mode, failure))
}

/// A single word that is not a branch may not be a focus either: it may name a missing branch or another kind of ref. A
/// possibly mistyped branch is noted.
fn missing_branch(
    repository: &Repository,
    words: &arguments::Response,
) -> Result<Option<String>, CallFailure> {
    let focus = words.focus.as_deref();
    let named = |focus| str::strip_prefix(focus, "branch ").unwrap_or(focus);
    let lone = focus.map(named).filter(|focus| !focus.contains(char::is_whitespace));
    if words.target.kind == TargetKind::Current {
        // A remote branch is a commit, not a target, and the current checkout must not be reviewed in its place.
        for word in focus.into_iter().flat_map(str::split_whitespace) {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            let is_ref = word.contains('/')
                && word.len() <= arguments::LONGEST_BRANCH
                && disk::kind(&repository.top.join(word)).is_none();
            if is_ref && repository.commit(&format!("refs/remotes/{word}"))?.is_some() {
                let message =
                    format!("`{word}` is a remote branch, and neither a local branch nor a pull request");
                let hint =
                    "name the branch without its remote, or the pull request; compare with it by `base:REF`";
                return Err(CallFailure::environment(ErrorCode::BadRef, message, hint));
            }
        }
    }
    let Some(word) = lone.filter(|_| words.target.kind == TargetKind::Current) else { return Ok(None) };
    if word.len() > arguments::LONGEST_BRANCH {
        return Ok(None);
    }
    if word.contains('/') && disk::kind(&repository.top.join(word)).is_none() {
        repository.must_commit(word)?;
    }
    if repository.commit(word)?.is_some() {
        let message = format!("`{word}` is a commit, and neither a local branch nor a pull request");
        let hint = "check it out, or name a local branch; what is checked out is compared with `base:REF`";
        return Err(CallFailure::environment(ErrorCode::BadRef, message, hint));
    }
    Ok(Some(format!(
        "`{word}` is not a branch here: it was read as the focus, and the current checkout is reviewed"
    )))
}

/// A review that leaves no trace.
fn review_untraced(
    words: arguments::Response,
    location: TargetLocation,
    options: &Options,
) -> Result<Response, CallFailure> {
    let scope = scope::collect(&location.repository, question(&words, &location, options))?;
    let status = if is_empty(&scope) { BeginStatus::Empty } else { BeginStatus::Untraced };
    let ticket = ReviewTicket::from_scope(&scope).word();
    let mut response = response(status, words, &location, scope, None);
    response.review_id = Some(ReviewTicket::id(&ticket));
    response.mark = Some(ReviewTicket::mark(&ticket));
    response.ticket = Some(ticket);
    Ok(response)
}

/// A review with a run.
fn start(
    words: arguments::Response,
    mut location: TargetLocation,
    repository: &Repository,
    options: &Options,
    root: Option<&Path>,
) -> Result<Response, CallFailure> {
    let environment = repository.environment();
    let mut record = ReviewRecord::new(String::new(), words.mode, environment);
    record.flags = ReviewFlags {
        begun: true,
        take_over: options.take_over,
        include_untracked: options.include_untracked,
    };
    record.focus.clone_from(&words.focus);
    record.target = words.target.clone();
    record.tree = location.repository.top.display().to_string();
    record.branch = location.repository.branch()?;
    record.head_sha = location.repository.must_commit("HEAD")?;
    let (mut folder, abandoned) = RunFolder::claim(repository, root, record.clone(), options.take_over)?;
    let taken = check_out(&words, &mut location, &mut folder, options);
    // Nobody learns of a run that was interrupted while it started.
    let taken = if interrupt::pending() { Err(CallFailure::interrupted()) } else { taken };
    let ended = match &taken {
        Ok(scope) if is_empty(scope) => Some(ReviewEnding::Empty),
        Ok(_) => None,
        Err(_) => Some(ReviewEnding::Abandoned),
    };
    if taken.is_err() {
        interrupt::set_aside(|| {
            target::restore_checkout(&location.repository, record.branch.as_deref(), &record.head_sha)
        });
    }
    if let Some(ending) = ended {
        // The tree is released; the original failure is the one to report.
        let closed = interrupt::set_aside(|| folder.close(environment, ending, false));
        match (&taken, closed) {
            (Ok(_), closed) => closed?,
            (Err(_), Err(_)) => folder.folder().release_tree(&record.tree),
            (Err(_), Ok(())) => {}
        }
    }
    let scope = taken?;
    let mut response = match ended {
        Some(_) => response(BeginStatus::Empty, words, &location, scope, None),
        None => response(BeginStatus::Started, words, &location, scope, Some(&folder)),
    };
    response.abandoned = abandoned;
    Ok(response)
}

fn check_out(
    words: &arguments::Response,
    location: &mut TargetLocation,
    folder: &mut RunFolder,
    options: &Options,
) -> Result<ReviewScope, CallFailure> {
    location.check_out(&OwnBranches(Some(&folder.store)))?;
    folder.store.ask_what_is_tracked()?;
    // A link in place of the todo folder is reported before any work starts.
    folder.store.list(&folder.store.root.join(TODOS))?;
    let scope = scope::collect(
        &location.repository,
        ScopeRequest { folder: Some(folder), ..question(words, location, options) },
    )?;
    folder.certify(&scope)?;
    folder.store.lock()?.claim(&folder.path.join(REPLIES))?;
    Ok(scope)
}

fn question<'a>(
    words: &'a arguments::Response,
    location: &TargetLocation,
    options: &Options,
) -> ScopeRequest<'a> {
    ScopeRequest {
        mode: words.mode,
        base: words.base.as_deref(),
        plan: words.plan.as_deref(),
        request: location.request.clone(),
        folder: None,
        max_bytes: Some(scope::LARGE),
        require_fresh: false,
        left_out: options.include_untracked.then(Vec::new),
        fetched: false,
        round: 1,
        certifies: true,
        named: words.target.title(),
        notes: location.notes.clone(),
    }
}

/// Whether nothing changed, and no new file was left out.
fn is_empty(scope: &ReviewScope) -> bool {
    scope.files.is_empty() && scope.untracked.is_empty()
}

fn response(
    status: BeginStatus,
    words: arguments::Response,
    location: &TargetLocation,
    scope: ReviewScope,
    folder: Option<&RunFolder>,
) -> Response {
    let reply = |name: &str| {
        let folder = folder?.path.join(REPLIES);
        Some(folder.join(format!("{name}.txt")).display().to_string())
    };
    let change = ChangeProfile { signals: &scope.signals, is_request: scope.pr.is_some() };
    Response {
        status,
        run: folder.map(|folder| folder.path.display().to_string()),
        run_id: folder.map(|folder| folder.record.run_id.clone()),
        review_id: folder.map(|folder| folder.record.run_id.clone()),
        mode: words.mode,
        focus: words.focus,
        target: words.target,
        tree: location.repository.top.display().to_string(),
        reviewers: reviewers::propose(change, reply),
        scope,
        abandoned: None,
        ticket: None,
        mark: None,
    }
}
