//! `review scope`: determines what a review covers, which is the change since its base in the working tree, with the
//! context that reviewers need. In `report-only`, nothing is written.

mod answer;
mod current_tree;
mod diff;
mod hashes;
mod marks;
pub mod plan;
mod racy;
mod signals;
mod submodules;
mod untracked;
mod working_diff;

pub(super) use untracked::without_tools;

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::arguments::ReviewTarget;
use super::evidence::{self, ShownFiles};
use super::run_folder::{REPLIES, ReviewBase, RunFolder, text};
use super::{ReviewMode, failed, target};
use crate::runtime::answer::{CONTENDED, CallFailure, Delivery, ENVIRONMENT, REFUSED};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::github::PullRequest;
use crate::runtime::repo::base;

use answer::ScopeDocument;
pub use answer::{Response, ReviewScope, ScopeFile, ScopeStatus};
pub(super) use current_tree::{CurrentTree, current_state, now_of_run, stored};
pub use diff::DiffChunk;
pub use hashes::FileHashes;
pub(super) use marks::{file as marked_file, is_same_content, without_marks as diff_alone};
pub use plan::ReviewPlan;
pub(super) use plan::missing_plan;
pub use signals::Signals;
use working_diff::WorkingDiff;

/// The size from which a diff is split into several files.
pub(super) const LARGE: u64 = 400_000;

options! {
    /// Determine what a review covers
    ///
    /// Everything since the base counts, committed or not; files that git does not track are listed separately.
    /// With `--run` the diff is written to the run's folder; without it nothing is written, and `diff_argv` is
    /// the call that each reviewer makes. A target that is not checked out is checked out in `interactive` and
    /// `autofix` only, from a clean tree.
    ///
    /// Exit codes: 0 answered, `empty` included; 2 wrong call; 3 nothing to review, a tree that is not clean, a
    /// working tree that may not be switched, or state that this machine's helper did not write: print `error.message`
    /// unchanged; 4 no such run; 5 no base, git or GitHub failed; 6 the run is finished, or bound to another
    /// tree or commit; 7 git took too long.
    pub struct Options {
        /// How the review runs; by default as its run says, else `interactive`
        mode: Option<ReviewMode> = "--mode <MODE>",
        /// The base of the current checkout
        base: Option<String> = "--base <REF>" { conflicts: &["--target"] },
        /// A pull request by number or address, or a branch
        target: Option<String> = "--target <TARGET>",
        /// The plan that the change follows
        plan: Option<String> = "--plan <PATH>",
        /// The folder of the run
        pub(super) run: Option<PathBuf> = "--run <DIR>",
        /// Show the change again, with the repairs, for review round N
        round: Option<u32> = "--round <N>" { conflicts: &["--mode", "--base", "--target", "--plan", "--require-fresh"], requires: "--run", range: Some((2, 99)) },
        /// Split the diff into several files, between changed files, at about this size
        max_bytes: Option<u64> = "--max-bytes <BYTES>" { requires: "--run", range: Some((1, u64::MAX)) },
        /// Fail when the base cannot be fetched
        require_fresh: bool = "--require-fresh",
    }
    examples: ["plugcast-run review scope --mode report-only --base origin/main", "plugcast-run review scope --run DIR --target 42"]
}

/// What is asked for.
#[derive(Debug)]
pub(super) struct ScopeRequest<'a> {
    pub(super) mode: ReviewMode,
    pub(super) base: Option<&'a str>,
    pub(super) plan: Option<&'a str>,
    pub(super) request: Option<PullRequest>,
    pub(super) folder: Option<&'a RunFolder>,
    pub(super) max_bytes: Option<u64>,
    pub(super) require_fresh: bool,
    /// Untracked files that are not part of the diff; all of them unless a list is given.
    pub(super) left_out: Option<Vec<String>>,
    /// Whether the base was fetched when the run began.
    pub(super) fetched: bool,
    /// The review round, from 1.
    pub(super) round: u32,
    /// Whether the scope is later compared with the working tree.
    pub(super) certifies: bool,
    /// The target that the user named, if it is not a working tree.
    pub(super) named: Option<String>,
    pub(super) notes: Vec<String>,
}

/// Runs the command. With a run, mode and target come from its record, and the scope is recorded in it.
///
/// # Errors
/// `no_scope`, `shared_checkout`, `dirty`, `branch_not_ours`, `bound`, `base_unresolved`, the errors of git and gh, and
/// for the run `no_run`, `finished`, `run_moved`, `state_unwritable`, `sandboxed`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    if let (Some(run), Some(round)) = (&options.run, options.round) {
        return show_again(&RunFolder::open(environment, run)?, round, options.max_bytes, environment);
    }
    let mut folder = options.run.as_ref().map(|run| RunFolder::open(environment, run)).transpose()?;
    let mut target = match &options.target {
        Some(word) => ReviewTarget::parse(word).map_err(CallFailure::usage)?,
        None => ReviewTarget::default(),
    };
    let mut mode = options.mode.unwrap_or(ReviewMode::Interactive);
    if let Some(folder) = &folder {
        folder.must_be_open()?;
        folder.must_be_here(environment)?;
        let record = &folder.record;
        let other_mode = options.mode.is_some_and(|mode| mode != record.mode);
        let settled = record.base.is_some();
        if record.flags.begun {
            let message = format!("run `{}` already has the diff of its first round", record.run_id);
            let hint = "pass `--round N` to show it again after a repair";
            return Err(CallFailure::new(CONTENDED, ErrorCode::Bound, message, hint));
        }
        if other_mode || (settled && options.target.is_some() && target != record.target) {
            let message = format!("run `{}` has another mode or target", record.run_id);
            return Err(CallFailure::new(
                CONTENDED,
                ErrorCode::Bound,
                message,
                "leave `--mode` and `--target` out",
            ));
        }
        mode = record.mode;
        if options.target.is_none() {
            target = record.target.clone();
        }
    }
    let repository = Repository::find(environment, &environment.folder)?;
    let mut location = target::locate(&repository, &target)?;
    location.may_move(mode)?;
    if folder.is_some() && location.repository.top != repository.top {
        let reason = "the target is checked out in another working tree. Begin the review there.";
        return Err(failed(REFUSED, ErrorCode::SharedCheckout, mode, reason));
    }
    location.check_out(&target::OwnBranches(folder.as_ref().map(|folder| &folder.store)))?;
    let scope = collect(
        &location.repository,
        ScopeRequest {
            mode,
            base: options.base.as_deref(),
            plan: options.plan.as_deref(),
            request: location.request,
            folder: folder.as_ref(),
            max_bytes: options.max_bytes,
            require_fresh: options.require_fresh,
            left_out: None,
            fetched: false,
            round: 1,
            certifies: folder.is_some(),
            named: target.title(),
            notes: location.notes,
        },
    )?;
    if let Some(folder) = &mut folder {
        folder.record.target = target;
        folder.certify(&scope)?;
    }
    Ok(delivery(scope))
}

fn delivery(scope: ReviewScope) -> Delivery {
    let is_empty = scope.files.is_empty() && scope.untracked.is_empty();
    Delivery::from_answer(&Response {
        status: if is_empty { ScopeStatus::Empty } else { ScopeStatus::Ok },
        scope,
    })
}

/// Shows the change of a run again, for another round.
fn show_again(
    folder: &RunFolder,
    round: u32,
    max_bytes: Option<u64>,
    environment: &Environment,
) -> Result<Delivery, CallFailure> {
    folder.must_be_open()?;
    folder.must_be_here(environment)?;
    let shown = ShownFiles::before_round(folder, round)?;
    let before = folder.document::<Value>("scope.json")?.unwrap_or_default();
    let question = ScopeRequest {
        mode: folder.record.mode,
        base: None,
        plan: folder.record.plan.as_ref().map(|plan| plan.path.as_str()),
        request: serde_json::from_value(before["scope"]["pr"].clone()).unwrap_or_default(),
        folder: Some(folder),
        max_bytes: max_bytes.or(Some(LARGE)),
        require_fresh: false,
        left_out: Some(shown.left_out),
        fetched: before["scope"]["fetched"] == true,
        round,
        certifies: true,
        named: None,
        notes: Vec::new(),
    };
    let scope = collect(&Repository::find(environment, &environment.folder)?, question)?;
    // Some hosts write files with a shell, which does not create folders.
    folder.store.lock()?.claim(&folder.path.join(REPLIES).join(format!("round-{round}")))?;
    Ok(delivery(scope))
}

impl RunFolder {
    /// Records the scope that the end of the run will certify.
    pub(super) fn certify(&mut self, scope: &ReviewScope) -> Result<(), CallFailure> {
        let record = &mut self.record;
        record.branch.clone_from(&scope.branch);
        record.head_sha.clone_from(&scope.head_sha);
        record.base_sha = Some(scope.base_sha.clone());
        record.base = Some(ReviewBase {
            name: scope.base_ref.clone(),
            sha: scope.base_sha.clone(),
            source: scope.base_source,
        });
        record.plan.clone_from(&scope.plan);
        record.missing_plan.clone_from(&scope.missing_plan);
        record.only_untracked = scope.files.is_empty() && !scope.untracked.is_empty();
        record.unseen.clone_from(&scope.unseen);
        record.notes = scope.report_notes();
        self.store_record()
    }
}

/// Takes the diff of a working tree, and collects its context.
pub(super) fn collect(
    repository: &Repository,
    question: ScopeRequest<'_>,
) -> Result<ReviewScope, CallFailure> {
    let ScopeRequest { mode, folder, .. } = question;
    let mut notes = question.notes.clone();
    let base = base_of_round(&question, repository)?;
    let branch = repository.branch()?;
    let head_sha = repository.must_commit("HEAD")?;
    let quiet = matches!(mode, ReviewMode::Headless | ReviewMode::ReportOnly);
    let on_base = branch.as_ref() == Some(&base.base_branch);
    let WorkingDiff { diff, hidden_edits, since } =
        working_diff::read(repository, &question, &base.merge_base)?;
    let files: Vec<ScopeFile> = diff.difference.changes.into_iter().map(ScopeFile::from_change).collect();
    notes.extend(evidence::index_notes(&diff.uncommitted.index));
    notes.extend(evidence::filtered_files_note(&diff.difference.unproven));
    // Git does not look into another repository, so its files are not listed as new.
    let untracked = diff.uncommitted.untracked.into_iter().filter(|name| !untracked::is_of_helper(name));
    let (nested, untracked): (Vec<String>, Vec<String>) = untracked.partition(|name| name.ends_with('/'));
    notes.extend(evidence::nested_repository_note(&nested));
    let is_named = question.base.is_some() || question.request.is_some();
    // Uncommitted changes on the base count as a change as well.
    if quiet && question.round == 1 && !is_named && on_base && files.is_empty() && untracked.is_empty() {
        let reason = "no diff scope detected. Re-invoke with base:<ref>.";
        return Err(failed(REFUSED, ErrorCode::NoScope, mode, reason));
    }
    if files.is_empty() && !untracked.is_empty() {
        notes.push("only untracked files are new: they are not in the diff".to_owned());
    }
    notes.extend(base.standing.iter().filter_map(|standing| standing.note()));
    let mut unseen: Vec<String> =
        base.standing.iter().filter_map(|standing| standing.missing_part()).collect();
    let beside = difference_notes(repository, &question, &base, &head_sha, diff.uncommitted.clean)?;
    notes.extend(beside.iter().cloned());
    unseen.extend(beside);
    notes.extend(base.warnings);
    let (not_shown, media) = binaries(&files, hidden_edits, &repository.top);
    let (standards_paths, leading_out) = signals::standards(&repository.top, &files);
    notes.extend(note_about("the diff does not show the content of", &not_shown));
    notes.extend(note_about("links out of the repository are not shown to reviewers:", &leading_out));
    let request = question.request.or(base.pull_request);
    let plan::FoundPlan { plan, missing, unseen: more_missing } =
        plan::find(repository, question.plan, request.as_ref(), (branch.as_deref(), &files), &mut notes);
    unseen.extend(more_missing);
    let scope = ReviewScope {
        base_sha: base.merge_base,
        base_ref: base.base_ref,
        base_source: base.source,
        fetched: base.fetched,
        fetch_error: base.fetch_error,
        head_sha,
        branch,
        standards_paths,
        signals: Signals::from_files(&files, &repository.top),
        files,
        untracked,
        nested,
        not_shown,
        media,
        diff_path: diff.path,
        diff_argv: diff.argv,
        chunks: diff.chunks,
        diff_bytes: diff.difference.bytes,
        truncated: false,
        pr: request,
        plan,
        missing_plan: missing,
        notes,
        unseen,
        hashes: diff.hashes,
        since,
    };
    if let Some(folder) = folder {
        store(folder, question.round, &scope, since)?;
    }
    Ok(scope)
}

/// Stores the scope in the folder of its run, with what the reviewers of this round are shown.
fn store(folder: &RunFolder, round: u32, scope: &ReviewScope, since: i64) -> Result<(), CallFailure> {
    let document = ScopeDocument { schema: "plugcast.review-scope/1", scope };
    let shown = ShownFiles::add_round(folder, round, scope, since)?;
    folder.save(vec![("scope.json", text(&document)), (evidence::NAME, text(&shown))])
}

/// A note that lists `names`, if there are any.
fn note_about(what: &str, names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
}

/// The base of a round: resolved for the first, and then the one that the run is bound to, without asking a remote.
fn base_of_round(
    question: &ScopeRequest<'_>,
    repository: &Repository,
) -> Result<base::Response, CallFailure> {
    let known = question.folder.and_then(|folder| folder.record.base.as_ref());
    let Some(known) = known.filter(|_| question.round > 1) else { return resolve(question, repository) };
    Ok(base::Response {
        source: known.source,
        fetched: question.fetched,
        warnings: Vec::new(),
        ..base::Response::unrelated(&known.name, known.sha.clone())
    })
}

/// The files whose content the diff does not show though it is text, with those of `hidden_edits`; and media.
fn binaries(files: &[ScopeFile], hidden_edits: Vec<String>, top: &Path) -> (Vec<String>, Vec<String>) {
    let is_attributes = |file: &ScopeFile| file.change.path.rsplit('/').next() == Some(".gitattributes");
    let brings_attributes = files.iter().any(is_attributes);
    let (hidden, media): (Vec<&ScopeFile>, Vec<&ScopeFile>) =
        files.iter().filter(|file| file.is_binary()).partition(|file| file.is_hidden(top, brings_attributes));
    let paths = |files: Vec<&ScopeFile>| files.into_iter().map(ScopeFile::path).collect::<Vec<String>>();
    let (mut not_shown, media) = (paths(hidden), paths(media));
    let more = hidden_edits.into_iter().filter(|name| !not_shown.contains(name)).collect::<Vec<_>>();
    not_shown.extend(more);
    (not_shown, media)
}

/// How the diff differs from the change that was asked about.
fn difference_notes(
    repository: &Repository,
    question: &ScopeRequest<'_>,
    base: &base::Response,
    head_sha: &str,
    clean: bool,
) -> Result<Vec<String>, CallFailure> {
    let mut found = Vec::new();
    // The target is a commit, but the verdict would cover more than that.
    if let Some(named) = question.named.as_ref().filter(|_| !clean) {
        found.push(format!("the diff contains uncommitted changes that are not part of {named}"));
    }
    found.extend(question.request.as_ref().and_then(|request| request.at_another_head(head_sha)));
    if question.request.is_none() && base.pull_request.is_none() {
        found.extend(base::behind_upstream(repository)?);
    }
    Ok(found)
}

/// Resolves the base. A ref that was named but shares no commit is compared directly; nothing else is used in its
/// place.
fn resolve(question: &ScopeRequest<'_>, repository: &Repository) -> Result<base::Response, CallFailure> {
    let asked = base::BaseRequest {
        base: question.base,
        known: question.request.as_ref(),
        require_fresh: question.require_fresh,
        ..base::BaseRequest::default()
    };
    base::resolve(repository, asked).or_else(|failure| {
        if failure.error.code != ErrorCode::BaseUnresolved {
            return Err(failure);
        }
        let unresolved = || {
            let why = failure.error.message.clone();
            failed(ENVIRONMENT, ErrorCode::BaseUnresolved, question.mode, "merge-base unresolved.")
                .with_hint(why)
        };
        let named = question.base.ok_or_else(unresolved)?;
        let commit = repository.commit(named)?.ok_or_else(unresolved)?;
        Ok(base::Response::unrelated(named, commit))
    })
}
