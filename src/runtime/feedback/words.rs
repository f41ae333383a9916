//! What the user asked for. A word that names a pull request exactly, or one comment of it by its address, counts wherever
//! it stands; two that name different ones are refused. A number alone names a pull request only as the first word. What
//! is almost such a name is refused, because it may name another pull request, and so is what may name an issue, unless
//! the pull request is named beside it; all other words are the focus.

use super::reference::{
    NamedThing, PullReference, bare, is_asking, link_parts, must_not_be_excluded, must_not_follow, named,
    shown, wrong,
};
use crate::runtime::answer::CallFailure;
use crate::runtime::error_code::ErrorCode;

/// The user's words.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FeedbackWords {
    /// The pull request, by number or address.
    pub(super) target: Option<String>,
    /// Its number, if it is named by number and by address: the address may be that of another repository.
    pub(super) number: Option<String>,
    /// The comment, as the end of its address: `discussion_r7`.
    pub(super) comment: Option<String>,
    /// All other words.
    pub(super) focus: Option<String>,
}

impl FeedbackWords {
    /// Parses the words.
    ///
    /// # Errors
    /// `ambiguous_target`, `unknown_token`.
    pub(super) fn parse(text: &str) -> Result<Self, CallFailure> {
        let replaced = |word: &&str| !matches!(*word, "$ARGUMENTS" | "${ARGUMENTS}");
        let words: Vec<&str> = text.split_whitespace().flat_map(link_parts).filter(replaced).collect();
        let (mut found, mut first): (Option<PullReference>, _) = (None, String::new());
        let (mut has_number, mut issue, mut last) = (false, None, None);
        let mut focus: Vec<&str> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            if bare(word).starts_with("mode:") {
                let message = format!("`{}` is not supported: feedback has one mode", bare(word));
                return Err(wrong(ErrorCode::UnknownToken, message));
            }
            let (reference, announcing) = match named(&words, at)? {
                NamedThing::Pull(reference, announcing) => (reference, announcing),
                other => {
                    if let NamedThing::Issue(failure) = other {
                        issue.get_or_insert(failure);
                    }
                    must_not_follow(&words, at, last)?;
                    focus.push(word);
                    continue;
                }
            };
            must_not_be_excluded(&words, at)?;
            last = Some(at);
            let shown = shown(&words[at - announcing..=at]);
            focus.truncate(focus.len() - announcing);
            has_number |= reference.address.is_none();
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
        match (found, issue) {
            (Some(found), _) => Ok(Self {
                number: found.address.is_some().then(|| found.number.clone()).filter(|_| has_number),
                target: found.address.or(Some(found.number)),
                comment: found.comment,
                focus,
            }),
            (None, Some(issue)) => Err(issue),
            (None, None) => Ok(Self { focus, ..Self::default() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (String, String, String) {
        let FeedbackWords { target, comment, focus, .. } = FeedbackWords::parse(text).expect(text);
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
            ("PR # 7", "7", "", ""),
            ("pull-request 7, please", "7", "", ""),
            ("PullRequest7", "7", "", ""),
            ("P.R. 7", "7", "", ""),
            ("PR n° 7", "7", "", ""),
            ("PR \u{2013} 7", "7", "", ""),
            ("gh pr view 7", "7", "", "gh"),
            ("--pr=7", "7", "", ""),
            ("MR !7", "7", "", ""),
            ("merge request 7", "7", "", ""),
            ("#7 fix 3 and 4", "7", "", "fix 3 and 4"),
            ("PR=7", "7", "", ""),
            ("PR no. 7", "7", "", ""),
            ("pull request number 7", "7", "", ""),
            ("**#7**", "7", "", ""),
            ("»#7« #7…", "7", "", ""),
            ("[#7](https://github.com/o/r/pull/7)", url, "", ""),
            ("[PR](https://github.com/o/r/pull/7): naming", url, "", "naming"),
            (
                "see [the style](https://example.com/a) in #7",
                "7",
                "",
                "see [the style](https://example.com/a) in",
            ),
            ("#7 and mention issue #2", "7", "", "and mention issue #2"),
            ("#7 (issue 2), fixes #3", "7", "", "(issue 2), fixes #3"),
            ("#7 as in https://github.com/o/r/issues/8", "7", "", "as in https://github.com/o/r/issues/8"),
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
            ("https://github.com/o/r/pull/7/commits/0a1b", url, "", ""),
            ("https://github.com/o/r/pull/7/files/0a1b..2c3d#r9", url, "discussion_r9", ""),
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
            ("PRs 7 and 8", "PRs 7"),
            ("GH-2", "GH-2"),
            ("no.2", "no.2"),
            ("pulls/2", "pulls/2"),
            ("#7-#8", "#7-#8"),
            ("o/r#2", "o/r#2"),
            ("only naming #007", "#007"),
            ("o/r/pull/7/files", "o/r/pull/7/files"),
            ("localhost/o/r/pull/7", "localhost/o/r/pull/7"),
            ("discussion_r1", "discussion_r1"),
            ("https://github.com/o/r/pull/x", "https://github.com/o/r/pull/x"),
            ("https://github.com/o/r/pull/7#discussion_r", "https://github.com/o/r/pull/7#discussion_r"),
            ("https://github.com/o/r/pull/7#discussion_r1x", "https://github.com/o/r/pull/7#discussion_r1x"),
            ("https://github.com/o/r/pull/7/settings", "https://github.com/o/r/pull/7/settings"),
            ("#2のコメント", "#2のコメント"),
            ("PR2のコメント", "PR2のコメント"),
            ("\u{ff03}2", "\u{ff03}2"),
            ("pull requests 2 and 7", "requests 2"),
            ("№2", "№2"),
            ("only nr. 2", "nr. 2"),
            ("in this PR 2 threads are open", "this PR 2"),
            ("#7 and PRs 8, 9", "PRs 8"),
            ("PR 8,9", "PR 8,9"),
            ("PR 8/", "PR 8/"),
            ("PR 08", "PR 08"),
            ("PR n°8", "PR n°8"),
            ("PR 8号", "PR 8号"),
            ("+8", "+8"),
            ("7-8", "7-8"),
            ("8/10", "8/10"),
            ("ftp://github.com/o/r/pull/7", "ftp://github.com/o/r/pull/7"),
        ] {
            refuses(text, &exactly(word));
        }
        for (text, words) in [
            ("8, 9", "8, 9"),
            ("#7 and 8", "#7 and 8"),
            ("PR 7 or 8", "7 or 8"),
            ("#7, and also 8", "#7, and also 8"),
            ("#7 / 8", "#7 / 8"),
        ] {
            refuses(text, &format!("`{words}` does not name one pull request"));
        }
        for text in ["not #8", "everything but #8", "all the comments except those of #8"] {
            refuses(text, &format!("`{text}` may leave that pull request out"));
        }
        let addressed = "https://github.com/o/r/issues/8";
        for text in ["fixes #2", "issue #2", "close #2", "the Bug #2", "issue 2", "issue-2", addressed] {
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
