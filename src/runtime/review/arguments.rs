//! `review args`: what the user or another skill asked a review for, read from the raw text.

mod targets;

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::targets::{FoundTarget, is_option};
use super::{ReviewMode, failed, in_mode, target};
use crate::order;
use crate::runtime::answer::{CallFailure, Delivery, USAGE};
use crate::runtime::command_line::options;
use crate::runtime::document;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::repo::base::pull_request_name;

options! {
    /// Read the arguments of a review
    ///
    /// Tokens are `mode:autofix`, `mode:report-only`, `mode:headless`, `base:REF` and `plan:PATH`. A pull
    /// request by number or address (`42`, `#42`) or an existing branch is the target if it comes first, after
    /// words that only ask for a review (`please review #42`), or after `review of`; all other words are the
    /// focus. A pull request or branch among them is reported (`like #42`), or refused if it may be meant
    /// either way.
    ///
    /// Exit codes: 0 read; 2 arguments that contradict each other or mean nothing: print `error.message`
    /// unchanged, and start no agent; 4 standard input is not valid UTF-8; 5 it cannot be read, or git failed;
    /// 7 git took too long.
    pub struct Options {
        /// Read the text on standard input
        stdin: bool = "--stdin" { conflicts: &["[TEXT]..."] },
        /// The text
        text: Vec<String> = "[TEXT]...",
    }
    examples: ["plugcast-run review args mode:headless 42", "plugcast-run review args --stdin < arguments"]
}

/// The answer of `review args`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// `ok`.
    pub status: ReviewArgsStatus,
    /// The mode of the review.
    pub mode: ReviewMode,
    /// The base that was given.
    pub base: Option<String>,
    /// The plan that was given.
    pub plan: Option<String>,
    /// What reviewers are told to look at first: all words that are not arguments.
    pub focus: Option<String>,
    /// What is reviewed.
    pub target: ReviewTarget,
    /// What a reader should know about how the words were read.
    pub notes: Vec<String>,
}

/// `review args` has no other answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewArgsStatus {
    /// Read.
    Ok,
}

/// What is reviewed.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewTarget {
    /// What kind of target it is.
    pub kind: TargetKind,
    /// The number, for a pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// The host, for a pull request given by address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The owner, for a pull request given by address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The repository, for a pull request given by address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The name, for a branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

/// Kinds of target.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A pull request.
    Pr,
    /// A branch.
    Branch,
    /// What is checked out.
    #[default]
    Current,
}

/// Tells whether a word names a branch of the repository.
pub(super) type BranchTest<'a> = &'a dyn Fn(&str) -> Result<bool, CallFailure>;

/// Runs the command.
///
/// # Errors
/// `unknown_mode`, `conflicting_modes`, `unknown_token`, `bad_value`, `ambiguous_target`, `base_with_target`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let text = if options.stdin { input(environment)? } else { options.text.join(" ") };
    // Outside of a repository, a single word is read as a branch.
    let repository = Repository::find(environment, &environment.folder).ok();
    let is_branch =
        repository.as_ref().map(|repository| move |word: &str| target::is_branch(repository, word));
    let answer = match &is_branch {
        Some(is_branch) => parse(&text, Some(is_branch)),
        None => parse(&text, None),
    };
    answer.map(|answer| Delivery::from_answer(&answer))
}

/// The user's words on standard input. Even invalid UTF-8 shows whether the review is headless.
pub(super) fn input(environment: &Environment) -> Result<String, CallFailure> {
    let bytes = environment.input()?;
    let mode = mode_said(&bytes);
    document::utf8(bytes, "<stdin>").map_err(|failure| in_mode(mode, failure))
}

/// A failure before `review begin` has read its words, in the form that their writer expects.
pub(in crate::runtime) fn unread_failure(failure: CallFailure, environment: &Environment) -> CallFailure {
    let mode = environment.input().map_or(ReviewMode::Interactive, |bytes| mode_said(&bytes));
    in_mode(mode, failure)
}

fn is_headless(word: &str) -> bool {
    ReviewMode::token(word) == Some(ReviewMode::Headless)
}

fn mode_said(words: &[u8]) -> ReviewMode {
    let words = String::from_utf8_lossy(words);
    let is_headless = words.split_whitespace().any(|word| is_headless(&token(word)));
    if is_headless { ReviewMode::Headless } else { ReviewMode::Interactive }
}

/// Parses the user's words. Without a repository, a single other word is read as a branch.
///
/// # Errors
/// As [`run`].
pub(super) fn parse(text: &str, is_branch: Option<BranchTest<'_>>) -> Result<Response, CallFailure> {
    let text = text.trim_start_matches('\u{feff}');
    // A placeholder that the host did not replace means no arguments.
    let replaced = |word: &&str| !matches!(*word, "$ARGUMENTS" | "${ARGUMENTS}");
    let words: Vec<Cow<'_, str>> = split_words(text).into_iter().filter(replaced).map(token).collect();
    let words: Vec<&str> = words.iter().map(Cow::as_ref).collect();
    let modes: Vec<&str> = words.iter().copied().filter(|word| word.starts_with("mode:")).collect();
    let headless = modes.iter().any(|word| is_headless(word));
    let wrong = |code: ErrorCode, reason: String| {
        let mode = if headless { ReviewMode::Headless } else { ReviewMode::Interactive };
        failed(USAGE, code, mode, &reason).with_hint("repair the arguments, and start again")
    };
    if let Some(unknown) = modes.iter().find(|word| ReviewMode::token(word).is_none()) {
        let reason =
            format!("unknown mode flag ({unknown}). Pass mode:autofix, mode:report-only or mode:headless.");
        return Err(wrong(ErrorCode::UnknownMode, reason));
    }
    if modes.len() > 1 {
        let reason = format!("conflicting mode flags ({}). Pass one.", modes.join(", "));
        return Err(wrong(ErrorCode::ConflictingModes, reason));
    }
    let (mut base, mut plan, mut rest) = (None, None, Vec::new());
    for word in words.iter().filter(|word| !word.starts_with("mode:")) {
        let (place, value) = match word.split_once(':') {
            Some(("base", value)) => (&mut base, value),
            Some(("plan", value)) => (&mut plan, value),
            split if is_option(word) || split.is_some_and(|(key, value)| is_mistyped(key, value)) => {
                let reason = format!("unknown token ({word}). Tokens are mode:, base: and plan:.");
                return Err(wrong(ErrorCode::UnknownToken, reason));
            }
            _ => {
                rest.push(*word);
                continue;
            }
        };
        if value.is_empty() {
            return Err(wrong(ErrorCode::BadValue, format!("{word} needs a value.")));
        }
        if let Some(before) = place {
            let key = &word[..word.len() - value.len()];
            return Err(wrong(
                ErrorCode::BadValue,
                format!("{key} is given twice ({before}, {value}). Pass one."),
            ));
        }
        *place = Some(value.to_owned());
    }
    let FoundTarget { mut targets, focus, notes, wrong: no_target } = targets::find(&rest, is_branch)?;
    if let Some(reason) = no_target {
        return Err(wrong(ErrorCode::BadValue, reason));
    }
    if targets.len() > 1 {
        let named: Vec<String> = targets.iter().map(ReviewTarget::word).collect();
        return Err(wrong(
            ErrorCode::AmbiguousTarget,
            format!("more than one target ({}).", named.join(", ")),
        ));
    }
    let target = targets.pop().unwrap_or_default();
    if base.is_some() && target.kind != TargetKind::Current {
        let reason = "base: goes with the current checkout, not with a target. Pass one of them.";
        return Err(wrong(ErrorCode::BaseWithTarget, reason.to_owned()));
    }
    let mode = modes.first().and_then(|word| ReviewMode::token(word)).unwrap_or(ReviewMode::Interactive);
    let focus = (!focus.is_empty()).then(|| focus.join(" "));
    Ok(Response { status: ReviewArgsStatus::Ok, mode, base, plan, focus, target, notes })
}

/// Tokens with a value.
const KEYS: [&str; 3] = ["mode", "base", "plan"];
/// Values of `mode:`.
const MODES: [&str; 3] = ["autofix", "report-only", "headless"];
/// The longest name of a branch, in bytes; git stores it as a file name.
pub(super) const LONGEST_BRANCH: usize = 255;
const QUOTES: [char; 3] = ['"', '\'', '`'];

/// The words of a text. Only a quoted token, or the quoted value of a token, may contain spaces; elsewhere, a quote is
/// an apostrophe.
fn split_words(text: &str) -> Vec<&str> {
    let (mut words, mut rest) = (Vec::new(), text.trim_start());
    while !rest.is_empty() {
        let space = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let end = quoted_end(rest).unwrap_or(space);
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    words
}

/// The end of a quoted token at the start of a text: `plan:"my plan.md"`, `"plan:my plan.md"`.
fn quoted_end(text: &str) -> Option<usize> {
    let inner = text.strip_prefix(QUOTES).unwrap_or(text);
    let (key, value) = inner.split_once(':')?;
    KEYS.iter().find(|known| key.eq_ignore_ascii_case(known))?;
    let opened = if inner.len() < text.len() { text } else { value };
    let quote = opened.chars().next().filter(|sign| QUOTES.contains(sign))?;
    let from = text.len() - opened.len() + quote.len_utf8();
    let end = from + text[from..].find(quote)? + quote.len_utf8();
    let is_end = text[end..].is_empty() || text[end..].starts_with(char::is_whitespace);
    is_end.then_some(end)
}

/// A word; if it is a token, without quotes and with its key in lower case.
fn token(word: &str) -> Cow<'_, str> {
    match word.trim_matches(QUOTES).split_once(':') {
        Some((key, value)) if KEYS.iter().any(|known| key.eq_ignore_ascii_case(known)) => {
            Cow::Owned(format!("{}:{}", key.to_ascii_lowercase(), value.trim_matches(QUOTES)))
        }
        _ => Cow::Borrowed(word),
    }
}

/// Whether a word is a mistyped token: its value is one of `mode:`, or its key has a letter too many, too few or
/// swapped. Any other word with a colon belongs to the focus.
fn is_mistyped(key: &str, value: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let is_near = |known: &str| {
        let without = |word: &str, at: usize| format!("{}{}", &word[..at], &word[at + 1..]);
        let (mut letters, mut others) = (key.clone().into_bytes(), known.as_bytes().to_vec());
        order::sort(&mut letters);
        order::sort(&mut others);
        letters == others
            || (key.is_ascii() && (0..key.len()).any(|at| without(&key, at) == known))
            || (0..known.len()).any(|at| without(known, at) == key)
    };
    MODES.contains(&value) || (!value.is_empty() && KEYS.iter().any(|known| is_near(known)))
}

/// Whether a word is meant as a pull request; a bare number only where a target is allowed.
fn is_request(word: &str, target: bool) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    word.contains("://") || word.strip_prefix('#').is_some_and(number) || (target && number(word))
}

/// A pull request by number or address.
fn pull_request(word: &str) -> Result<ReviewTarget, String> {
    let (address, number) =
        pull_request_name(word).map_err(|_| format!("{word} is not the address of a pull request."))?;
    let (host, owner, repo) =
        address.map_or((None, None, None), |a| (Some(a.host), Some(a.owner), Some(a.name)));
    Ok(ReviewTarget { kind: TargetKind::Pr, number: Some(number), host, owner, repo, branch: None })
}

impl ReviewTarget {
    /// Parses a target: a pull request by number or address, or a branch.
    ///
    /// # Errors
    /// Why a word that looks like a pull request is invalid, as a sentence.
    pub fn parse(word: &str) -> Result<Self, String> {
        if is_request(word, true) {
            return pull_request(word.trim_start_matches('#'));
        }
        Ok(Self::from_branch(word))
    }

    fn from_branch(name: &str) -> Self {
        Self { kind: TargetKind::Branch, branch: Some(name.to_owned()), ..Self::default() }
    }

    /// A description for people; none for the current checkout.
    pub(super) fn title(&self) -> Option<String> {
        match self.kind {
            TargetKind::Current => None,
            TargetKind::Pr => self.number.map(|number| format!("pull request {number}")),
            TargetKind::Branch => self.branch.as_ref().map(|branch| format!("the branch `{branch}`")),
        }
    }

    /// The word that names it.
    pub fn word(&self) -> String {
        let number = self.number.unwrap_or_default();
        match (&self.branch, &self.host, &self.owner, &self.repo) {
            (Some(branch), ..) => branch.clone(),
            (_, Some(host), Some(owner), Some(repo)) => {
                format!("https://{host}/{owner}/{repo}/pull/{number}")
            }
            _ if self.kind == TargetKind::Pr => number.to_string(),
            _ => String::new(),
        }
    }
}
