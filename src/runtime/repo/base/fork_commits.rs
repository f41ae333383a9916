//! Commits from the pull requests of forks, whatever the branch is called that has them, and whatever it follows.

use std::collections::BTreeMap;

use super::request::remote_among;
use super::{HEAD, ORIGIN, UPSTREAM, named_pull_request};
use crate::git_command;
use crate::order;
use crate::runtime::answer::{CallFailure, INTERRUPTED};
use crate::runtime::git::Repository;
use crate::runtime::github::{self, ForkOrigin, PullRequest, RepositoryAddress};

/// Where git keeps the heads of pull requests that this program fetched.
const FETCHED: &str = "refs/plugcast/pull-";
/// How many pull requests are looked up.
const MOST: usize = 20;

/// The pull request of a fork whose head is among the commits of HEAD that no base has, and its origin: that of HEAD
/// before others. Those that were merged, and those from a fork of the user's own, are not foreign.
///
/// # Errors
/// When git or GitHub fails.
pub fn fork_request_in(
    repository: &Repository,
    bases: &[&str],
) -> Result<Option<(PullRequest, ForkOrigin)>, CallFailure> {
    let words = [&["rev-list", "--ignore-missing", HEAD, "--not"], bases].concat();
    let listed = repository.must(&words)?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let commits: BTreeMap<&str, usize> = listed.lines().zip(0..).collect();
    let mut found = Vec::new();
    if commits.is_empty() {
        return Ok(None);
    }
    let at = |head: &str| commits.get(head).copied();
    let remotes = repository.remotes()?;
    let mut asked: Vec<&(String, String)> =
        remotes.iter().filter(|(name, _)| name == ORIGIN || name == UPSTREAM).collect();
    if asked.is_empty() {
        asked.extend(remotes.first());
    }
    for (remote, url) in asked {
        let Some(address) = RepositoryAddress::parse(url) else { continue };
        let program = format!("--upload-pack={}", git_command::UPLOAD_PACK);
        let words = ["ls-remote", &program, "--end-of-options", remote, "refs/pull/*/head"];
        let listed = repository.ask(&words)?;
        for line in listed.stdout_text().lines() {
            let Some((head, name)) = line.split_once('\t') else { continue };
            let number = name.strip_prefix("refs/pull/").and_then(|rest| rest.strip_suffix("/head"));
            found.extend(at(head).zip(number).map(|(at, number)| (at, pull_word(&address, number))));
        }
    }
    let home = remotes.iter().find(|(name, _)| name == ORIGIN).or(remotes.first());
    let home = home.and_then(|(_, url)| RepositoryAddress::parse(url));
    let kept = repository.must(&["for-each-ref", "--format=%(refname)", "refs/plugcast"])?;
    for name in String::from_utf8_lossy(&kept).lines() {
        if let (Some(number), Some(home)) = (name.strip_prefix(FETCHED), &home)
            && let Some(common) = repository.merge_base(HEAD, name)?
            && let Some(at) = at(&common)
        {
            found.push((at, pull_word(home, number)));
        }
    }
    let found = order::set(found);
    let mut known: Vec<String> = Vec::new();
    for (_, word) in found {
        if known.contains(&word) || known.len() == MOST {
            continue;
        }
        let foreign = foreign_request(repository, &word)?;
        if foreign.is_some() {
            return Ok(foreign);
        }
        known.push(word);
    }
    Ok(None)
}

/// A pull request by its address.
fn pull_word(address: &RepositoryAddress, number: &str) -> String {
    format!("{}/pull/{number}", address.url())
}

/// The pull request, if its code is foreign.
fn foreign_request(
    repository: &Repository,
    word: &str,
) -> Result<Option<(PullRequest, ForkOrigin)>, CallFailure> {
    let request = match named_pull_request(repository, word) {
        Ok(request) if request.is_cross_repository && request.state != "MERGED" => request,
        Ok(_) => return Ok(None),
        Err(failure) if failure.error.code == "gh_not_found" => return Ok(None),
        Err(failure) => return Err(failure),
    };
    let Some(base) = RepositoryAddress::parse(&request.base_url) else { return Ok(None) };
    let found = github::checks(repository, &base, Some(request.number), &request.head_sha)?;
    let fork = found.fork.unwrap_or_default();
    let Some(head) = RepositoryAddress::parse(&format!("https://{}/{}", base.host, fork.head_repo)) else {
        return Ok(Some((request, fork)));
    };
    let is_origin = remote_among(&repository.remotes()?, &head.url()).as_deref() == Some(ORIGIN);
    let is_users_own = is_origin
        || match github::for_branch(repository, &head, None) {
            Ok(found) => found.is_users_own,
            Err(failure) if failure.exit == INTERRUPTED => return Err(failure),
            // What GitHub does not know of is not trusted.
            Err(_) => false,
        };
    Ok((!is_users_own).then_some((request, fork)))
}
