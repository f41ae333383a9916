//! What the user asked for. The pull request comes first, by number or address, or one comment of it by address; all
//! other words are the focus. One rule holds for all of them: what names a pull request exactly is read, and any other
//! word that may be meant as its number or address is refused. A digit in a word such as `utf8` does not count.

use crate::runtime::answer::{CallFailure, USAGE};
use crate::runtime::error_code::ErrorCode;

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

/// Words that only ask for the work, and may come before the pull request.
const ASKING: [&str; 16] = [
    "pr", "pull", "request", "resolve", "address", "answer", "the", "feedback", "comments", "review", "on",
    "of", "for", "in", "to", "please",
];
/// What may surround a word.
const SIGNS: [char; 13] = ['"', '\'', '`', '(', ')', '<', '>', ',', '.', ';', '!', '?', ':'];
/// What comes before the number in one word.
const PREFIXES: [&str; 3] = ["#", "pr#", "pull/"];
/// What may be meant to come before the number in one word.
const NUMBERED: [&str; 9] = ["pulls", "pull", "prs", "pr", "issues", "issue", "number", "no", "gh"];
/// The same in an address without its beginning: `owner/tool/pull/7`.
const IN_ADDRESS: [&str; 3] = ["/pull/", "/pulls/", "/issues/"];
/// The tabs of a pull request, which its address may end with.
const TABS: [&str; 5] = ["", "files", "changes", "commits", "checks"];
/// What comes before the number of a comment at the end of its address.
const COMMENTS: [&str; 3] = ["discussion_r", "issuecomment-", "pullrequestreview-"];

impl FeedbackWords {
    /// Parses the words.
    ///
    /// # Errors
    /// `ambiguous_target`, `unknown_token`.
    pub(super) fn parse(text: &str) -> Result<Self, CallFailure> {
        let (mut found, mut focus) = (Self::default(), Vec::new());
        let replaced = |word: &&str| !matches!(*word, "$ARGUMENTS" | "${ARGUMENTS}");
        let words: Vec<&str> = text.split_whitespace().filter(replaced).collect();
        for (at, word) in words.iter().enumerate() {
            let bare = word.trim_matches(SIGNS);
            if bare.starts_with("mode:") {
                let message = format!("`{bare}` is not supported: feedback has one mode");
                return Err(wrong(ErrorCode::UnknownToken, message));
            }
            let is_first = found.target.is_none() && focus.iter().all(is_asking);
            match named(&words, at).filter(|_| is_first) {
                Some((target, comment)) => {
                    (found.target, found.comment) = (Some(target), comment);
                    focus.clear();
                }
                None if may_name(bare) => {
                    let message = format!("`{bare}` does not name the pull request exactly");
                    return Err(wrong(ErrorCode::AmbiguousTarget, message));
                }
                None => focus.push(*word),
            }
        }
        found.focus = Some(focus.join(" ")).filter(|focus| !focus.is_empty());
        Ok(found)
    }
}

fn is_asking(word: &&str) -> bool {
    ASKING.contains(&word.trim_matches(SIGNS).to_ascii_lowercase().as_str())
}

/// Whether a word may be meant as the number or the address of a pull request, or as several.
fn may_name(bare: &str) -> bool {
    has_address(bare) || bare.to_lowercase().split([',', ';', '&', '+']).any(may_be_number)
}

/// Whether a part of a word may be meant as a number: digits alone, or behind `#` or a word such as `PR`.
fn may_be_number(part: &str) -> bool {
    let part = part.trim_matches(|c: char| c != '#' && !c.is_alphanumeric());
    let begins_number = |text: &str| {
        let rest = text.trim_start_matches(char::is_numeric);
        rest.len() < text.len() && !rest.starts_with(char::is_alphanumeric)
    };
    let is_behind = |before: &&str| {
        let rest = part.strip_prefix(*before).unwrap_or_default();
        begins_number(rest.trim_start_matches(|c: char| !c.is_alphanumeric()))
    };
    let is_number = |text: &str| !text.is_empty() && text.chars().all(char::is_numeric);
    let is_comment = |end: &str| comment(end).is_some() || COMMENTS.iter().any(|one| end.starts_with(one));
    let is_in_address = |before: &&str| part.split(*before).skip(1).any(begins_number);
    let mut ends = part.split('#');
    let first = ends.next().unwrap_or_default();
    is_number(first.split([':', '\'', '’', '(', ')', ']']).next().unwrap_or_default())
        || NUMBERED.iter().any(is_behind)
        || IN_ADDRESS.iter().any(is_in_address)
        || COMMENTS.iter().any(|before| first.starts_with(before))
        || ends.any(|end| begins_number(end) || is_comment(end))
}

/// Whether a word is an address, with or without its scheme.
fn has_address(bare: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    // Its last part is not a number: `v1.2/notes` is a path.
    let is_top = |top: &str| top.len() > 1 && top.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_host = |(host, _): (&str, &str)| {
        host.split('.').all(label) && host.rsplit_once('.').is_some_and(|(_, top)| is_top(top))
    };
    bare.contains("://") || bare.split_once('/').is_some_and(is_host)
}

/// The pull request that a word names exactly, by number or address, and the comment of it.
fn named(words: &[&str], at: usize) -> Option<(String, Option<String>)> {
    let (word, bare) = (words[at], words[at].trim_matches(SIGNS));
    let lower = bare.to_ascii_lowercase();
    if let Some(number) = PREFIXES.iter().find_map(|prefix| number(lower.strip_prefix(prefix)?)) {
        return Some((number.to_owned(), None));
    }
    let Some(number) = number(bare) else { return named_by_address(bare) };
    // A bare number counts things, such as commits, unless it stands alone, behind `PR`, or before a colon or comma.
    let before: Vec<String> =
        words[..at].iter().rev().take(2).map(|word| word.to_ascii_lowercase()).collect();
    let is_announced = match &*before {
        [last, ..] if last == "pr" => true,
        [last, first] => last == "request" && first == "pull",
        _ => false,
    };
    let is_alone = at + 1 == words.len() || at == 0 && word.ends_with([',', ':']);
    (is_announced || is_alone).then(|| (number.to_owned(), None))
}

/// A number as GitHub writes it.
fn number(digits: &str) -> Option<&str> {
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse::<u64>().is_ok_and(|_| is_plain).then_some(digits)
}

/// The pull request of an address, and the comment that the address names.
fn named_by_address(bare: &str) -> Option<(String, Option<String>)> {
    let (address, end) = bare.split_once('#').map_or((bare, None), |(address, end)| (address, Some(end)));
    let address = address.split_once('?').map_or(address, |(address, _)| address);
    let scheme = address.get(..address.find("://").map_or(0, |at| at + 3))?;
    if !matches!(&*scheme.to_ascii_lowercase(), "" | "https://" | "http://") {
        return None;
    }
    let parts: Vec<&str> = address[scheme.len()..].split('/').collect();
    let (host, owner, name, pull, digits, tab) = match *parts {
        [host, owner, name, pull, digits] => (host, owner, name, pull, digits, ""),
        [host, owner, name, pull, digits, tab] => (host, owner, name, pull, digits, tab),
        _ => return None,
    };
    let is_plain = |part: &&str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
    };
    let is_known = pull.eq_ignore_ascii_case("pull") && TABS.contains(&&*tab.to_ascii_lowercase());
    if !is_known || ![host, owner, name].iter().all(is_plain) || scheme.is_empty() && !host.contains('.') {
        return None;
    }
    let target = format!("https://{}/{owner}/{name}/pull/{}", host.to_ascii_lowercase(), number(digits)?);
    // Any other end is a place on its page. What begins as a comment does was meant as one.
    let end = end.unwrap_or_default().to_ascii_lowercase();
    let comment = comment(&end);
    let is_cut = comment.is_none() && COMMENTS.iter().any(|before| end.starts_with(before));
    (!is_cut).then_some((target, comment))
}

fn wrong(code: ErrorCode, message: String) -> CallFailure {
    let hint = "name one pull request, before the other words: `#7`, `PR 7`, `pull/7`, its address or that of a comment, or nothing for that of the branch; write any other number as a word";
    CallFailure::new(USAGE, code, message, hint)
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
            COMMENTS.iter().any(is_known).then(|| fragment.to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (String, String, String) {
        let FeedbackWords { target, comment, focus } = FeedbackWords::parse(text).expect(text);
        (target.unwrap_or_default(), comment.unwrap_or_default(), focus.unwrap_or_default())
    }

    #[test]
    fn a_pull_request_a_comment_and_the_focus_are_told_apart() {
        let of = |target: &str, comment: &str, focus: &str| (target.into(), comment.into(), focus.into());
        assert_eq!(parts(""), of("", "", ""));
        assert_eq!(parts("$ARGUMENTS"), of("", "", ""));
        assert_eq!(
            parts("only naming in src/auth and .github/workflows"),
            of("", "", "only naming in src/auth and .github/workflows")
        );
        for text in [
            "42",
            "#42",
            "PR 42.",
            "pr#42",
            "please resolve the comments on PR 42.",
            "answer 42",
            "pull request 42",
        ] {
            assert_eq!(parts(text), of("42", "", ""), "{text}");
        }
        for text in [
            "#42 only naming",
            "#42: only naming",
            "42: only naming",
            "42, only naming",
            "PR 42 only naming",
            "pull/42, only naming",
            "Please, answer the comments in #42 only naming",
        ] {
            assert_eq!(parts(text), of("42", "", "only naming"), "{text}");
        }
        let url = "https://github.com/o/r/pull/7";
        for text in [
            url,
            "github.com/o/r/pull/7",
            "HTTPS://GitHub.COM/o/r/PULL/7",
            "<https://github.com/o/r/pull/7/commits>",
        ] {
            assert_eq!(parts(text), of(url, "", ""), "{text}");
        }
        for end in ["#discussion_r9", "/files#r9", "/files?diff=split#R9"] {
            assert_eq!(parts(&format!("{url}{end}")), of(url, "discussion_r9", ""), "{end}");
        }
        assert_eq!(parts(&format!("{url}#issuecomment-9 tests")), of(url, "issuecomment-9", "tests"));
        for end in ["#", "#top", "#commits-pushed-0a1b2c3", "/files#diff-0a1bR7"] {
            assert_eq!(parts(&format!("{url}{end} tests")), of(url, "", "tests"), "{end}");
        }
    }

    #[test]
    fn a_word_with_a_digit_is_part_of_the_focus() {
        for focus in [
            "only those about utf8",
            "base64, v2 and ipv6",
            "x86_64 sha256 i18n",
            "the 2nd half of python3.11 and v1.2/notes",
            "version 2.0 of oauth2",
            "src/v2/a1.rs:10 and tests/issue-7/2.rs",
            "src/a.rs#L10 in C# with 4-space indentation",
            "colour #7fb",
            "a no32bit pr2svg gh-pages2 number9s",
        ] {
            assert_eq!(parts(focus), (String::new(), String::new(), focus.to_owned()));
            let after = format!("#7 {focus}");
            assert_eq!(parts(&after), ("7".to_owned(), String::new(), focus.to_owned()));
        }
    }

    #[test]
    fn any_other_number_or_address_is_refused() {
        let url = "https://github.com/o/r/pull/7";
        let both = format!("{url}#discussion_r1 {url}#discussion_r2");
        // They began on pull request 2, or on that of the branch.
        for text in [
            "2 commits please",
            "7 commit and push",
            "utf8 7",
            "7:only naming",
            "answer 7's comments",
            "[7](x)",
            "answer 2 comments",
            "in 2 rounds, please",
            "fix 3 things",
            "fixes #2",
            "issue #2",
            "only naming, #42",
            "number 2",
            "PR2",
            "GH-2",
            "pulls/2",
            "PR:2",
            "PR-2's comments",
            "no.2",
            "issue-2",
            "#7-#8",
            "o/r/pull/7/files",
            "localhost/o/r/pull/7",
            "discussion_r1",
            "a.md#r9",
            "2,7",
            "2 and 7",
            "#1 #2",
            "7#discussion_r1",
            "pull/7#discussion_r1",
            "o/r#2",
            "#007",
            "#0",
            "#99999999999999999999",
            "\u{662}",
            &both,
            "https://github.com/o/r/pull/x",
            "https://github.com/o/r/issues/8",
            "github.com/o/r/pulls",
            "https://github.com/o/r/pull/x#top",
            "https://github.com/o/r/pull/7#discussion_r",
            "https://github.com/o/r/pull/7#discussion_r1x",
            "https://github.com/o/r/pull/7/files/0a1b",
            "ftp://github.com/o/r/pull/7",
            "as https://github.com/o/r/pull/7 says",
            "https://example.com/style",
            "#7 as in https://example.com/style",
        ] {
            let failure = FeedbackWords::parse(text).expect_err(text);
            assert_eq!(failure.error.code, ErrorCode::AmbiguousTarget, "{text}");
        }
        assert_eq!(FeedbackWords::parse("mode:headless 1").unwrap_err().error.code, ErrorCode::UnknownToken);
    }
}
