//! The results of continuous integration for a commit, from all pages, in the buckets of gh: a check run or status
//! passed, failed, is pending, was skipped or was cancelled. Of one that was run again, only the last run counts.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{RepositoryAddress, graphql, malformed};
use crate::runtime::answer::{CallFailure, ShownText};
use crate::runtime::git::Repository;

/// The maximum number of pages of checks.
const PAGES: usize = 50;
const CHECKS: &str = "oid statusCheckRollup{contexts(first:100,after:$after){nodes{__typename ... on CheckRun{name status conclusion startedAt checkSuite{workflowRun{event workflow{name}}}} ... on StatusContext{context state createdAt}} pageInfo{hasNextPage endCursor}}}";

/// The checks of a commit.
#[derive(Debug, Default)]
pub struct CommitChecks {
    /// The commit that they belong to; none if GitHub does not have it.
    pub commit: Option<String>,
    /// The last run of each.
    pub checks: Vec<CommitCheck>,
    /// The state of the pull request, if there is one.
    pub state: Option<String>,
    /// The origin of the pull request, if there is one.
    pub fork: Option<ForkOrigin>,
}

/// Where a pull request comes from.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ForkOrigin {
    /// Whether it comes from another repository.
    pub cross: bool,
    /// Who opened it.
    #[serde(serialize_with = "ShownText::shown")]
    pub author: String,
    /// That repository, as `owner/name`; empty if it was deleted.
    #[serde(serialize_with = "ShownText::shown")]
    pub head_repo: String,
    /// Whether the user trusts it.
    pub trusted: bool,
}

/// What [`ForkOrigin::read`] reads of a pull request.
pub(super) const ORIGIN_FIELDS: &str = "isCrossRepository author{login} headRepository{nameWithOwner}";

impl ForkOrigin {
    /// Reads the origin of a pull request.
    pub(super) fn read(request: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Self {
            cross: request["isCrossRepository"] != false,
            author: text(&request["author"]["login"]),
            head_repo: text(&request["headRepository"]["nameWithOwner"]),
            trusted: false,
        }
    }
}

/// One check.
#[derive(Debug)]
pub struct CommitCheck {
    /// Its name, after that of its workflow.
    pub name: String,
    /// Its result.
    pub bucket: CheckBucket,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckBucket {
    /// It passed.
    Pass,
    /// It failed.
    Fail,
    /// It has not ended.
    Pending,
    /// It was skipped, or is neutral.
    Skipping,
    /// It was cancelled.
    Cancel,
}

/// The checks of a pull request's head, by its number, or of a commit.
///
/// # Errors
/// As [`super::pull_request`].
pub fn checks(
    repository: &Repository,
    at: &RepositoryAddress,
    number: Option<u64>,
    commit: &str,
) -> Result<CommitChecks, CallFailure> {
    let (parameter, field) = match number {
        Some(_) => (
            "$number:Int!",
            format!(
                "pullRequest(number:$number){{state {ORIGIN_FIELDS} commits(last:1){{nodes{{commit{{{CHECKS}}}}}}}}}"
            ),
        ),
        None => ("$oid:GitObjectID!", format!("object(oid:$oid){{... on Commit{{{CHECKS}}}}}")),
    };
    let query = format!(
        "query($owner:String!,$name:String!,{parameter},$after:String){{repository(owner:$owner,name:$name){{{field}}}}}"
    );
    let (mut found, mut after) = (CommitChecks::default(), None);
    let mut runs: Vec<((String, String), CommitCheck)> = Vec::new();
    for _ in 0..PAGES {
        let mut fields = vec![match number {
            Some(number) => ("-F", format!("number={number}")),
            None => ("-f", format!("oid={commit}")),
        }];
        fields.extend(after.take().map(|after| ("-f", format!("after={after}"))));
        let data = graphql(repository, at, &query, &fields)?;
        let answered = &data["repository"];
        let request = &answered["pullRequest"];
        let of = match number {
            Some(_) => &request["commits"]["nodes"][0]["commit"],
            None => &answered["object"],
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if number.is_some() {
            found.state = Some(text(&request["state"]));
            found.fork = Some(ForkOrigin::read(request));
        }
        found.commit = of["oid"].as_str().map(str::to_owned);
        let contexts = &of["statusCheckRollup"]["contexts"];
        let nodes = contexts["nodes"].as_array().into_iter().flatten();
        runs.extend(nodes.map(|node| (identity(node), check(node))));
        let page = &contexts["pageInfo"];
        if page["hasNextPage"] != true {
            // What has not started is awaited, whatever ended before.
            let is_last = |((key, started), _): &((String, String), CommitCheck)| {
                started.is_empty() || !runs.iter().any(|((other, later), _)| later > started && other == key)
            };
            let last: Vec<bool> = runs.iter().map(is_last).collect();
            let kept = runs.into_iter().zip(last).filter(|(_, is_last)| *is_last);
            found.checks = kept.map(|((_, check), _)| check).collect();
            return Ok(found);
        }
        after = page["endCursor"].as_str().map(str::to_owned);
    }
    Err(malformed(&format!("more than {PAGES} pages of checks")))
}

/// What gh tells two checks apart by, and when it started: the name of a check run with its workflow and event, or the
/// context of a status.
fn identity(value: &Value) -> (String, String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let run = &value["checkSuite"]["workflowRun"];
    let names = [&value["context"], &value["name"], &run["workflow"]["name"], &run["event"]];
    (names.map(text).join("\0"), text(&value["startedAt"]) + &text(&value["createdAt"]))
}

fn check(value: &Value) -> CommitCheck {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if value["__typename"] != "CheckRun" {
        let bucket = match value["state"].as_str().unwrap_or_default() {
            "SUCCESS" => CheckBucket::Pass,
            "FAILURE" | "ERROR" => CheckBucket::Fail,
            _ => CheckBucket::Pending,
        };
        return CommitCheck { name: text(&value["context"]), bucket };
    }
    let (name, workflow) =
        (text(&value["name"]), text(&value["checkSuite"]["workflowRun"]["workflow"]["name"]));
    let name = if workflow.is_empty() { name } else { format!("{workflow} / {name}") };
    let bucket = match (value["status"] == "COMPLETED", value["conclusion"].as_str().unwrap_or_default()) {
        (false, _) | (true, "STALE") => CheckBucket::Pending,
        (true, "SUCCESS") => CheckBucket::Pass,
        (true, "SKIPPED" | "NEUTRAL") => CheckBucket::Skipping,
        (true, "CANCELLED") => CheckBucket::Cancel,
        (true, _) => CheckBucket::Fail,
    };
    CommitCheck { name, bucket }
}
