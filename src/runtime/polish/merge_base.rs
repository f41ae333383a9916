//! `polish merge-base`: merges the current base into the branch, with the user's consent. A merge with conflicts is
//! rolled back.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::clean_tree::must_be_clean;
use super::record::{BegunMerge, PolishRun};
use super::{refusal, resolve_base};
use crate::printable::{line, shell_word};
use crate::process::interrupt;
use crate::runtime::answer::{CONTENDED, CallFailure, Delivery, ShownText};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::{MergeOutcome, Repository};
use crate::runtime::launch::LaunchMode;
use crate::runtime::repo::base::BaseRequest;
use crate::runtime::review::target::settle_index;
use crate::runtime::store::refuse_state_in;

options! {
    /// Merge the base into the polished branch
    ///
    /// Fetches the base and merges it, never rebases. A merge that conflicts is undone, and the answer says how
    /// to do it by hand. Restart the server afterwards.
    ///
    /// Exit codes: 0 merged, or there was nothing to merge; 2 wrong call; 3 no consent, headless, changes that
    /// are not committed, a conflict, or state that this machine's helper did not write; 4 a malformed document
    /// of the helper; 5 git failed, or the base cannot be fetched; 6 the run ended or is bound to another tree
    /// or commit, or the merge has another result; 7 git took too long.
    pub struct Options {
        /// The run of `polish acquire --apply`
        pub(super) run: PathBuf = "--run <DIR>",
        /// The user agreed to it
        consent: bool = "--consent",
    }
    examples: ["plugcast-run polish merge-base --run DIR --consent"]
}

/// The answer of `polish merge-base`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// What was done.
    pub status: MergeBaseStatus,
    /// The ref that was merged.
    pub base_ref: String,
    /// Its commit.
    pub base_sha: String,
    /// The commit that is checked out afterwards.
    pub head_sha: String,
    /// What a reader should know.
    #[serde(serialize_with = "ShownText::shown")]
    pub notes: Vec<String>,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MergeBaseStatus {
    /// The base was merged.
    Merged,
    /// The branch already has all of the base.
    UpToDate,
}

/// Runs the command.
///
/// # Errors
/// `headless`, `no_consent`, `dirty`, `conflict`, `state_violation`, `run_moved`, `finished`, and the errors of git.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let (mut run, tree) = PolishRun::open_here(environment, &options.run)?;
    must_be_allowed(options, &run, &tree)?;
    let request =
        BaseRequest { base: Some(&run.record.base_ref), require_fresh: true, ..BaseRequest::default() };
    let base = resolve_base(&tree, request)?;
    let before = tree.must_commit("HEAD")?;
    let mut response = Response {
        status: MergeBaseStatus::UpToDate,
        base_ref: base.base_ref,
        base_sha: base.base_sha,
        head_sha: before.clone(),
        notes: base.warnings,
    };
    if base.remote.is_none() && !tree.remotes()?.is_empty() {
        response.notes.push(format!(
            "`{}` is a local branch and was not fetched: its remote may have newer commits",
            line(&response.base_ref)
        ));
    }
    if base.merge_base == response.base_sha {
        return Ok(Delivery::from_answer(&response));
    }
    refuse_state_in(&tree, &response.base_sha)?;
    settle_index(&tree)?;
    match merge(&mut run, &tree, &base.base_branch, (&before, &response.base_sha, &base.merge_base))? {
        MergeOutcome::Merged(notes) => response.notes.extend(notes),
        MergeOutcome::Conflict { names, is_taken_back } => {
            return Err(conflict(&response.base_ref, &names, is_taken_back));
        }
    }
    response.head_sha = tree.must_commit("HEAD")?;
    record_merge(&mut run, &tree, &before, &response.head_sha)?;
    response.status = MergeBaseStatus::Merged;
    Ok(Delivery::from_answer(&response))
}

/// Refuses a merge that the user has not agreed to, or whose working tree is not ready for one.
fn must_be_allowed(options: &Options, run: &PolishRun, tree: &Repository) -> Result<(), CallFailure> {
    if run.record.mode == LaunchMode::Headless {
        let message = "nothing is merged unless a user agrees to it".to_owned();
        return Err(refusal(
            ErrorCode::Headless,
            message,
            "merge the base first, or run the skill without `mode:headless`",
        ));
    }
    if !options.consent {
        let message = "the user has not agreed to the merge".to_owned();
        return Err(refusal(ErrorCode::NoConsent, message, "ask, and pass `--consent` after a yes"));
    }
    if run.record.merging.is_some() && tree.is_merging()? {
        let message = "the merge of the base was interrupted, and has conflicts".to_owned();
        let hint = "take it back with `git merge --abort`, or resolve them and conclude it with `git commit`, and call this again";
        return Err(refusal(ErrorCode::Dirty, message, hint));
    }
    must_be_clean(tree, false, None, &|| Ok(None))
}

/// Merges a commit of the base, and records before that it was begun.
fn merge(
    run: &mut PolishRun,
    tree: &Repository,
    base_branch: &str,
    (before, base_sha, merge_base): (&str, &str, &str),
) -> Result<MergeOutcome, CallFailure> {
    let subject = format!("Merge branch '{base_branch}'");
    // Settings such as `merge.ff` and `pull.twohead` do not apply.
    let own = ["--no-stat", "--ff", "--commit", "--no-squash", "--strategy=recursive"];
    let words = [&own[..], &["-m", &subject, "--end-of-options", base_sha]].concat();
    // Git may complete it after this program was killed.
    run.record.merging = Some(BegunMerge { before: before.to_owned(), base_sha: base_sha.to_owned() });
    run.store_record()?;
    let outcome = tree.merge(&words, base_sha, merge_base);
    if !matches!(outcome, Ok(MergeOutcome::Merged(_))) {
        interrupt::set_aside(|| {
            if tree.commit("HEAD").is_ok_and(|head| head.as_deref() == Some(before)) {
                run.record.merging = None;
                // The first failure is the one to report.
                let _ = run.store_record();
            }
        });
    }
    outcome
}

/// Records the merge that `head` is; `before` is the commit to return to if that fails.
fn record_merge(run: &mut PolishRun, tree: &Repository, before: &str, head: &str) -> Result<(), CallFailure> {
    if let Err(failure) = run.record_begun_merge(tree) {
        // An unrecorded merge would make the run unusable.
        let _ = interrupt::set_aside(|| tree.ask(&["reset", "--quiet", "--keep", before]));
        return Err(failure);
    }
    if run.record.merging.is_some() {
        let message = format!("the merge left {head} checked out, which is not its result");
        return Err(CallFailure::new(
            CONTENDED,
            ErrorCode::StateViolation,
            message,
            "look at the tree, then run it again",
        ));
    }
    Ok(())
}

fn conflict(base: &str, names: &[String], is_taken_back: bool) -> CallFailure {
    let message = format!("`{base}` conflicts with the branch in `{}`", names.join("`, `"));
    let hint = match is_taken_back {
        true => format!(
            "the merge was rolled back: do it by hand with `git merge {}`, and start again",
            shell_word(base)
        ),
        false => "the merge could not be rolled back: run `git merge --abort`".to_owned(),
    };
    refusal(ErrorCode::Conflict, message, &hint)
}
