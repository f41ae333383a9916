//! Finds the target among the user's words: a pull request or a branch, in the forms that people write. A target is
//! allowed at the start, after words that only ask for a review, or after `review of`. Elsewhere the same form is a
//! mention (`like #42`), which is noted, or refused if it is ambiguous.

use super::{BranchTest, KEYS, LONGEST_BRANCH, QUOTES, ReviewTarget, is_request, pull_request};
use crate::runtime::answer::CallFailure;

/// What directly precedes a number.
const BEFORE_NUMBER: &[&str] =
    &["pr#", "pr:", "pr/", "pull/", "pull:", "pull-request:", "pull-request#", "pull_request:"];
const BRANCH: &str = "branch";
/// Words that only ask for a review: a target may follow them.
#[rustfmt::skip]
const ASKING: &[&str] = &[
    "&", "a", "again", "also", "an", "and", "at", "audit", "begin", "branch", "can", "change", "changes", "check", "code",
    "commits", "could", "diff", "do", "examine", "for", "give", "go", "have", "hello", "hey", "hi", "i", "in", "inspect",
    "into", "just", "kindly", "let's", "look", "me", "my", "need", "now", "of", "on", "or", "our", "over", "please", "pls",
    "re-review", "request", "review", "reviews", "run", "start", "take", "the", "this", "through", "to", "want", "we",
    "you",
];
/// Words for a review: what follows one of them and one of [`PREPOSITIONS`] is the target.
const REVIEWS: &[&str] =
    &["audit", "check", "diff", "look", "pass", "review", "reviews", "reviewing", "scan"];
const PREPOSITIONS: &[&str] = &["at", "for", "of", "on", "over"];
/// Words before a mention: what they name is not a target.
#[rustfmt::skip]
const MENTIONING: &[&str] = &[
    "addresses", "after", "against", "as", "before", "breaks", "by", "cf", "cf.", "closes", "closing", "compare",
    "compared", "e.g.", "fix", "fixed", "fixes", "fixing", "from", "ignore", "implements", "issue", "like", "not",
    "ref", "refs", "regression", "related", "resolve", "resolves", "resolving", "revert", "reverts", "see", "since",
    "skip", "supersedes", "than", "ticket", "unlike", "until", "vs", "with", "without",
];
/// Words that may follow a target that is a plain word.
#[rustfmt::skip]
const GOING_ON: &[&str] = &[
    "again", "and", "before", "but", "especially", "focus", "focusing", "for", "mainly", "only", "or", "please",
    "thoroughly", "carefully", "with", "without",
];
const ARTICLES: &[&str] = &["a", "an", "my", "our", "the", "this"];

/// Words with a final `s` that are not plurals.
const SINGULAR: &[&str] = &["across", "always", "focus", "perhaps", "process", "access", "versus", "this"];
/// Words that may follow `#1` as a rank.
const RANKED_WORDS: &[&str] = &["concern", "goal", "issue", "priority", "rule", "thing"];

/// What was found among the words.
#[derive(Debug, Default)]
pub(super) struct FoundTarget<'a> {
    pub(super) targets: Vec<ReviewTarget>,
    /// The other words.
    pub(super) focus: Vec<&'a str>,
    /// What a reader should know about words that could be meant as a target.
    pub(super) notes: Vec<String>,
    /// Why a word is refused: it looks like a target but is invalid, or is ambiguous.
    pub(super) wrong: Option<String>,
}

/// The role of a target's form at its position.
enum FormRole {
    Target,
    Mention,
    Unclear,
}

/// Finds the targets among words that are not tokens. Without a repository, a single word is read as a branch.
///
/// # Errors
/// What `is_branch` fails with.
pub(super) fn find<'a>(
    words: &[&'a str],
    is_branch: Option<BranchTest<'_>>,
) -> Result<FoundTarget<'a>, CallFailure> {
    let known = |word: &str| match is_branch {
        Some(_) if word.is_empty() || word.len() > LONGEST_BRANCH => Ok(false),
        Some(is_branch) => is_branch(word),
        None => Ok(words.len() == 1),
    };
    // Whether all words so far (`is_start`), or all of this part of the text (`is_free`), only ask for a review.
    let (mut found, mut at, mut is_start, mut is_free) = (FoundTarget::default(), 0, true, true);
    while at < words.len() {
        let rest = &words[at..];
        let named = match named_at((words, at), is_start, is_branch.is_some(), &known)? {
            WordMeaning::Target(target, length) => Some((target, length)),
            WordMeaning::Focus(note) => {
                found.notes.extend(note);
                None
            }
            WordMeaning::Invalid(reason) => {
                found.wrong = Some(reason);
                return Ok(found);
            }
        };
        let Some((target, length)) = named else {
            if is_free && let Some(form) = unsupported_target(rest) {
                found.wrong = Some(format!(
                    "{form} may be the target of the review, in a form that is not supported. Write PR 7, its address, or branch:NAME, or put other words first."
                ));
                return Ok(found);
            }
            let ends_part = words[at].ends_with(PUNCTUATION) || matches!(words[at], "-" | "–" | "—");
            is_start &= is_asking(words[at]);
            is_free = ends_part || (is_free && is_asking(words[at]));
            found.focus.push(words[at]);
            at += 1;
            continue;
        };
        match if is_free { FormRole::Target } else { role(&words[..at]) } {
            FormRole::Target => {
                // Words that only ask for a review tell the reviewers nothing.
                while found.focus.last().is_some_and(|word| is_asking(word)) {
                    found.focus.pop();
                }
                found.targets.push(target);
            }
            FormRole::Mention => {
                let form = words[at..at + length].join(" ");
                found
                    .notes
                    .push(format!("`{form}` was read as a part of the focus, not as what is reviewed"));
                found.focus.extend(&words[at..at + length]);
            }
            FormRole::Unclear => {
                let form = words[at..at + length].join(" ");
                found.wrong = Some(format!(
                    "{form} may be the target of the review, or a part of the focus. Put it first if it is the target, or leave it out."
                ));
                return Ok(found);
            }
        }
        at += length;
        is_free = true;
    }
    if is_branch.is_some() {
        found.add_focus_of_targets(&known)?;
    }
    Ok(found)
}

impl FoundTarget<'_> {
    /// Beside one target, takes the words of the focus for targets if every one of them can be one.
    fn add_focus_of_targets(&mut self, known: BranchTest<'_>) -> Result<(), CallFailure> {
        if self.targets.len() != 1 || self.focus.is_empty() {
            return Ok(());
        }
        let mut others = Vec::new();
        for word in &self.focus {
            let word = unquoted(word);
            if is_request(word, true) {
                others.extend(pull_request(word.trim_start_matches('#')).ok());
            } else if known(word)? {
                others.push(ReviewTarget::from_branch(word));
            }
        }
        if others.len() == self.focus.len() {
            self.targets.append(&mut others);
        }
        Ok(())
    }
}

/// The meaning of the words at a position.
enum WordMeaning {
    /// A target, and its number of words.
    Target(ReviewTarget, usize),
    /// A part of the focus, with a note for the reader.
    Focus(Option<String>),
    /// Why the words are refused: they look like a target but are invalid, or are ambiguous.
    Invalid(String),
}

/// The meaning of the words from `at` on; `is_start` if all before them only ask for a review.
fn named_at(
    (words, at): (&[&str], usize),
    is_start: bool,
    has_branches: bool,
    known: &impl Fn(&str) -> Result<bool, CallFailure>,
) -> Result<WordMeaning, CallFailure> {
    let rest = &words[at..];
    let word = unquoted(words[at]);
    let bare = word.trim_end_matches(PUNCTUATION);
    let lower = word.to_ascii_lowercase();
    let is_path = word.contains('/') && !word.contains("://");
    let number = if is_path && known(word)? { None } else { number_of(rest, is_start) };
    let named = match number {
        Some((number, length)) => match pull_request(&number) {
            Ok(_) if is_count(rest, length) => {
                let number = bare.trim_start_matches('#');
                return Ok(WordMeaning::Invalid(format!(
                    "{bare} may be a pull request or a count. Write PR {number} for the pull request, or put other words first."
                )));
            }
            Ok(target) => Some((target, length)),
            Err(reason) if words.len() == length => return Ok(WordMeaning::Invalid(reason)),
            Err(_) => None,
        },
        None if lower.starts_with("branch:") => {
            let name = unquoted(&word[BRANCH.len() + 1..]);
            if has_branches && !known(name)? {
                return Ok(WordMeaning::Invalid(format!("{name} is not a branch here.")));
            }
            Some((ReviewTarget::from_branch(name), 1))
        }
        None if at == 0 && lower == BRANCH && has_branches && is_branch_name(rest, known)? => {
            Some((ReviewTarget::from_branch(unquoted(rest[1])), 2))
        }
        // `the feat branch`
        None if is_start && rest.get(1).is_some_and(|next| is_word(next, BRANCH)) && known(word)? => {
            Some((ReviewTarget::from_branch(word), 2))
        }
        None if !has_branches || word.contains('/') || (is_start && is_last(rest)) => match () {
            () if known(word)? => Some((ReviewTarget::from_branch(word), 1)),
            () if bare != word && known(bare)? => Some((ReviewTarget::from_branch(bare), 1)),
            () => None,
        },
        // A word in the middle of a sentence is not a target just because a branch has that name.
        None if is_start && known(bare)? => {
            if at == 0 && !is_other_target(rest[1], known)? {
                return Ok(WordMeaning::Invalid(format!(
                    "{bare} is a branch, but may also be a part of the focus. Write branch:{bare} to review it, or put other words first."
                )));
            }
            match at {
                0 => Some((ReviewTarget::from_branch(bare), 1)),
                _ => {
                    let note = format!("`{bare}` is a branch, and was read as a part of the focus");
                    return Ok(WordMeaning::Focus(Some(note)));
                }
            }
        }
        None => None,
    };
    Ok(match named {
        Some((target, length)) => WordMeaning::Target(target, length),
        None => WordMeaning::Focus(None),
    })
}

/// The role of a target's form after words that do not only ask for a review.
fn role(before: &[&str]) -> FormRole {
    let mut before = before.iter().rev().map(|word| word.trim_end_matches(PUNCTUATION).to_ascii_lowercase());
    let mut next = || before.by_ref().find(|word| !ARTICLES.contains(&word.as_str())).unwrap_or_default();
    let (last, one_before) = (next(), next());
    if PREPOSITIONS.contains(&last.as_str()) && REVIEWS.contains(&one_before.as_str()) {
        return FormRole::Target;
    }
    if MENTIONING.contains(&last.as_str()) { FormRole::Mention } else { FormRole::Unclear }
}

/// Whether a word only asks for a review.
fn is_asking(word: &str) -> bool {
    ASKING.contains(&word.trim_end_matches(PUNCTUATION).to_ascii_lowercase().as_str())
}

/// Whether a word is `wanted`, ignoring case and final punctuation.
fn is_word(word: &str, wanted: &str) -> bool {
    unquoted(word).trim_end_matches(PUNCTUATION).eq_ignore_ascii_case(wanted)
}

/// Whether a word may follow a branch: another target, which is refused separately, or a word that only asks for a
/// review.
fn is_other_target(
    word: &str,
    known: &impl Fn(&str) -> Result<bool, CallFailure>,
) -> Result<bool, CallFailure> {
    Ok(is_asking(word) || is_request(unquoted(word), true) || known(unquoted(word))?)
}

/// Whether a part of the text ends with the first word, or continues with one of [`GOING_ON`].
fn is_last(words: &[&str]) -> bool {
    let next = words.get(1).map(|word| word.trim_end_matches(PUNCTUATION).to_ascii_lowercase());
    words[0].ends_with(PUNCTUATION) || next.is_none_or(|next| GOING_ON.contains(&next.as_str()))
}

/// Whether a number may count what follows: `3 issues`, `5 at most`, `#1 priority`.
fn is_count(words: &[&str], length: usize) -> bool {
    let lower = |at: usize| words.get(at).map(|word| word.trim_end_matches(PUNCTUATION).to_ascii_lowercase());
    let (Some(next), 1) = (lower(1), length) else { return false };
    let is_number = words[0].bytes().all(|byte| byte.is_ascii_digit());
    let is_plural = next.len() > 3
        && next.ends_with('s')
        && next.bytes().all(|byte| byte.is_ascii_lowercase())
        && !SINGULAR.contains(&next.as_str());
    let limits = match next.as_str() {
        "at" => matches!(lower(2).as_deref(), Some("most" | "least")),
        "or" => matches!(lower(2).as_deref(), Some("more" | "fewer" | "less")),
        next => matches!(next, "max" | "maximum" | "minimum"),
    };
    let counts = is_plural || limits;
    (is_number && counts) || (words[0] == "#1" && RANKED_WORDS.contains(&next.as_str()))
}

/// Whether the second word is a branch.
fn is_branch_name(
    words: &[&str],
    known: &impl Fn(&str) -> Result<bool, CallFailure>,
) -> Result<bool, CallFailure> {
    words.get(1).map_or(Ok(false), |name| known(unquoted(name)))
}

/// Words that look like a target but are in an unsupported form: `o/r#7`, `github.com/o/r/pull/7`, `refs/pull/7/head`,
/// `PR-7`, `PR number 7`, `branch feature/typo`.
fn unsupported_target(words: &[&str]) -> Option<String> {
    let word = unquoted(words[0]).trim_end_matches(PUNCTUATION);
    let lower = word.to_ascii_lowercase();
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_short = lower.rsplit_once('#').is_some_and(|(name, number)| name.contains('/') && digits(number));
    let is_numbered = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let is_address =
        lower.split_once("/pull/").is_some_and(|(_, rest)| is_numbered(rest)) || lower.starts_with("refs/");
    let is_dashed =
        ["pr-", "pr_", "pr.", "pull-"].iter().any(|before| lower.strip_prefix(before).is_some_and(digits));
    if is_short || is_address || is_dashed {
        return Some(word.to_owned());
    }
    let next = |at: usize| {
        words.get(at).map(|word| unquoted(word).trim_end_matches(PUNCTUATION).trim_start_matches('#'))
    };
    let is_request = matches!(lower.as_str(), "pr" | "prs" | "pull" | "pull-request" | "pullrequest");
    if is_request && let Some(at) = (1..=3).find(|at| next(*at).is_some_and(digits)) {
        let between = &words[1..at];
        let is_name = |word: &&str| {
            matches!(
                unquoted(word).trim_end_matches(PUNCTUATION).to_ascii_lowercase().as_str(),
                "request" | "number" | "no" | "nr" | "num" | "id" | "#" | ""
            )
        };
        return between.iter().all(is_name).then(|| words[..=at].join(" "));
    }
    let is_branch = lower == BRANCH && next(1).is_some_and(|name| name.contains('/'));
    is_branch.then(|| words[..2].join(" "))
}

/// The number or address of a pull request at the start of the words, and its number of words.
fn number_of(words: &[&str], is_first: bool) -> Option<(String, usize)> {
    let lower = |at: usize| words.get(at).map(|word| unquoted(word).to_ascii_lowercase());
    let before = match (lower(0)?.as_str(), lower(1).as_deref()) {
        ("pull", Some("request")) => 2,
        ("pr" | "pull-request" | "pullrequest", _) => 1,
        _ => 0,
    };
    if before > 0 {
        let word = unquoted(words.get(before)?);
        let number = word.trim_end_matches(PUNCTUATION).trim_start_matches('#');
        return is_request(number, true).then(|| (number.to_owned(), before + 1));
    }
    let word = unquoted(words[0]);
    if word.contains("://") {
        return Some((word.to_owned(), 1));
    }
    let word = word.trim_start_matches('(').trim_end_matches(PUNCTUATION);
    let short = lower(0)?;
    let short = short.trim_start_matches('(').trim_end_matches(PUNCTUATION);
    if let Some(number) = BEFORE_NUMBER.iter().find_map(|before| short.strip_prefix(before)) {
        let number = number.trim_start_matches('#');
        return is_request(number, true).then(|| (number.to_owned(), 1));
    }
    let is_alone = word == unquoted(words[0]) || word.starts_with('#');
    is_request(word, is_first && is_alone).then(|| (word.trim_start_matches('#').to_owned(), 1))
}

/// What may end a sentence, or a part of one.
const PUNCTUATION: [char; 7] = ['.', ',', ';', ':', '!', '?', ')'];

/// A word without the quotes around it.
fn unquoted(word: &str) -> &str {
    let inner = QUOTES.iter().find_map(|quote| word.strip_prefix(*quote)?.strip_suffix(*quote));
    inner.filter(|inner| !inner.is_empty()).unwrap_or(word)
}

/// Whether a word is a token written as an option or an assignment: `--mode`, `mode=autofix`,
/// `--headless`.
pub(super) fn is_option(word: &str) -> bool {
    let lower = unquoted(word).to_ascii_lowercase();
    let name = lower.trim_start_matches('-');
    let is_dashed = name.len() < lower.len();
    let key = name.split(['=', ':']).next().unwrap_or_default();
    (KEYS.contains(&key) && (is_dashed || name.contains('='))) || (is_dashed && super::MODES.contains(&name))
}
