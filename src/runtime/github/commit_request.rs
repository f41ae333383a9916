//! The pull requests that have a commit, and whose code it is then.

use serde_json::Value;

use super::checks::ORIGIN_FIELDS;
use super::{FIELDS, ForkOrigin, PullRequest, RepositoryAddress, graphql, read};
use crate::runtime::answer::CallFailure;
use crate::runtime::git::Repository;

/// A pull request that has a commit.
#[derive(Debug)]
pub struct CommitRequest {
    /// The pull request.
    pub request: PullRequest,
    /// Where it comes from.
    pub origin: ForkOrigin,
    /// Whether it is one of the repository that was asked.
    is_here: bool,
    /// Whether it comes from a repository of the account of gh.
    is_users: bool,
}

impl CommitRequest {
    /// Whether its code is the repository's or the user's own: it comes from there, or was merged.
    pub fn is_own(&self) -> bool {
        self.is_users || self.is_here && (!self.origin.cross || self.request.state == "MERGED")
    }
}

/// The pull requests that have a commit, in any repository.
///
/// # Errors
/// As [`super::pull_request`].
pub fn requests_with(
    repository: &Repository,
    at: &RepositoryAddress,
    commit: &str,
) -> Result<Vec<CommitRequest>, CallFailure> {
    let query = format!(
        "query($owner:String!,$name:String!,$oid:GitObjectID!){{viewer{{login}} repository(owner:$owner,name:$name){{url object(oid:$oid){{... on Commit{{associatedPullRequests(first:100){{nodes{{{FIELDS} {ORIGIN_FIELDS}}}}}}}}}}}}}"
    );
    let data = graphql(repository, at, &query, &[("-f", format!("oid={commit}"))])?;
    let found = &data["repository"];
    let address = |value: &Value| value["url"].as_str().and_then(RepositoryAddress::parse);
    let here = address(found).unwrap_or_else(|| at.clone());
    let viewer = data["viewer"]["login"].as_str().filter(|login| !login.is_empty());
    let nodes = found["object"]["associatedPullRequests"]["nodes"].as_array();
    let mut requests = Vec::new();
    for node in nodes.into_iter().flatten() {
        let Some(request) = read(node)? else { continue };
        let origin = ForkOrigin::read(node);
        let owner = origin.head_repo.split_once('/').map(|(owner, _)| owner);
        requests.push(CommitRequest {
            is_here: address(&node["baseRepository"]).is_some_and(|base| base.is(&here) || base.is(at)),
            is_users: owner.zip(viewer).is_some_and(|(owner, viewer)| owner.eq_ignore_ascii_case(viewer)),
            request,
            origin,
        });
    }
    Ok(requests)
}
