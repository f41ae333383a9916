//! `review args`: what a person or another skill asked a review for, read from the raw text.

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Mode, failed};
use crate::runtime::answer::{Failure, Said, USAGE};
use crate::runtime::repo::base::pull_request_name;
use crate::runtime::surroundings::Surroundings;

/// Read the arguments of a review
///
/// Tokens are `mode:autofix`, `mode:report-only`, `mode:headless`, `base:REF` and `plan:PATH`; what remains is
/// the target: a pull request by number or address, a branch, or nothing for what is checked out.
///
/// Exit codes: 0 read; 2 arguments that contradict each other or mean nothing: print `error.message` as it is,
/// and start no agent.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast-run review args mode:headless 42\n  plugcast-run review args --stdin < arguments"
)]
pub struct Options {
    /// Read the text on standard input
    #[arg(long, conflicts_with = "text")]
    stdin: bool,
    /// The text
    text: Vec<String>,
}

/// The answer of `review args`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// `ok`.
    pub status: Status,
    /// How the review runs.
    pub mode: Mode,
    /// The base that was named.
    pub base: Option<String>,
    /// The plan that was named.
    pub plan: Option<String>,
    /// What is reviewed.
    pub target: Target,
}

/// `review args` has no other answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Read.
    Ok,
}

/// What is reviewed.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Target {
    /// What kind of target it is.
    pub kind: Kind,
    /// Of a pull request: its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Of a pull request given by its address: the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Of a pull request given by its address: the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Of a pull request given by its address: the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Of a branch: its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

/// Kinds of target.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A pull request.
    Pr,
    /// A branch.
    Branch,
    /// What is checked out.
    #[default]
    Current,
}

/// Runs the command.
///
/// # Errors
/// `unknown_mode`, `conflicting_modes`, `unknown_token`, `bad_value`, `ambiguous_target`, `base_with_target`.
pub fn run(options: &Options, surroundings: &Surroundings) -> Result<Said, Failure> {
    let text = if options.stdin { surroundings.input_text()? } else { options.text.join(" ") };
    read(&text).map(|answer| Said::of(&answer))
}

fn read(text: &str) -> Result<Answer, Failure> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let modes: Vec<&str> = words.iter().copied().filter(|word| word.starts_with("mode:")).collect();
    let headless = modes.contains(&"mode:headless");
    let wrong = |code: &str, reason: String| {
        let mode = if headless { Mode::Headless } else { Mode::Interactive };
        failed(USAGE, code, mode, &reason).hinting("repair the arguments, and start again")
    };
    if let Some(unknown) = modes.iter().find(|word| Mode::token(word).is_none()) {
        let reason =
            format!("unknown mode flag ({unknown}). Pass mode:autofix, mode:report-only or mode:headless.");
        return Err(wrong("unknown_mode", reason));
    }
    if modes.len() > 1 {
        let reason = format!("conflicting mode flags ({}). Pass one.", modes.join(", "));
        return Err(wrong("conflicting_modes", reason));
    }
    let (mut base, mut plan, mut rest) = (None, None, Vec::new());
    for word in words.iter().filter(|word| !word.starts_with("mode:")) {
        let place = match word.split_once(':') {
            Some(("base", value)) => (&mut base, value),
            Some(("plan", value)) => (&mut plan, value),
            // An address, or what git calls a branch: that never holds a colon.
            Some((_, value)) if !value.starts_with("//") => {
                return Err(wrong("unknown_token", format!("unknown token ({word}).")));
            }
            _ => {
                rest.push(*word);
                continue;
            }
        };
        let (place, value) = place;
        if value.is_empty() || place.is_some() {
            return Err(wrong("bad_value", format!("{word} needs one value.")));
        }
        *place = Some(value.to_owned());
    }
    let target = match rest.as_slice() {
        [] => Target::default(),
        [one] => target(one).map_err(|reason| wrong("bad_value", reason))?,
        several => {
            return Err(wrong("ambiguous_target", format!("more than one target ({}).", several.join(", "))));
        }
    };
    if base.is_some() && target.kind != Kind::Current {
        let reason = "base: goes with the current checkout, not with a target. Pass one of them.";
        return Err(wrong("base_with_target", reason.to_owned()));
    }
    let mode = modes.first().and_then(|word| Mode::token(word)).unwrap_or(Mode::Interactive);
    Ok(Answer { status: Status::Ok, mode, base, plan, target })
}

/// A target by its word.
pub(super) fn target(word: &str) -> Result<Target, String> {
    if word.contains("://") || (!word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())) {
        let (address, number) =
            pull_request_name(word).map_err(|_| format!("{word} is no address of a pull request."))?;
        let (host, owner, repo) =
            address.map_or((None, None, None), |a| (Some(a.host), Some(a.owner), Some(a.name)));
        return Ok(Target { kind: Kind::Pr, number: Some(number), host, owner, repo, branch: None });
    }
    Ok(Target { kind: Kind::Branch, branch: Some(word.to_owned()), ..Target::default() })
}
