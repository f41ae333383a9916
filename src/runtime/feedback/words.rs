//! What the user asked for: a pull request by number or address, one comment of it by address, or nothing for the pull
//! request of the branch; all other words are the focus.

use std::borrow::Cow;

use crate::runtime::answer::{CallFailure, USAGE};
use crate::runtime::repo::base::pull_request_name;

/// The user's words.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FeedbackWords {
    /// The pull request, by number or address.
    pub(super) target: Option<String>,
    /// The comment, as the end of its address: `discussion_r7`.
    pub(super) comment: Option<String>,
    /// All other words.
    pub(super) focus: Option<String>,
}

/// Words that only ask for the work, and may come before a bare number.
const ASKING: [&str; 16] = [
    "pr", "pull", "request", "resolve", "address", "answer", "the", "feedback", "comments", "review", "on",
    "of", "for", "in", "to", "please",
];
/// Words before the number of a pull request.
const NUMBERED: [&str; 3] = ["pr", "pull", "request"];
/// What may surround a word.
const SIGNS: [char; 13] = ['"', '\'', '`', '(', ')', '<', '>', ',', '.', ';', '!', '?', ':'];

impl FeedbackWords {
    /// Parses the words.
    ///
    /// # Errors
    /// `ambiguous_target`, `unknown_token`, and `usage` for an address that is not of a pull request.
    pub(super) fn parse(text: &str) -> Result<Self, CallFailure> {
        let (mut found, mut focus) = (Self::default(), Vec::new());
        let replaced = |word: &&str| !matches!(*word, "$ARGUMENTS" | "${ARGUMENTS}");
        let mut words = text.split_whitespace().filter(replaced).peekable();
        while let Some(word) = words.next() {
            let bare = word.trim_matches(SIGNS);
            if bare.starts_with("mode:") {
                return Err(wrong(
                    "unknown_token",
                    format!("`{bare}` is not supported: feedback has one mode"),
                ));
            }
            let is_asking = |word: &&str| ASKING.contains(&word.to_ascii_lowercase().as_str());
            let place = WordPlace {
                is_first: found.target.is_none() && focus.iter().all(is_asking),
                // In "answer 2 comments", the number is one of comments.
                is_number: focus
                    .last()
                    .is_none_or(|last| NUMBERED.contains(&last.to_ascii_lowercase().as_str()))
                    || words.peek().is_none()
                    || word.ends_with(SIGNS),
            };
            let Some(named) = named(bare, place) else {
                focus.push(word);
                continue;
            };
            let (address, comment) = match named.split_once('#') {
                Some((address, fragment)) if named.contains("/pull/") => (address, comment(fragment)),
                _ => (&*named, None),
            };
            pull_request_name(address)?;
            let (target, comment) = (Some(address.to_owned()), comment.or(found.comment.take()));
            if found.target.is_some() && found.target != target {
                let first = found.target.unwrap_or_default();
                return Err(wrong(
                    "ambiguous_target",
                    format!("more than one pull request: `{first}`, `{address}`"),
                ));
            }
            focus.retain(|word| !is_asking(word));
            (found.target, found.comment) = (target, comment);
        }
        found.focus = Some(focus.join(" ")).filter(|focus| !focus.is_empty());
        Ok(found)
    }
}

/// Where a word stands.
#[derive(Clone, Copy)]
struct WordPlace {
    /// Nothing but words that ask for the work stands before it.
    is_first: bool,
    /// A number there is that of a pull request.
    is_number: bool,
}

/// What a word names in the place of a pull request: a number, an address, or what is refused as one; `None` for a word
/// of the focus.
fn named(bare: &str, place: WordPlace) -> Option<Cow<'_, str>> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (prefix, digits) = bare.split_at(bare.find(|c: char| c.is_ascii_digit()).unwrap_or(bare.len()));
    if is_number(digits) && matches!(&*prefix.to_ascii_lowercase(), "#" | "pr#") {
        return Some(digits.into());
    }
    if bare.contains("/pull/") {
        let is_host = |first: &str| first.contains('.') && !bare.contains("://");
        return match bare.split('/').next().is_some_and(is_host) {
            true => Some(format!("https://{bare}").into()),
            false => (bare.contains("://") || place.is_first).then(|| bare.into()),
        };
    }
    if !place.is_first {
        return None;
    }
    // `owner/name#7` and the address of an issue are refused: a run would answer the pull request of the branch.
    let is_of_another =
        bare.rsplit_once('#').is_some_and(|(name, number)| name.contains('/') && is_number(number));
    match () {
        () if is_number(digits) && prefix.eq_ignore_ascii_case("pull/") => Some(digits.into()),
        () if bare.contains("://") && bare.contains("/issues/") || is_of_another => Some(bare.into()),
        () if is_number(bare) && place.is_number => Some(bare.into()),
        () => None,
    }
}

fn wrong(code: &str, message: String) -> CallFailure {
    CallFailure::new(USAGE, code, message, "name one pull request, or nothing for that of the branch")
}

/// The comment that the end of an address names; that of the page with the changes is shorter.
pub(super) fn comment(fragment: &str) -> Option<String> {
    let number = |before: &str| {
        let rest = fragment.strip_prefix(before)?;
        (!rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())).then_some(rest)
    };
    match number("r") {
        Some(digits) => Some(format!("discussion_r{digits}")),
        None => {
            let is_known = |before: &&str| number(before).is_some();
            let known = ["discussion_r", "issuecomment-", "pullrequestreview-"];
            known.iter().any(is_known).then(|| fragment.to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (String, String, String) {
        let FeedbackWords { target, comment, focus } = FeedbackWords::parse(text).unwrap();
        (target.unwrap_or_default(), comment.unwrap_or_default(), focus.unwrap_or_default())
    }

    #[test]
    fn a_pull_request_a_comment_and_the_focus_are_told_apart() {
        let of = |target: &str, comment: &str, focus: &str| (target.into(), comment.into(), focus.into());
        assert_eq!(parts(""), of("", "", ""));
        assert_eq!(parts("$ARGUMENTS"), of("", "", ""));
        assert_eq!(parts("42"), of("42", "", ""));
        assert_eq!(parts("please resolve the comments on PR 42."), of("42", "", ""));
        assert_eq!(parts("only naming, #42"), of("42", "", "only naming,"));
        assert_eq!(parts("fix 3 things"), of("", "", "fix 3 things"));
        let url = "https://github.com/o/r/pull/7";
        assert_eq!(parts(&format!("<{url}#discussion_r9>")), of(url, "discussion_r9", ""));
        assert_eq!(parts(&format!("{url}/files#r9")), of(&format!("{url}/files"), "discussion_r9", ""));
        assert_eq!(parts(&format!("{url}#issuecomment-9 tests")), of(url, "issuecomment-9", "tests"));
        assert_eq!(parts(&format!("{url}#top")), of(url, "", ""));
        for text in
            ["#42: only naming", "PR#42 only naming", "pull/42, only naming", "answer 42, only naming"]
        {
            assert_eq!(parts(text), of("42", "", "only naming"), "{text}");
        }
        assert_eq!(parts("github.com/o/r/pull/7"), of(url, "", ""));
        // They began on pull request 2.
        for text in ["answer 2 comments", "in 2 rounds, please", "on 2 files only", "for 2 reviewers"] {
            assert_eq!(parts(text), of("", "", text), "{text}");
        }
        let issue = "https://github.com/o/r/issues/8";
        assert_eq!(parts(&format!("{url} {issue}")), of(url, "", issue));
        assert_eq!(parts(&format!("as {issue} says")), of("", "", &format!("as {issue} says")));
    }

    #[test]
    fn two_targets_and_unknown_modes_are_refused() {
        let code = |text: &str| FeedbackWords::parse(text).unwrap_err().error.code;
        assert_eq!(code("#1 #2"), "ambiguous_target");
        assert_eq!(code("mode:headless 1"), "unknown_token");
        assert_eq!(code("https://github.com/o/r/pull/x"), "usage");
        assert_eq!(code("o/r#2"), "usage");
        // It was taken as a focus, and the pull request of the branch was answered.
        assert_eq!(code("please address https://github.com/o/r/issues/7"), "usage");
    }
}
