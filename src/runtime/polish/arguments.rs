//! `polish args`: what a user or another skill asked a polish for, read from the raw text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::in_mode;
use crate::runtime::answer::{CallFailure, Delivery, USAGE};
use crate::runtime::command_line::options;
use crate::runtime::document;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::launch::LaunchMode;
use crate::runtime::review::arguments::ReviewTarget;

options! {
    /// Read the arguments of a polish
    ///
    /// Tokens are `mode:headless`, `trust-fork:1`, `accept-stale-review:1`, `allow-port-kill:1` and
    /// `plan:PATH`. The remaining word is a pull request by number or address, or a branch; without one, the
    /// current checkout is polished.
    ///
    /// Exit codes: 0 read; 2 arguments that contradict each other or mean nothing; 4 standard input is not valid UTF-8;
    /// 5 it cannot be read.
    pub struct Options {
        /// Read the text on standard input
        stdin: bool = "--stdin" { conflicts: &["[TEXT]..."] },
        /// The text
        text: Vec<String> = "[TEXT]...",
    }
    examples: ["plugcast-run polish args mode:headless 42", "plugcast-run polish args --stdin < arguments"]
}

/// The answer of `polish args`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// `ok`.
    pub status: PolishArgsStatus,
    /// The mode of the polish.
    pub mode: LaunchMode,
    /// What the user allows in advance.
    pub flags: PolishFlags,
    /// The plan that was given.
    pub plan: Option<String>,
    /// What is polished.
    pub target: ReviewTarget,
}

/// `polish args` has no other answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PolishArgsStatus {
    /// Read.
    Ok,
}

/// What the user allows in advance.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolishFlags {
    /// Whether code of a fork may run on this machine.
    pub trust_fork: bool,
    /// Whether a review of an earlier commit counts.
    pub accept_stale_review: bool,
    /// Whether the process on the server's port may be ended.
    pub allow_port_kill: bool,
}

impl PolishFlags {
    fn flag_named(&mut self, key: &str) -> Option<&mut bool> {
        match key {
            "trust-fork" => Some(&mut self.trust_fork),
            "accept-stale-review" => Some(&mut self.accept_stale_review),
            "allow-port-kill" => Some(&mut self.allow_port_kill),
            _ => None,
        }
    }

    /// The tokens that set them.
    pub(super) fn tokens(self) -> impl Iterator<Item = &'static str> {
        let flags = [
            (self.trust_fork, "trust-fork:1"),
            (self.accept_stale_review, "accept-stale-review:1"),
            (self.allow_port_kill, "allow-port-kill:1"),
        ];
        flags.into_iter().filter_map(|(is_set, token)| is_set.then_some(token))
    }
}

const TOKENS: &str = "the tokens are `mode:headless`, `trust-fork:1`, `accept-stale-review:1`, `allow-port-kill:1` and `plan:PATH`";
/// The token of a polish without a user.
pub(super) const HEADLESS: &str = "mode:headless";

/// Runs the command.
///
/// # Errors
/// `unknown_mode`, `conflicting_modes`, `unknown_token`, `bad_value`, `ambiguous_target`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    read(options.stdin, &options.text, environment).map(|response| Delivery::from_answer(&response))
}

/// Reads the words of a user, on standard input or the command line.
///
/// # Errors
/// As [`run`], in the form that the caller expects.
pub(super) fn read(stdin: bool, text: &[String], environment: &Environment) -> Result<Response, CallFailure> {
    let bytes = if stdin { environment.input()? } else { text.join(" ").into_bytes() };
    let is_headless = String::from_utf8_lossy(&bytes).split_ascii_whitespace().any(|word| word == HEADLESS);
    let mode = if is_headless { LaunchMode::Headless } else { LaunchMode::Interactive };
    document::utf8(bytes, "<stdin>").and_then(|text| parse(&text)).map_err(|failure| in_mode(mode, failure))
}

/// Reads the words of a user.
///
/// # Errors
/// As [`run`].
fn parse(text: &str) -> Result<Response, CallFailure> {
    let wrong =
        |code: ErrorCode, message: String, hint: &str| Err(CallFailure::new(USAGE, code, message, hint));
    // A placeholder that the host did not replace means no arguments.
    let words = text.split_ascii_whitespace().filter(|word| !matches!(*word, "$ARGUMENTS" | "${ARGUMENTS}"));
    // No branch begins with a dash, and none holds a colon.
    let is_token = |word: &&str| word.starts_with('-') || (word.contains(':') && !word.contains("://"));
    let (tokens, rest): (Vec<&str>, Vec<&str>) = words.partition(is_token);
    let (modes, others): (Vec<&str>, Vec<&str>) = tokens.iter().partition(|token| token.starts_with("mode:"));
    if let Some(unknown) = modes.iter().find(|mode| **mode != HEADLESS) {
        return wrong(
            ErrorCode::UnknownMode,
            format!("unknown mode `{unknown}`"),
            "pass `mode:headless` or no mode",
        );
    }
    if modes.len() > 1 {
        return wrong(
            ErrorCode::ConflictingModes,
            "more than one mode is given".to_owned(),
            "pass one of them",
        );
    }
    let mut response = Response {
        status: PolishArgsStatus::Ok,
        mode: if modes.is_empty() { LaunchMode::Interactive } else { LaunchMode::Headless },
        flags: PolishFlags::default(),
        plan: None,
        target: ReviewTarget::default(),
    };
    let is_known = |key: &str| key == "plan" || PolishFlags::default().flag_named(key).is_some();
    if let Some(unknown) = others.iter().find(|token| !is_known(split_token(token).0)) {
        return wrong(ErrorCode::UnknownToken, format!("unknown token `{unknown}`"), TOKENS);
    }
    for token in others {
        let (key, value) = split_token(token);
        match response.flags.flag_named(key) {
            Some(flag) if value == "1" => *flag = true,
            Some(_) => {
                let message = format!("`{token}` has an unknown value");
                return wrong(ErrorCode::BadValue, message, &format!("pass `{key}:1`, or leave it out"));
            }
            None if value.is_empty() => {
                return wrong(ErrorCode::BadValue, "`plan:` has no value".to_owned(), "pass `plan:PATH`");
            }
            None if response.plan.is_some() => {
                return wrong(ErrorCode::BadValue, "`plan:` is given twice".to_owned(), "pass one plan");
            }
            None => response.plan = Some(value.to_owned()),
        }
    }
    match rest.as_slice() {
        [] => {}
        [word] => {
            response.target = match ReviewTarget::parse(word) {
                Ok(target) => target,
                Err(reason) => {
                    let hint = "pass the number or the address of a pull request, or a branch";
                    return wrong(ErrorCode::BadValue, reason.trim_end_matches('.').to_owned(), hint);
                }
            }
        }
        words => {
            let message = format!("more than one target: `{}`", words.join("`, `"));
            return wrong(ErrorCode::AmbiguousTarget, message, "pass one pull request or branch");
        }
    }
    Ok(response)
}

/// The key and the value of a token.
fn split_token(token: &str) -> (&str, &str) {
    token.split_once(':').unwrap_or((token, ""))
}

/// Whether a word can be the name of a branch, rather than a revision expression.
pub(super) fn is_plain(name: &str) -> bool {
    let wrong = |c: char| c.is_control() || " ~^:?*[\\".contains(c);
    // A remote has a ref `HEAD`, but no branch of that name.
    name != "HEAD"
        && !name.contains(wrong)
        && !name.contains("..")
        && !name.contains("@{")
        && name.len() <= 255
}
