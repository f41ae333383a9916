//! `polish gate`: whether the polished commit may run on this machine, was reviewed, and passes its checks. Everything
//! is checked, and the first refusal becomes the error.

mod integration;
pub(super) mod pass;
mod review;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::arguments::HEADLESS;
use super::history;
use super::record::{PolishRecord, PolishRun};
use super::refusal;
use crate::printable::line;
use crate::runtime::answer::{CallFailure, Delivery, ErrorDetail, ShownText};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::github::ForkOrigin;
use crate::runtime::launch::LaunchMode;
use crate::runtime::repo::base::{self, ForeignCommits};
use integration::CiResult;
use pass::GateRecord;
use review::CountedReview;

options! {
    /// Check whether a polish may continue
    ///
    /// A fork needs `trust-fork:1`, and so do commits that were not made in this clone and are on no branch of the
    /// repository. A finished review of this exact commit must be ready, and its checks on GitHub must pass. A review of an earlier commit counts with `accept-stale-review:1`; a merge of the base that
    /// the run made does not matter. The run records the result for this commit: without a pass, no server is
    /// started, no checklist is written, and nothing is dispatched.
    ///
    /// Exit codes: 0 it may; 2 wrong call; 3 it may not: `error.hint` says what to do, and `checks` has
    /// everything that was checked; 4 a malformed review or document of the helper; 5 git or GitHub failed; 6
    /// the run ended or is bound to another tree or commit; 7 git or GitHub took too long.
    pub struct Options {
        /// The run of `polish acquire --apply`
        pub(super) run: PathBuf = "--run <DIR>",
    }
    examples: ["plugcast-run polish gate --run DIR"]
}

/// The answer of `polish gate`, also if it refuses.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether the polish may continue.
    pub status: GateStatus,
    /// What was checked, in order.
    pub checks: Vec<GateCheck>,
    /// The review that counts.
    pub review: Option<CountedReview>,
    /// The result of continuous integration.
    pub ci: CiResult,
    /// The origin of the pull request that was named, or that has commits which are not the user's own.
    pub fork: Option<ForkOrigin>,
    /// How many commits the branch is behind the base.
    pub behind: u64,
    /// The first refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorDetail>,
}

/// Whether the polish may continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateStatus {
    /// It may.
    Pass,
    /// It may not.
    Refused,
}

/// One check.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GateCheck {
    /// What it is.
    pub id: GateCheckId,
    /// Whether the polish may continue.
    pub result: GateStatus,
    /// Why.
    #[serde(serialize_with = "ShownText::shown")]
    pub detail: String,
}

/// What is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateCheckId {
    /// Whether code of an untrusted fork would run here.
    Fork,
    /// Whether it was reviewed.
    Review,
    /// Whether its verdict allows a polish.
    Verdict,
    /// Whether its checks pass.
    Ci,
}

/// The result of a check: a sentence, or the refusal.
type GateResult = Result<String, CallFailure>;

/// Runs the command.
///
/// # Errors
/// `fork_untrusted`, `pr_not_open`, `no_review`, `review_stale`, `review_diverged`, `not_ready`, `ci_failed`,
/// `ci_pending`, `ci_none`, and the errors of git and gh.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let root = environment.root();
    let (run, tree) = PolishRun::open_here(environment, &options.run)?;
    let record = &run.record;
    let heads = run.gated_commits(&tree)?;
    let (ci, fork, tests) = integration::check(&tree, record, &heads)?;
    let (review, reviewed, verdict) = review::check(&tree, &run, root, &heads)?;
    let base = record.base_commit(&tree)?;
    let foreign = match record.is_foreign() {
        true => None,
        false => {
            let base = base.as_deref().unwrap_or(&record.base_sha);
            base::foreign_commits(&tree, &[base, &record.base_sha], record.pr.as_ref())?
        }
    };
    let mut looked = vec![
        (GateCheckId::Fork, trusted(record, fork.as_ref(), foreign.as_ref())),
        (GateCheckId::Review, reviewed),
    ];
    looked.extend(verdict.map(|verdict| (GateCheckId::Verdict, verdict)));
    looked.push((GateCheckId::Ci, tests));
    let mut response = Response {
        status: GateStatus::Pass,
        checks: Vec::new(),
        review,
        ci,
        fork: match foreign {
            Some(foreign) => {
                foreign.request.map(|(_, fork)| ForkOrigin { trusted: record.flags.trust_fork, ..fork })
            }
            None => fork,
        },
        behind: base.map(|base| commits_behind(&tree, &base)).transpose()?.unwrap_or_default(),
        error: None,
    };
    let mut first = None;
    for (id, looked) in looked {
        let (result, detail) = match looked {
            Ok(detail) => (GateStatus::Pass, detail),
            Err(failure) => {
                let detail = failure.error.message.clone();
                first.get_or_insert(failure);
                (GateStatus::Refused, detail)
            }
        };
        response.checks.push(GateCheck { id, result, detail });
    }
    // Asking takes a while, in which the record may have changed.
    let mut run = PolishRun::open(environment, &options.run)?;
    let refused = first.as_ref().map(|failure| failure.error.code.to_string());
    let logged = Some(history::log_of_head(&tree)?.len());
    run.record.gate = Some(GateRecord { head_sha: heads[0].clone(), refused, logged, is_outdated: false });
    run.store_record()?;
    let Some(first) = first else { return Ok(Delivery::from_answer(&response)) };
    response.status = GateStatus::Refused;
    response.error = Some(*first.error.clone());
    Err(first.within_answer(&response))
}

/// The folder of the review that counts for what is polished.
pub(super) fn review_path(
    tree: &Repository,
    run: &PolishRun,
    root: Option<&Path>,
) -> Result<Option<String>, CallFailure> {
    let (review, ..) = review::check(tree, run, root, std::slice::from_ref(&run.record.head_sha))?;
    Ok(review.map(|review| review.path))
}

/// The verdict of the review that counts for what is polished, if there is one.
pub(super) fn review_verdict(
    tree: &Repository,
    run: &PolishRun,
    root: Option<&Path>,
) -> Result<Option<String>, CallFailure> {
    let (review, ..) = review::check(tree, run, root, &run.gated_commits(tree)?)?;
    Ok(review.and_then(|review| review.verdict))
}

/// The arguments with which the user can start again: those of this run, with one more token.
fn restart_arguments(record: &PolishRecord, token: &str) -> String {
    let mode = (record.mode == LaunchMode::Headless).then_some(HEADLESS);
    let own = mode.into_iter().chain(record.flags.tokens().filter(|own| *own != token)).map(str::to_owned);
    let plan = record.plan.as_ref().map(|plan| format!("plan:{plan}"));
    let words: Vec<String> =
        own.chain([token.to_owned()]).chain(plan).chain([record.target.word()]).collect();
    words.join(" ").trim_end().to_owned()
}

/// Whether the code may run here; `foreign` are the commits of somebody else that it has.
fn trusted(record: &PolishRecord, fork: Option<&ForkOrigin>, foreign: Option<&ForeignCommits>) -> GateResult {
    let branch = line(record.branch.as_deref().unwrap_or("HEAD"));
    let mut way = String::new();
    let from = match (fork.filter(|_| record.is_of_request()), &record.follows, foreign) {
        (None, None, None) => return Ok("no pull request was named".to_owned()),
        (Some(fork), None, None) if !fork.cross && !record.is_foreign() => {
            return Ok("the pull request comes from the repository itself".to_owned());
        }
        (_, None, Some(ForeignCommits { request: Some((request, fork)), .. })) => {
            let number = request.number;
            format!(
                "`{branch}` has commits of pull request {number}, which comes from {}",
                origin_words(fork)
            )
        }
        (_, None, Some(commits)) => {
            let home = format!("{}/{}", line(&commits.home.owner), line(&commits.home.name));
            way = format!(
                "; if it is your own, push it to `{home}`, and if it is on a branch there, fetch that"
            );
            let which = if commits.count == 1 { ":" } else { ", the newest is" };
            format!(
                "`{branch}` has {} on no branch of `{home}`{which} {}",
                commits.sentence(),
                commits.newest
            )
        }
        (Some(fork), follows, _) if fork.cross || follows.is_none() => {
            format!("the pull request comes from {}", origin_words(fork))
        }
        (_, follows, _) => {
            let follows = follows.as_deref().unwrap_or_default();
            format!("`{branch}` follows {follows}, which is another repository")
        }
    };
    if record.flags.trust_fork {
        return Ok(from);
    }
    let hint = format!(
        "its code would run on this machine: read it, and begin again with `{}`{way}",
        restart_arguments(record, "trust-fork:1")
    );
    Err(refusal(ErrorCode::ForkUntrusted, from, &hint))
}

/// The repository of a fork, and who opened its pull request.
fn origin_words(fork: &ForkOrigin) -> String {
    let repository =
        if fork.head_repo.is_empty() { "a repository that no longer exists" } else { &fork.head_repo };
    let author = match &*fork.author {
        "" => "a deleted account".to_owned(),
        author => format!("`{author}`"),
    };
    format!("`{repository}`, opened by {author}")
}

/// How many commits the branch is behind the base.
fn commits_behind(tree: &Repository, base: &str) -> Result<u64, CallFailure> {
    let counted = tree.line(&["rev-list", "--count", "--end-of-options", &format!("HEAD..{base}")])?;
    Ok(counted.and_then(|counted| counted.parse().ok()).unwrap_or_default())
}
