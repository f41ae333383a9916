//! The failures of `gh`, by its own words: each has a code and what helps.

use super::RepositoryAddress;
use crate::printable::{line, shell_word};
use crate::process::ChildOutput;
use crate::runtime::answer::CallFailure;
use crate::runtime::child;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::hosts::SandboxAccess;

/// What `gh` says when the network fails.
const OF_THE_NETWORK: [&str; 6] = ["EOF", "connect", "dial tcp", "no such host", "timeout", "TLS handshake"];

/// The failure of `gh`, classified, with its own message.
pub(super) fn failed(
    repository: &Repository,
    at: &RepositoryAddress,
    ended: &ChildOutput,
    reason: Option<String>,
) -> CallFailure {
    let words = reason.unwrap_or_else(|| child::words(ended));
    let any = |signs: &[&str]| signs.iter().any(|sign| words.contains(sign));
    if let Some(refused) = child::sandbox_refusal(repository.environment(), SandboxAccess::Network, &words) {
        return refused;
    }
    let (code, hint) = if any(&["rate limit", "HTTP 429"]) {
        (ErrorCode::RateLimited, "wait, then run it again")
    } else if ended.code == Some(4) || any(&["HTTP 401", "gh auth login"]) {
        (ErrorCode::GhAuth, &*sign_in(&at.host))
    } else if any(&["HTTP 403", "Resource not accessible", "must have push access", "correct permissions"]) {
        (ErrorCode::GhForbidden, "give the account of `gh` access to the repository")
    } else if any(&["HTTP 404", "Could not resolve to a"]) {
        (ErrorCode::GhNotFound, "check the number, and that the account of `gh` sees the repository")
    } else if any(&["HTTP "]) {
        (ErrorCode::GhFailed, "GitHub answered so; what it names must change, or run it again later")
    } else if any(&OF_THE_NETWORK) {
        (ErrorCode::GhFailed, "check the network, then run it again")
    } else {
        (ErrorCode::GhFailed, "run `gh auth status` to see what is wrong")
    };
    CallFailure::environment(code, format!("`gh` failed: {words}"), hint)
}

/// How to sign in to a host. The name of one without a dot is an alias of ssh, and others may be, too.
fn sign_in(host: &str) -> String {
    let named = line(host);
    let sign_in = format!("sign in with `gh auth login --hostname {}`", shell_word(host));
    let alias = format!(
        "`{named}` is an alias of ssh, name GitHub's own host with `git remote set-url`, and keep the alias with `git config {} git@github.com:`",
        shell_word(&format!("url.git@{host}:.insteadOf"))
    );
    match host {
        "github.com" => "sign in with `gh auth login`".to_owned(),
        _ if host.contains('.') => format!("{sign_in}; if {alias}"),
        _ => format!("if {alias}"),
    }
}
