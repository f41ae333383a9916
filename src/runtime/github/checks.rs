//! The results of continuous integration for a commit, from all pages, in the buckets of gh: a check run or status
//! passed, failed, is pending, was skipped or was cancelled.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{RepositoryAddress, graphql, malformed};
use crate::runtime::answer::CallFailure;
use crate::runtime::git::Repository;

/// The maximum number of pages of checks.
const PAGES: usize = 50;
const CHECKS: &str = "oid statusCheckRollup{contexts(first:100,after:$after){nodes{__typename ... on CheckRun{name status conclusion checkSuite{workflowRun{workflow{name}}}} ... on StatusContext{context state}} pageInfo{hasNextPage endCursor}}}";

/// The checks of a commit.
#[derive(Debug, Default)]
pub struct CommitChecks {
    /// The commit that they belong to; none if GitHub does not have it.
    pub commit: Option<String>,
    /// All of them.
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
    pub author: String,
    /// That repository, as `owner/name`; empty if it was deleted.
    pub head_repo: String,
    /// Whether the user trusts it.
    pub trusted: bool,
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
                "pullRequest(number:$number){{state isCrossRepository author{{login}} headRepository{{nameWithOwner}} commits(last:1){{nodes{{commit{{{CHECKS}}}}}}}}}"
            ),
        ),
        None => ("$oid:GitObjectID!", format!("object(oid:$oid){{... on Commit{{{CHECKS}}}}}")),
    };
    let query = format!(
        "query($owner:String!,$name:String!,{parameter},$after:String){{repository(owner:$owner,name:$name){{{field}}}}}"
    );
    let (mut found, mut after) = (CommitChecks::default(), None);
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
            found.fork = Some(ForkOrigin {
                cross: request["isCrossRepository"] != false,
                author: text(&request["author"]["login"]),
                head_repo: text(&request["headRepository"]["nameWithOwner"]),
                trusted: false,
            });
        }
        found.commit = of["oid"].as_str().map(str::to_owned);
        let contexts = &of["statusCheckRollup"]["contexts"];
        found.checks.extend(contexts["nodes"].as_array().into_iter().flatten().map(check));
        let page = &contexts["pageInfo"];
        if page["hasNextPage"] != true {
            return Ok(found);
        }
        after = page["endCursor"].as_str().map(str::to_owned);
    }
    Err(malformed(&format!("more than {PAGES} pages of checks")))
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
