//! Calls of `gh api` that heed GitHub's limits: the head of a response says when GitHub may be asked again.

use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::Value;

use super::failure::failed;
use super::{RepositoryAddress, api, data, malformed, query_words};
use crate::process::{ChildOutput, interrupt};
use crate::runtime::answer::CallFailure;
use crate::runtime::child;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::timestamp::Timestamp;

/// How often a query is sent again after a failure of the server.
const RETRIES: u32 = 2;

/// Calls for one repository.
#[derive(Debug)]
pub struct ApiSession<'a> {
    /// The working tree.
    pub repository: &'a Repository,
    /// The repository on GitHub.
    pub at: RepositoryAddress,
    /// How long it may wait for GitHub's limits, in seconds.
    pub max_wait: u64,
}

/// The failure of a call that changes something.
#[derive(Debug)]
pub struct PostFailure {
    /// The failure.
    pub failure: Box<CallFailure>,
    /// Whether GitHub refused it. Otherwise GitHub may have done it.
    pub is_refusal: bool,
}

/// A response of `gh api --include`.
struct ApiResponse {
    ended: ChildOutput,
    /// The status of HTTP, if GitHub answered.
    status: Option<u16>,
    /// When GitHub may be asked again, in seconds since 1970.
    limited_until: Option<u64>,
    body: Vec<u8>,
}

impl ApiSession<'_> {
    /// Runs a query, and returns its `data`. A partial answer fails, or comes with the reason if `allow_partial`.
    ///
    /// # Errors
    /// As [`super::pull_request`]; `rate_limited` with the time if GitHub cannot be waited for.
    pub fn query(
        &self,
        query: &str,
        fields: &[(&str, String)],
        allow_partial: bool,
    ) -> Result<(Value, Option<String>), CallFailure> {
        let response = self.call("graphql", &query_words(&self.at, query, fields), None)?;
        match data(self.repository, &self.at, &response.ended, &response.body) {
            Ok(data) => Ok((data, None)),
            Err((failure, Some(data))) if allow_partial && response.limited_until.is_none() => {
                Ok((data, Some(failure.error.message)))
            }
            Err((failure, _)) => Err(response.explained(*failure)),
        }
    }

    /// Posts a JSON document to a path below that of the repository, and returns the answer.
    ///
    /// # Errors
    /// As [`ApiSession::query`].
    pub fn post(&self, path: &str, document: &Value) -> Result<Value, PostFailure> {
        let path = format!("repos/{}/{}/{path}", self.at.owner, self.at.name);
        let words = ["--method", "POST", "--input", "-"].map(str::to_owned);
        let response = self.call(&path, &words, Some(document.to_string()));
        let response =
            response.map_err(|failure| PostFailure { failure: Box::new(failure), is_refusal: false })?;
        let is_refusal = response.status.is_some_and(|status| (400..500).contains(&status));
        if !response.ended.succeeded() {
            let failure = response.explained(failed(self.repository, &self.at, &response.ended, None));
            return Err(PostFailure { failure: Box::new(failure), is_refusal });
        }
        serde_json::from_slice(&response.body)
            .map_err(|_| PostFailure { failure: Box::new(malformed("no JSON")), is_refusal: false })
    }

    /// Calls `gh`, again once GitHub's limits allow it. A query is also sent again after a failure of the server.
    fn call(&self, path: &str, words: &[String], input: Option<String>) -> Result<ApiResponse, CallFailure> {
        let environment = self.repository.environment();
        let (mut waited, mut retries) = (0, 0);
        loop {
            let mut command = api(self.repository, &self.at, path).argument("--include").arguments(words);
            if let Some(input) = &input {
                command = command.input(input.as_str());
            }
            let mut ended = child::run(environment, "gh", &command)?;
            let stdout = std::mem::take(&mut ended.stdout);
            let (head, body) = split(&stdout);
            let now = u64::try_from(environment.now().seconds()).unwrap_or_default();
            let limited_until = if ended.succeeded() { None } else { limited_until(&head, body, now) };
            let status = head.split_whitespace().nth(1).and_then(|status| status.parse().ok());
            let wait = match limited_until {
                Some(until) => Some(until.saturating_sub(now).max(1)),
                None if input.is_none()
                    && status.is_some_and(|status| status >= 500)
                    && retries < RETRIES =>
                {
                    Some(1 << retries)
                }
                None => None,
            };
            match wait.filter(|wait| waited + wait <= self.max_wait) {
                Some(wait) => {
                    pause(wait)?;
                    (waited, retries) = (waited + wait, retries + 1);
                }
                None => return Ok(ApiResponse { status, limited_until, body: body.to_vec(), ended }),
            }
        }
    }
}

impl ApiResponse {
    /// A failure, with the time until which GitHub answers no more.
    fn explained(&self, failure: CallFailure) -> CallFailure {
        let Some(until) = self.limited_until else { return failure };
        let until = Timestamp::from_system_time(UNIX_EPOCH + Duration::from_secs(until)).rfc3339();
        let hint = format!("wait until {until}, then run it again");
        CallFailure::environment(ErrorCode::RateLimited, failure.error.message, hint)
    }
}

/// The head of a response, and its body.
fn split(stdout: &[u8]) -> (String, &[u8]) {
    let end = stdout.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    match end.filter(|_| stdout.starts_with(b"HTTP/")) {
        Some(end) => (String::from_utf8_lossy(&stdout[..end]).into_owned(), &stdout[end + 4..]),
        None => (String::new(), stdout),
    }
}

/// Until when GitHub refuses calls, by the head of a response that failed, in seconds since 1970.
fn limited_until(head: &str, body: &[u8], now: u64) -> Option<u64> {
    let value = |name: &str| {
        let of_name = |line: &str| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim().parse::<u64>().ok())?
        };
        head.lines().find_map(of_name)
    };
    let status = head.split_whitespace().nth(1)?;
    // A query beyond the limit is answered with 200.
    let is_limited = matches!(status, "403" | "429")
        || (status == "200" && memchr::memmem::find(body, b"\"RATE_LIMIT").is_some());
    let after = value("retry-after").map(|seconds| now.saturating_add(seconds));
    let reset = || value("x-ratelimit-reset").filter(|_| value("x-ratelimit-remaining") == Some(0));
    if is_limited { after.or_else(reset) } else { None }
}

/// Waits, unless interrupted.
///
/// # Errors
/// `interrupted`.
pub fn pause(seconds: u64) -> Result<(), CallFailure> {
    for _ in 0..seconds * 10 {
        if interrupt::pending() {
            return Err(CallFailure::interrupted());
        }
        thread::sleep(second() / 10);
    }
    Ok(())
}

/// How long a second of waiting takes. The feature `fault`, in no released build, shortens it.
fn second() -> Duration {
    #[cfg(feature = "fault")]
    return crate::process::injected_duration("hasty").unwrap_or(Duration::from_secs(1));
    #[cfg(not(feature = "fault"))]
    Duration::from_secs(1)
}
