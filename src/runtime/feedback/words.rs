//! What the user asked for. A word that names a pull request exactly, or one comment of it by its address, counts wherever
//! it stands; two that name different ones are refused. A number alone names a pull request only as the first word. What
//! is almost such a name is refused, because it may name another pull request; all other words are the focus.

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

/// Words that only ask for the work: alone they are no focus.
const ASKING: &str = "address all and answer at can comments could feedback for go handle in look of on open please \
    pull pr request resolve review take the threads through to would you";
/// What may surround a word.
const SIGNS: [char; 13] = ['"', '\'', '`', '(', ')', '<', '>', ',', '.', ';', '!', '?', ':'];
/// What comes before the number of a pull request in one word.
const PREFIXES: [&str; 6] = ["#", "pr#", "pr-", "pr:", "pr", "pull/"];
/// Words after which `#7` may be an issue.
const OF_ISSUES: &str =
    "bug bugs close closed closes fix fixed fixes issue issues resolved resolves ticket tickets";
/// Words before a number, in one word with it or not, which then may be that of something else.
const NUMBERED: [&str; 8] = ["issues", "issue", "ticket", "pulls", "prs", "number", "no", "gh"];
/// What comes before the number in an address.
const IN_ADDRESS: [&str; 3] = ["pull", "pulls", "issues"];
/// The tabs of a pull request, which its address may end with.
const TABS: [&str; 5] = ["", "files", "changes", "commits", "checks"];
/// What comes before the number of a comment at the end of its address.
const COMMENTS: [&str; 3] = ["discussion_r", "issuecomment-", "pullrequestreview-"];

/// What names a pull request exactly.
struct PullReference {
    /// Its number.
    number: String,
    /// The pull request by address.
    address: Option<String>,
    /// The comment, as the end of its address.
    comment: Option<String>,
}

impl FeedbackWords {
    /// Parses the words.
    ///
    /// # Errors
    /// `ambiguous_target`, `unknown_token`.
    pub(super) fn parse(text: &str) -> Result<Self, CallFailure> {
        let replaced = |word: &&str| !matches!(*word, "$ARGUMENTS" | "${ARGUMENTS}");
        let words: Vec<&str> = text.split_whitespace().filter(replaced).collect();
        let (mut found, mut first): (Option<PullReference>, _) = (None, String::new());
        let mut focus: Vec<&str> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            if bare(word).starts_with("mode:") {
                let message = format!("`{}` is not supported: feedback has one mode", bare(word));
                return Err(wrong(ErrorCode::UnknownToken, message));
            }
            let Some((reference, announcing)) = reference(&words, at)? else {
                focus.push(word);
                continue;
            };
            let shown = shown(&words[at - announcing..=at]);
            focus.truncate(focus.len() - announcing);
            found = match found {
                None => {
                    first = shown;
                    Some(reference)
                }
                Some(earlier) => Some(earlier.joined(reference).ok_or_else(|| {
                    let message = format!("`{first}` and `{shown}` name different things");
                    wrong(ErrorCode::AmbiguousTarget, message)
                })?),
            };
            if focus.iter().all(is_asking) {
                focus.clear();
            }
        }
        if focus.iter().all(is_asking) {
            focus.clear();
        }
        let focus = focus.join(" ").trim_end_matches([',', ';', ':']).to_owned();
        let focus = Some(focus).filter(|focus| !focus.is_empty());
        let Some(found) = found else { return Ok(Self { focus, ..Self::default() }) };
        Ok(Self { target: found.address.or(Some(found.number)), comment: found.comment, focus })
    }
}

impl PullReference {
    /// Both, if they name the same.
    fn joined(self, other: Self) -> Option<Self> {
        (self.number == other.number).then_some(())?;
        Some(Self {
            number: self.number,
            address: joined(self.address, other.address)?,
            comment: joined(self.comment, other.comment)?,
        })
    }
}

/// The one that is there, if they do not differ.
fn joined(one: Option<String>, other: Option<String>) -> Option<Option<String>> {
    match (&one, &other) {
        (Some(one), Some(other)) if !one.eq_ignore_ascii_case(other) => None,
        _ => Some(one.or(other)),
    }
}

/// A word without what surrounds it, and without the end of a genitive.
fn bare(word: &str) -> &str {
    let bare = word.trim_matches(SIGNS);
    bare.strip_suffix("'s").or_else(|| bare.strip_suffix("\u{2019}s")).unwrap_or(bare)
}

/// Words as a message shows them.
fn shown(words: &[&str]) -> String {
    words.join(" ").trim_matches(SIGNS).to_owned()
}

fn is_asking(word: &&str) -> bool {
    is_among(&bare(word).to_ascii_lowercase(), ASKING)
}

fn is_among(word: &str, words: &str) -> bool {
    words.split(' ').any(|one| one == word)
}

/// What a word names, with the number of words such as `PR` before it that are part of its name.
///
/// # Errors
/// `ambiguous_target` for what is almost such a name.
fn reference(words: &[&str], at: usize) -> Result<Option<(PullReference, usize)>, CallFailure> {
    let bare_word = bare(words[at]);
    let lower = bare_word.to_ascii_lowercase();
    let before =
        |back: usize| at.checked_sub(back).map(|at| bare(words[at]).to_ascii_lowercase()).unwrap_or_default();
    let (last, last_but_one) = (before(1), before(2));
    let announcing = match (&*last_but_one, &*last) {
        (_, "pr") => 1,
        ("pull", "request") => 2,
        _ => 0,
    };
    let by_number = |number: &str, announcing| {
        Some((PullReference { number: number.to_owned(), address: None, comment: None }, announcing))
    };
    if let Some(number) = PREFIXES.iter().find_map(|prefix| number(lower.strip_prefix(prefix)?)) {
        if lower.starts_with('#') && is_among(&last, OF_ISSUES) {
            let message = format!("`{}` may name an issue", shown(&words[at - 1..=at]));
            return Err(wrong(ErrorCode::AmbiguousTarget, message));
        }
        return Ok(by_number(number, announcing));
    }
    if let Some(reference) = by_address(bare_word) {
        return Ok(Some((reference, announcing)));
    }
    let number = number(&lower);
    if let Some(number) = number {
        let is_genitive = words[at].trim_matches(SIGNS) != bare_word;
        let is_alone = at + 1 == words.len() || words[at].ends_with([',', ':']) || is_genitive;
        if announcing > 0 || is_alone && words[..at].iter().all(is_asking) {
            return Ok(by_number(number, announcing));
        }
    }
    let is_numbered = number.is_some() && NUMBERED.contains(&&*last);
    if is_numbered || almost_names(&lower, at == 0) {
        let words = if is_numbered { &words[at - 1..=at] } else { &words[at..=at] };
        let message = format!("`{}` does not name the pull request exactly", shown(words));
        return Err(wrong(ErrorCode::AmbiguousTarget, message));
    }
    Ok(None)
}

/// Whether a word is almost a name: it has a number where names have one, or begins all words with one.
fn almost_names(lower: &str, is_first: bool) -> bool {
    let begins_number = |text: &str| {
        let rest = text.trim_start_matches(char::is_numeric);
        rest.len() < text.len() && !rest.starts_with(char::is_alphanumeric)
    };
    let is_behind = |before: &&str| {
        let rest = lower.strip_prefix(*before).unwrap_or_default();
        begins_number(rest.trim_start_matches(|c: char| !c.is_alphanumeric()))
    };
    let parts: Vec<&str> = lower.split('/').collect();
    let is_address =
        |pair: &[&str]| IN_ADDRESS.contains(&pair[0]) && (begins_number(pair[1]) || lower.contains("://"));
    let is_comment = |before: &&str| lower.split(*before).skip(1).any(begins_number);
    let counted = lower.split([',', ':', ';', '&', '+', '#']).next().unwrap_or_default();
    is_first && !counted.is_empty() && counted.chars().all(char::is_numeric)
        || lower.split('#').skip(1).any(begins_number)
        || NUMBERED.iter().any(is_behind)
        || COMMENTS.iter().any(is_comment)
        || parts.windows(2).any(is_address)
}

/// A number as GitHub writes it.
fn number(digits: &str) -> Option<&str> {
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse::<u64>().is_ok_and(|_| is_plain).then_some(digits)
}

/// The pull request of an address, and the comment that the address names.
fn by_address(bare: &str) -> Option<PullReference> {
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
    let number = number(digits)?.to_owned();
    let address = Some(format!("https://{}/{owner}/{name}/pull/{number}", host.to_ascii_lowercase()));
    // Any other end is a place on its page. What begins as a comment does was meant as one.
    let end = end.unwrap_or_default().to_ascii_lowercase();
    let comment = comment(&end);
    let is_cut = comment.is_none() && COMMENTS.iter().any(|before| end.starts_with(before));
    (!is_cut).then_some(PullReference { number, address, comment })
}

fn wrong(code: ErrorCode, message: String) -> CallFailure {
    let hint = "name one pull request: `#7`, `PR 7`, `pull/7`, its address or that of a comment, or nothing for that of the branch; write other numbers as words, and issues by their title";
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
        let url = "https://github.com/o/r/pull/7";
        // The words, the pull request, the comment, and the focus.
        let rows = [
            ("", "", "", ""),
            ("$ARGUMENTS", "", "", ""),
            ("answer the open comments, please", "", "", ""),
            ("only naming in src/auth", "", "", "only naming in src/auth"),
            ("7", "7", "", ""),
            ("#7", "7", "", ""),
            ("PR7", "7", "", ""),
            ("PR 7.", "7", "", ""),
            ("PR #7", "7", "", ""),
            ("PR-7's comments", "7", "", ""),
            ("pull request 7", "7", "", ""),
            ("answer 7", "7", "", ""),
            ("answer 7's comments", "7", "", ""),
            ("please resolve the comments on PR 7.", "7", "", ""),
            ("can you answer the comments on #7?", "7", "", ""),
            ("look at #7", "7", "", ""),
            ("go through the open threads in PR 7", "7", "", ""),
            ("fix PR 7", "7", "", "fix"),
            ("7: only naming", "7", "", "only naming"),
            ("only naming, #7", "7", "", "only naming"),
            ("Please, answer the comments in #7 only naming", "7", "", "only naming"),
            ("#7 as in https://example.com/style", "7", "", "as in https://example.com/style"),
            ("#7 and again PR 7", "7", "", "and again"),
            ("#7 https://github.com/o/r/pull/7", url, "", ""),
            (
                "https://github.com/o/r/pull/7 (#7) https://github.com/O/R/pull/7#discussion_r9",
                url,
                "discussion_r9",
                "",
            ),
            ("HTTPS://GitHub.COM/o/r/PULL/7", url, "", ""),
            ("<https://github.com/o/r/pull/7/commits>", url, "", ""),
            ("as https://github.com/o/r/pull/7 says", url, "", "as says"),
            ("https://github.com/o/r/pull/7#discussion_r9", url, "discussion_r9", ""),
            ("https://github.com/o/r/pull/7/files#r9", url, "discussion_r9", ""),
            ("https://github.com/o/r/pull/7/files?diff=split#R9", url, "discussion_r9", ""),
            ("https://github.com/o/r/pull/7#issuecomment-9 tests", url, "issuecomment-9", "tests"),
            ("https://github.com/o/r/pull/7#top tests", url, "", "tests"),
            ("https://github.com/o/r/pull/7/files#diff-0a1bR7 tests", url, "", "tests"),
        ];
        for (text, target, comment, focus) in rows {
            assert_eq!(parts(text), (target.to_owned(), comment.to_owned(), focus.to_owned()), "{text}");
        }
    }

    #[test]
    fn any_other_word_with_a_digit_is_part_of_the_focus() {
        for focus in [
            "only those about utf8",
            "only the UTF-8 comments",
            "the 2nd half of python3.11 and v1.2/notes",
            "version 2.0 of oauth2",
            "only the comments in src/h2.rs",
            "only the comments of @bob2",
            "src/v2/a1.rs:10 and tests/issue-7/2.rs",
            "src/a.rs#L10 in C# with 4-space indentation",
            "colour #7fb",
            "a no32bit pr2svg gh-pages2",
            "answer 2 comments",
            "in 2 rounds, please",
            "fix 3 things",
            "utf8 7",
        ] {
            assert_eq!(parts(focus), (String::new(), String::new(), focus.to_owned()));
            let after = format!("#7 {focus}");
            assert_eq!(parts(&after), ("7".to_owned(), String::new(), focus.to_owned()));
        }
    }

    #[test]
    fn what_may_name_another_one_is_refused() {
        let exactly = |word: &str| format!("`{word}` does not name the pull request exactly");
        for (text, word) in [
            ("2 commits please", "2"),
            ("7:only naming", "7:only"),
            ("2,7", "2,7"),
            ("2 and 7", "2"),
            ("7#discussion_r1", "7#discussion_r1"),
            ("\u{662}", "\u{662}"),
            ("issue 2", "issue 2"),
            ("PRs 7 and 8", "PRs 7"),
            ("GH-2", "GH-2"),
            ("no.2", "no.2"),
            ("issue-2", "issue-2"),
            ("pulls/2", "pulls/2"),
            ("#7-#8", "#7-#8"),
            ("o/r#2", "o/r#2"),
            ("only naming #007", "#007"),
            ("o/r/pull/7/files", "o/r/pull/7/files"),
            ("localhost/o/r/pull/7", "localhost/o/r/pull/7"),
            ("discussion_r1", "discussion_r1"),
            ("https://github.com/o/r/pull/x", "https://github.com/o/r/pull/x"),
            ("https://github.com/o/r/issues/8", "https://github.com/o/r/issues/8"),
            ("https://github.com/o/r/pull/7#discussion_r", "https://github.com/o/r/pull/7#discussion_r"),
            ("https://github.com/o/r/pull/7#discussion_r1x", "https://github.com/o/r/pull/7#discussion_r1x"),
            ("https://github.com/o/r/pull/7/files/0a1b", "https://github.com/o/r/pull/7/files/0a1b"),
            ("ftp://github.com/o/r/pull/7", "ftp://github.com/o/r/pull/7"),
        ] {
            refuses(text, &exactly(word));
        }
        for text in ["fixes #2", "issue #2", "close #2", "the Bug #2"] {
            let words = text.trim_start_matches("the ");
            refuses(text, &format!("`{words}` may name an issue"));
        }
        for (text, one, other) in [
            ("#1 #2", "#1", "#2"),
            ("answer PR 1, then pull request 2.", "PR 1", "pull request 2"),
            (
                "https://github.com/o/r/pull/7 https://github.com/o/s/pull/7",
                "https://github.com/o/r/pull/7",
                "https://github.com/o/s/pull/7",
            ),
            (
                "https://github.com/o/r/pull/7#discussion_r1 https://github.com/o/r/pull/7#discussion_r2",
                "https://github.com/o/r/pull/7#discussion_r1",
                "https://github.com/o/r/pull/7#discussion_r2",
            ),
        ] {
            refuses(text, &format!("`{one}` and `{other}` name different things"));
        }
        assert_eq!(FeedbackWords::parse("mode:headless 1").unwrap_err().error.code, ErrorCode::UnknownToken);
    }

    fn refuses(text: &str, message: &str) {
        let failure = FeedbackWords::parse(text).expect_err(text);
        assert_eq!(
            (failure.error.code, &*failure.error.message),
            (ErrorCode::AmbiguousTarget, message),
            "{text}"
        );
    }
}
