//! The review that counts for the commit that is polished, among those of its branch, or of this commit if it was
//! reviewed by pull request or with a detached HEAD: the newest that passes, unless one that refuses may be newer.

use std::ops::Range;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{GateResult, restart_arguments};
use crate::disk::FileKind;
use crate::printable::line as one_line;
use crate::runtime::answer::{CallFailure, ShownText};
use crate::runtime::document;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::polish::record::{POLISH, PolishRecord, PolishRun};
use crate::runtime::polish::refusal;
use crate::runtime::review::record::ReviewEnding;
use crate::runtime::review::run_folder::REVIEW;
use crate::runtime::review::verdict::ReviewVerdict;
use crate::runtime::run::{METADATA, RECORD, RunDirectory};
use crate::runtime::store::{self, Store};
use crate::runtime::timestamp::Timestamp;

/// The review that counts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CountedReview {
    /// Its folder, absolute.
    pub path: String,
    /// Its name.
    pub run_id: String,
    /// The branch that was reviewed.
    pub branch: Option<String>,
    /// The commit that was reviewed; none if it was not recorded.
    pub head_sha: Option<String>,
    /// How that commit relates to what is checked out.
    pub binding: ReviewBinding,
    /// How many commits were made since.
    pub commits_ahead: u64,
    /// Whether each of them is a fix or a merge of the base recorded by a polish.
    pub ahead_only_autofix: bool,
    /// Its verdict.
    #[serde(serialize_with = "ShownText::shown")]
    pub verdict: Option<String>,
}

/// How the reviewed commit relates to what is checked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewBinding {
    /// It is the same.
    Exact,
    /// It is an ancestor.
    Ancestor,
    /// It is not an ancestor.
    Diverged,
    /// Unknown: no commit was recorded, or uncommitted changes were reviewed.
    Unverified,
}

/// The status of a review that goes on.
const RUNNING: &str = "running";

/// A review of some branch.
struct ReviewCandidate {
    /// The folder's name.
    name: String,
    /// When it began, by its folder's name or its record.
    began: Option<String>,
    /// When it ended, by its record.
    ended: Option<String>,
    /// When the file was written, if nothing else tells a time.
    written: String,
    path: String,
    found: Result<Value, CallFailure>,
}

impl ReviewCandidate {
    fn passes(&self) -> bool {
        self.found.as_ref().is_ok_and(|found| verdict_of(found).is_ok())
    }

    /// The sort key for the newest: the time of its end, else of its beginning, else of the file; then the name.
    fn age(&self) -> (&str, &str) {
        (self.ended.as_ref().or(self.began.as_ref()).unwrap_or(&self.written), &self.name)
    }

    /// Whether this one, which refuses, may have ended after `other`. One that does not say when it ended may have ended
    /// after any that it may overlap, and one without any time after all.
    fn may_follow(&self, other: &Self) -> bool {
        let (other_began, other_ended) =
            (other.began.as_ref(), other.ended.as_ref().or(other.began.as_ref()));
        match (&self.ended, &self.began) {
            (Some(ended), _) => other_ended.is_none_or(|other| ended >= other),
            (None, Some(began)) => other.ended.is_none() || other_began.is_none_or(|other| began >= other),
            (None, None) => true,
        }
    }
}

/// The one that counts: the newest that passes and that none which refuses may follow, else the newest that refuses.
fn counted(candidates: Vec<ReviewCandidate>) -> Option<ReviewCandidate> {
    let (passing, refusing): (Vec<_>, Vec<_>) = candidates.into_iter().partition(ReviewCandidate::passes);
    let is_last = |one: &ReviewCandidate| !refusing.iter().any(|other| other.may_follow(one));
    let newest = |one: &ReviewCandidate, other: &ReviewCandidate| one.age().cmp(&other.age());
    let passing = passing.into_iter().filter(is_last).max_by(newest);
    passing.or_else(|| refusing.into_iter().max_by(newest))
}

/// Finds the review, and checks its commit and its verdict. `heads` are the current commit, and those before what the run
/// made.
pub(super) fn check(
    tree: &Repository,
    run: &PolishRun,
    root: Option<&Path>,
    heads: &[String],
) -> Result<(Option<CountedReview>, GateResult, Option<GateResult>), CallFailure> {
    let record = &run.record;
    let branch = record.branch.as_deref();
    let is_ours = |candidate: &ReviewCandidate| match &candidate.found {
        Ok(found) => {
            let reviewed = found["branch"].as_str();
            let is_here = reviewed == branch && branch.is_some();
            let is_name = |name: &str| record.pr.as_ref().is_some_and(|pr| pr.is_called(name));
            let is_alias = branch.is_none() || reviewed.is_none_or(is_name);
            is_here || is_alias && heads.iter().any(|head| found["head_sha"] == **head)
        }
        // It is unknown which branch it was for.
        Err(_) => true,
    };
    let mut candidates = candidates(tree, root)?;
    candidates.retain(is_ours);
    let Some(ReviewCandidate { path, found, name: run_id, .. }) = counted(candidates) else {
        let name = branch.map_or_else(|| format!("commit {}", heads[0]), |branch| format!("`{branch}`"));
        let hint = format!("run the skill `review:review` on {name} first");
        return Ok((
            None,
            Err(refusal(ErrorCode::NoReview, format!("no finished review of {name}"), &hint)),
            None,
        ));
    };
    let found = found?;
    let text = |key: &str| found[key].as_str().map(str::to_owned);
    let mut reviewed = CountedReview {
        path,
        run_id,
        branch: text("branch"),
        head_sha: text("head_sha"),
        binding: ReviewBinding::Unverified,
        commits_ahead: 0,
        ahead_only_autofix: false,
        verdict: text("verdict"),
    };
    let is_bound = bound_to_tree(tree, root, &mut reviewed, found["uncommitted"] == true, heads)?;
    let is_accepted = record.flags.accept_stale_review && reviewed.binding != ReviewBinding::Diverged;
    let looked = match is_bound {
        Err((message, hint)) if !is_accepted => {
            let code = if reviewed.binding == ReviewBinding::Diverged {
                ErrorCode::ReviewDiverged
            } else {
                ErrorCode::ReviewStale
            };
            let hint = match hint {
                Some(hint) => hint,
                None => {
                    format!(
                        "review again, or begin again with `{}`",
                        restart_arguments(record, "accept-stale-review:1")
                    )
                }
            };
            Err(refusal(code, message, &hint))
        }
        Ok(message) | Err((message, _)) => Ok(message),
    };
    Ok((Some(reviewed), looked, Some(verdict_of(&found))))
}

/// Every complete review of the stores.
fn candidates(tree: &Repository, root: Option<&Path>) -> Result<Vec<ReviewCandidate>, CallFailure> {
    let mut candidates = Vec::new();
    for place in store::places_to_read(tree, root)? {
        let store = Store::new(place, tree.environment());
        let runs = store.runs(REVIEW.name);
        for (name, kind) in store.list(&runs)? {
            if kind == FileKind::Folder
                && let Some(candidate) = candidate(&store, &runs.join(&name), name)?
            {
                candidates.push(candidate);
            }
        }
    }
    Ok(candidates)
}

fn candidate(store: &Store, path: &Path, name: String) -> Result<Option<ReviewCandidate>, CallFailure> {
    let metadata = path.join(METADATA);
    // Without metadata, neither the commit nor the end of the review is known.
    let Some(text) = store.text(&metadata)? else { return Ok(None) };
    let mut began = start_time(&name);
    let mut ended = None;
    let found = match serde_json::from_str::<Value>(&text) {
        Ok(mut found) if found.is_object() => {
            let has_time = ["completed_at", "created_at"].iter().any(|key| !found[*key].is_null());
            // A review that is running, abandoned or empty does not count.
            let has_no_verdict =
                matches!(ending(&found), Some(Ok(ReviewEnding::Abandoned | ReviewEnding::Empty)));
            if has_no_verdict || found["status"] == RUNNING || found.get("status").is_none() && !has_time {
                return Ok(None);
            }
            let time = |key: &str| Timestamp::parse(found[key].as_str()?).map(Timestamp::stamp);
            ended = time("completed_at")
                .or_else(|| time("created_at").filter(|_| found["completed_at"].is_null()));
            began = began.or_else(|| time("started_at")).or_else(|| time("created_at"));
            // No review ended before it began.
            ended = ended.filter(|ended| began.as_ref().is_none_or(|began| ended >= began));
            if found["verdict"].is_null() {
                let report = store.text(&path.join("report.md"))?.unwrap_or_default();
                let stated = report.lines().find_map(|line| line.strip_prefix("Verdict: "));
                found["verdict"] = stated.map(str::trim).into();
            }
            Ok(found)
        }
        other => {
            let name = metadata.display().to_string();
            let hint = &*format!("repair or remove `{name}`, or review again");
            Err(match other {
                Err(error) => document::no_json(&error, &name, hint),
                Ok(_) => {
                    let message = "this is not an object";
                    let failure = CallFailure::new(4, ErrorCode::MalformedJson, message, hint);
                    failure.in_file(name, Some(1), Some(1))
                }
            })
        }
    };
    let mut written = String::new();
    if ended.is_none()
        && began.is_none()
        && let Some(root) = store.open()?
    {
        let relative = path.strip_prefix(&store.root).unwrap_or(path);
        let changed = root.modified(relative).map_err(|error| store.refusal(error))?;
        written = changed.map(|time| Timestamp::from_system_time(time).stamp()).unwrap_or_default();
    }
    let path = path.display().to_string();
    Ok(Some(ReviewCandidate { name, began, ended, written, path, found }))
}

/// When a run with this name began, as [`Timestamp::stamp`] writes it: names look like `20261122-073631-` and random
/// digits.
fn start_time(name: &str) -> Option<String> {
    let (own, rest) = name.split_at_checked(15)?;
    let (date, time) = own.split_once('-')?;
    let part = |text: &str, range: Range<usize>| text.get(range).map(str::to_owned);
    let date = [part(date, 0..4)?, part(date, 4..6)?, part(date, 6..8)?].join("-");
    let time = [part(time, 0..2)?, part(time, 2..4)?, part(time, 4..6)?].join(":");
    let is_whole = rest.is_empty() || rest.starts_with('-');
    Timestamp::parse(&format!("{date}T{time}Z")).filter(|_| is_whole).map(Timestamp::stamp)
}

/// Whether the reviewed commit is the one checked out: a sentence, or what is wrong with an optional special hint.
type BindingResult = Result<String, (String, Option<String>)>;

fn bound_to_tree(
    tree: &Repository,
    root: Option<&Path>,
    reviewed: &mut CountedReview,
    uncommitted: bool,
    heads: &[String],
) -> Result<BindingResult, CallFailure> {
    let head = &heads[0];
    let Some(sha) = reviewed.head_sha.clone() else {
        return Ok(Err(("the review does not record its commit".to_owned(), None)));
    };
    if uncommitted && heads.contains(&sha) {
        return Ok(Err(("the review includes uncommitted changes".to_owned(), None)));
    }
    if sha == *head {
        reviewed.binding = ReviewBinding::Exact;
        return Ok(Ok("the review is for this commit".to_owned()));
    }
    reviewed.binding = ReviewBinding::Diverged;
    let is_hash = sha.len() >= 40 && sha.bytes().all(|byte| byte.is_ascii_hexdigit());
    let here = if is_hash { tree.commit(&sha)? } else { None };
    let Some(sha) = here else {
        let hint = format!("fetch it with `git fetch`, or review again: {sha}");
        return Ok(Err(("the reviewed commit is not in this repository".to_owned(), Some(hint))));
    };
    let ended = tree.ask(&["merge-base", "--is-ancestor", &sha, head])?;
    if !ended.succeeded() {
        let message = format!("the commit that was reviewed, {sha}, is not part of what is checked out");
        return Ok(Err((message, Some("review again: history was rewritten since".to_owned()))));
    }
    reviewed.binding = ReviewBinding::Ancestor;
    let range = format!("{sha}..{head}");
    let counted = tree.line(&["rev-list", "--count", &range])?;
    reviewed.commits_ahead = counted.and_then(|counted| counted.parse().ok()).unwrap_or_default();
    let own = own_commits(tree, root)?;
    let since = tree.must(&["rev-list", "--first-parent", &range])?;
    let since = String::from_utf8_lossy(&since).into_owned();
    reviewed.ahead_only_autofix = since.lines().all(|commit| own.iter().any(|own| own == commit));
    let n = reviewed.commits_ahead;
    if heads.contains(&sha) {
        return Ok(Ok("the review is for this commit before what this polish added to it".to_owned()));
    }
    let commits = if n == 1 { "1 commit was".to_owned() } else { format!("{n} commits were") };
    let all =
        if reviewed.ahead_only_autofix { ", all of them recorded fixes or merges of the base" } else { "" };
    Ok(Err((format!("{commits} made since the review{all}"), None)))
}

/// The commits that polishes of this repository made.
fn own_commits(tree: &Repository, root: Option<&Path>) -> Result<Vec<String>, CallFailure> {
    let mut commits = Vec::new();
    for place in store::places_to_read(tree, root)? {
        let store = Store::new(place, tree.environment());
        let runs = store.runs(POLISH.name);
        for (name, _) in store.list(&runs)? {
            let path = runs.join(name);
            let folder = RunDirectory { workflow: &POLISH, store: &store, path: &path };
            if let Ok(Some(record)) = folder.sealed::<PolishRecord>(RECORD) {
                commits.extend(record.own_commits());
            }
        }
    }
    Ok(commits)
}

/// How a review ended: none if it does not say, an error if no review writes that status.
fn ending(review: &Value) -> Option<Result<ReviewEnding, serde_json::Error>> {
    review.get("status").map(ReviewEnding::deserialize)
}

/// Whether the verdict of a review allows a polish.
fn verdict_of(review: &Value) -> GateResult {
    let refused = |message: String, hint: &str| Err(refusal(ErrorCode::NotReady, message, hint));
    match ending(review) {
        None | Some(Ok(ReviewEnding::Done)) => {}
        Some(Ok(ReviewEnding::Degraded)) => {
            let message = "the review ended without a reply of a reviewer that could be read";
            return refused(message.to_owned(), "review again");
        }
        Some(_) => {
            let status = &review["status"];
            let shown = one_line(status.as_str().unwrap_or(&status.to_string())).into_owned();
            return refused(format!("the review has the unknown status `{shown}`"), "review again");
        }
    }
    let stated = review["verdict"].as_str();
    match stated.and_then(ReviewVerdict::from_words) {
        Some(verdict @ (ReviewVerdict::Ready | ReviewVerdict::WithFixes)) => {
            Ok(format!("the review's verdict is `{}`", verdict.words()))
        }
        _ => {
            let shown = stated.map_or("none".to_owned(), |stated| format!("`{stated}`"));
            refused(format!("the review's verdict is {shown}"), "repair what it found, and review again")
        }
    }
}
