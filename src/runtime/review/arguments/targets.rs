//! The targets among the words of a user: a pull request or a branch, in the forms that people write.

use super::{IsBranch, KEYS, LONGEST_BRANCH, QUOTES, Target, is_request, pull_request};
use crate::runtime::answer::Failure;

/// What stands before a number, with nothing in between.
const BEFORE_NUMBER: [&str; 8] =
    ["pr#", "pr:", "pr/", "pull/", "pull:", "pull-request:", "pull-request#", "pull_request:"];
const BRANCH: &str = "branch";

/// What was found among words.
#[derive(Debug, Default)]
pub(super) struct Found<'a> {
    pub(super) targets: Vec<Target>,
    /// The other words.
    pub(super) focus: Vec<&'a str>,
    /// A word that can only be meant as a target and is none: why.
    pub(super) wrong: Option<String>,
}

/// Finds the targets among words that are no tokens. Without a repository the only word that is nothing else is taken for
/// a branch.
///
/// # Errors
/// What `is_branch` fails with.
pub(super) fn find<'a>(words: &[&'a str], is_branch: Option<IsBranch<'_>>) -> Result<Found<'a>, Failure> {
    let known = |word: &str| match is_branch {
        Some(_) if word.is_empty() || word.len() > LONGEST_BRANCH => Ok(false),
        Some(is_branch) => is_branch(word),
        None => Ok(words.len() == 1),
    };
    let (mut found, mut at) = (Found::default(), 0);
    while at < words.len() {
        let rest = &words[at..];
        let (word, is_first) = (unquoted(words[at]), at == 0);
        let is_path = word.contains('/') && !word.contains("://");
        let number = if is_path && known(word)? { None } else { number_of(rest, is_first) };
        if let Some((number, length)) = number {
            match pull_request(&number) {
                Ok(target) => {
                    found.targets.push(target);
                    at += length;
                    continue;
                }
                Err(reason) if words.len() == length => {
                    found.wrong = Some(reason);
                    return Ok(found);
                }
                Err(_) => {}
            }
        }
        let lower = word.to_ascii_lowercase();
        if lower.starts_with("branch:") {
            let name = unquoted(&word[BRANCH.len() + 1..]);
            if is_branch.is_some() && !known(name)? {
                found.wrong = Some(format!("{name} is no branch here."));
                return Ok(found);
            }
            found.targets.push(Target::of_branch(name));
        } else if is_first && lower == BRANCH && is_branch.is_some() && named(rest, &known)? {
            found.targets.push(Target::of_branch(unquoted(rest[1])));
            at += 1;
        } else if (is_first || word.contains('/') || is_branch.is_none()) && known(word)? {
            // A word in the middle of a sentence is no target because a branch is called so.
            found.targets.push(Target::of_branch(word));
        } else {
            found.focus.push(words[at]);
        }
        at += 1;
    }
    // Where every word can be a target, each of them is meant as one.
    if found.targets.len() == 1 && !found.focus.is_empty() && is_branch.is_some() {
        let mut others = Vec::new();
        for word in &found.focus {
            let word = unquoted(word);
            if is_request(word, true) {
                others.extend(pull_request(word.trim_start_matches('#')).ok());
            } else if known(word)? {
                others.push(Target::of_branch(word));
            }
        }
        if others.len() == found.focus.len() {
            found.targets.append(&mut others);
        }
    }
    Ok(found)
}

/// Whether the second word is a branch.
fn named(words: &[&str], known: &impl Fn(&str) -> Result<bool, Failure>) -> Result<bool, Failure> {
    words.get(1).map_or(Ok(false), |name| known(unquoted(name)))
}

/// The number or address of a pull request that words begin with, and how many of them say it.
fn number_of(words: &[&str], is_first: bool) -> Option<(String, usize)> {
    let lower = |at: usize| words.get(at).map(|word| unquoted(word).to_ascii_lowercase());
    let before = match (lower(0)?.as_str(), lower(1).as_deref()) {
        ("pull", Some("request")) => 2,
        ("pr" | "pull-request" | "pullrequest", _) => 1,
        _ => 0,
    };
    if before > 0 {
        let word = unquoted(words.get(before)?);
        let number = word.trim_end_matches(ENDS).trim_start_matches('#');
        return is_request(number, true).then(|| (number.to_owned(), before + 1));
    }
    let word = unquoted(words[0]);
    if word.contains("://") {
        return Some((word.to_owned(), 1));
    }
    let word = word.trim_start_matches('(').trim_end_matches(ENDS);
    let short = lower(0)?;
    let short = short.trim_start_matches('(').trim_end_matches(ENDS);
    if let Some(number) = BEFORE_NUMBER.iter().find_map(|before| short.strip_prefix(before)) {
        let number = number.trim_start_matches('#');
        return is_request(number, true).then(|| (number.to_owned(), 1));
    }
    let is_alone = word == unquoted(words[0]) || word.starts_with('#');
    is_request(word, is_first && is_alone).then(|| (word.trim_start_matches('#').to_owned(), 1))
}

/// What may end a sentence, or a part of one.
const ENDS: [char; 7] = ['.', ',', ';', ':', '!', '?', ')'];

/// A word without the quotes around it.
fn unquoted(word: &str) -> &str {
    let inner = QUOTES.iter().find_map(|quote| word.strip_prefix(*quote)?.strip_suffix(*quote));
    inner.filter(|inner| !inner.is_empty()).unwrap_or(word)
}

/// Whether a word is meant as a token and written as an option or an assignment: `--mode`, `mode=autofix`, `--headless`.
pub(super) fn is_option(word: &str) -> bool {
    let lower = unquoted(word).to_ascii_lowercase();
    let name = lower.trim_start_matches('-');
    let is_dashed = name.len() < lower.len();
    let key = name.split(['=', ':']).next().unwrap_or_default();
    (KEYS.contains(&key) && (is_dashed || name.contains('='))) || (is_dashed && super::MODES.contains(&name))
}
