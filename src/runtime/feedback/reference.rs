//! What a word names: a pull request by its number or address, one comment by its address, perhaps an issue, or nothing.

use crate::runtime::answer::{CallFailure, USAGE};
use crate::runtime::error_code::ErrorCode;

/// Words that only ask for the work: alone they are not a focus.
const ASKING: &str = "address all and answer at can comments could feedback for go handle in look of on open please \
    pull pr request resolve review take the threads through to would you";
/// What is part of a word at its ends. All other signs surround it.
const OF_WORDS: &str = "#/\\@$%&=+_-{}";
/// What comes before the number of a pull request in one word.
const PREFIXES: [&str; 8] = ["#", "pr#", "pr-", "pr:", "pr=", "pr", "pull/", "pullrequest"];
/// What may stand between `PR` and its number; a lone sign is empty without what surrounds words.
const COUNTING: [&str; 13] =
    ["", "#", "=", "-", "n", "no", "nr", "num", "number", "nummer", "numéro", "view", "checkout"];
/// Words between two numbers that may both be those of pull requests.
const JOINING: [&str; 16] = [
    "and", "or", "&", "+", "/", "-", "then", "plus", "also", "to", "instead", "of", "as", "well", "et", "und",
];
/// Words before a pull request with which it may be meant to be left out.
const EXCLUDING: &str = "but except excluding never not skip unlike without";
/// How many words before a pull request are read for them.
const EXCLUDED: usize = 4;
/// Words before `PR` with which it may be that of the branch, and the number that of something else.
const OF_BRANCH: &str = "this that current same";
/// Words after which `#7` may be an issue.
const OF_ISSUES: &str =
    "bug bugs close closed closes fix fixed fixes issue issues resolved resolves ticket tickets";
/// Words before a number, in one word with it or not, which then may be that of another pull request.
const NUMBERED: [&str; 9] = ["pulls", "prs", "pr", "number", "num", "no", "nr", "gh", "#"];
/// The same for an issue.
const NUMBERED_ISSUES: [&str; 3] = ["issues", "issue", "ticket"];
/// The tabs of a pull request, which its address may end with, or go on from.
const TABS: [&str; 5] = ["", "files", "changes", "commits", "checks"];
/// What comes before the number of a comment at the end of its address.
const COMMENTS: [&str; 3] = ["discussion_r", "issuecomment-", "pullrequestreview-"];

/// What a word names.
pub(super) enum NamedThing {
    /// A pull request, exactly, with the number of words such as `PR` before it that are part of its name.
    Pull(PullReference, usize),
    /// Perhaps an issue, as the failure tells.
    Issue(CallFailure),
    /// Neither.
    Nothing,
}

/// What names a pull request exactly.
pub(super) struct PullReference {
    /// Its number.
    pub(super) number: String,
    /// The pull request by address.
    pub(super) address: Option<String>,
    /// The comment, as the end of its address.
    pub(super) comment: Option<String>,
}

impl PullReference {
    /// Both, if they name the same.
    pub(super) fn joined(self, other: Self) -> Option<Self> {
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

/// The parts of a link in Markdown that names a pull request, or the word itself.
pub(super) fn link_parts(word: &str) -> impl Iterator<Item = &str> {
    let names = |(text, address): &(&str, &str)| {
        by_prefix(&bare(text).to_lowercase()).is_some() || by_address(bare(address)).is_some()
    };
    let (text, address) = match word.split_once("](").filter(names) {
        Some((text, address)) => (text, Some(address)),
        None => (word, None),
    };
    std::iter::once(text).chain(address)
}

/// Whether a sign at the end of a word does not belong to it.
fn surrounds(sign: char) -> bool {
    !sign.is_alphanumeric() && !OF_WORDS.contains(sign) && !matches!(sign, '\u{ff03}' | '\u{2116}')
}

/// A word without what surrounds it, and without the end of a genitive.
pub(super) fn bare(word: &str) -> &str {
    let bare = word.trim_matches(surrounds);
    bare.strip_suffix("'s").or_else(|| bare.strip_suffix("\u{2019}s")).unwrap_or(bare)
}

/// Words as a message shows them.
pub(super) fn shown(words: &[&str]) -> String {
    words.join(" ").trim_matches(surrounds).to_owned()
}

fn is_among(word: &str, words: &str) -> bool {
    words.split(' ').any(|one| one == word)
}

/// Whether a word only asks for the work.
pub(super) fn is_asking(word: &&str) -> bool {
    is_among(&bare(word).to_ascii_lowercase(), ASKING)
}

/// What a word names.
///
/// # Errors
/// `ambiguous_target` for what is almost the name of a pull request.
pub(super) fn named(words: &[&str], at: usize) -> Result<NamedThing, CallFailure> {
    let bare_word = bare(words[at]);
    let lower = bare_word.to_lowercase();
    let before =
        |back: usize| at.checked_sub(back).map(|at| bare(words[at]).to_lowercase()).unwrap_or_default();
    let last = before(1);
    let ambiguous = |from: usize, what: &str| {
        wrong(ErrorCode::AmbiguousTarget, format!("`{}` {what}", shown(&words[from..=at])))
    };
    let (not_exactly, issue) = ("does not name the pull request exactly", "may name an issue");
    let announcing = announcing(&before);
    if announcing > 0 && number(&lower).is_some() && is_among(&before(announcing + 1), OF_BRANCH) {
        return Err(ambiguous(at - announcing - 1, not_exactly));
    }
    let by_number = |number: &str| PullReference { number: number.to_owned(), address: None, comment: None };
    if let Some(number) = by_prefix(lower.trim_start_matches('-')) {
        if lower.starts_with('#') && is_among(&last, OF_ISSUES) {
            return Ok(NamedThing::Issue(ambiguous(at - 1, issue)));
        }
        return Ok(NamedThing::Pull(by_number(number), announcing));
    }
    if let Some(reference) = by_address(bare_word) {
        return Ok(NamedThing::Pull(reference, announcing));
    }
    if let Some(number) = number(&lower) {
        let is_genitive = words[at].trim_matches(surrounds) != bare_word;
        let is_alone = at + 1 == words.len() || words[at].ends_with([',', ':']) || is_genitive;
        if announcing > 0 || is_alone && words[..at].iter().all(is_asking) {
            return Ok(NamedThing::Pull(by_number(number), announcing));
        }
        if NUMBERED_ISSUES.contains(&&*last) {
            return Ok(NamedThing::Issue(ambiguous(at - 1, issue)));
        }
        if NUMBERED.contains(&&*last) || last == "requests" && before(2) == "pull" {
            return Err(ambiguous(at - 1, not_exactly));
        }
    }
    // As in `n°7`.
    if announcing > 0 && is_behind(lower.trim_start_matches(['n', 'o', 'r']), "") {
        return Err(ambiguous(at - announcing, not_exactly));
    }
    if almost_names(&lower, at == 0) {
        return Err(ambiguous(at, not_exactly));
    }
    let is_issue =
        NUMBERED_ISSUES.iter().any(|before| is_behind(&lower, before)) || has_address(&lower, "issues");
    Ok(if is_issue { NamedThing::Issue(ambiguous(at, issue)) } else { NamedThing::Nothing })
}

/// How many of the words before a number say that it is that of a pull request.
fn announcing(before: &dyn Fn(usize) -> String) -> usize {
    let counting = usize::from(COUNTING.contains(&&*before(1)));
    // As in `P.R.` and `pull-request`.
    let letters = |back: usize| before(back).replace(|c: char| !c.is_alphanumeric(), "");
    match (&*letters(counting + 2), &*letters(counting + 1)) {
        (_, "pr" | "mr" | "pullrequest" | "mergerequest") => counting + 1,
        ("pull" | "merge", "request") => counting + 2,
        _ => 0,
    }
}

/// Refuses a pull request that may be meant to be left out, as in `all but #7`.
///
/// # Errors
/// `ambiguous_target`.
pub(super) fn must_not_be_excluded(words: &[&str], at: usize) -> Result<(), CallFailure> {
    let is_excluding = |word: &&str| is_among(&bare(word).to_lowercase(), EXCLUDING);
    if !words[at.saturating_sub(EXCLUDED)..at].iter().any(is_excluding) {
        return Ok(());
    }
    let message = format!("`{}` may leave that pull request out", shown(&words[..=at]));
    Err(wrong(ErrorCode::AmbiguousTarget, message))
}

/// Refuses a number that stands beside a pull request, as in `#7, 8` or `PR 7 and 8`.
///
/// # Errors
/// `ambiguous_target`.
pub(super) fn must_not_follow(words: &[&str], at: usize, pull: Option<usize>) -> Result<(), CallFailure> {
    let Some(pull) = pull.filter(|_| number(bare(words[at])).is_some()) else { return Ok(()) };
    let is_joining = |word: &&str| JOINING.contains(&&*bare(word).to_lowercase()) || JOINING.contains(word);
    if words[pull + 1..at].iter().all(is_joining) {
        let message = format!("`{}` does not name one pull request", shown(&words[pull..=at]));
        return Err(wrong(ErrorCode::AmbiguousTarget, message));
    }
    Ok(())
}

/// Whether a text begins with a number that no letter of an ordinary word goes on from, as in `7fb`.
fn begins_number(text: &str) -> bool {
    let rest = text.trim_start_matches(char::is_numeric);
    rest.len() < text.len() && !rest.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// Whether a number stands behind something at the begin of a word, with signs between them or not.
fn is_behind(lower: &str, before: &str) -> bool {
    let rest = lower.strip_prefix(before).unwrap_or_default();
    begins_number(rest.trim_start_matches(|c: char| !c.is_alphanumeric()))
}

/// Whether a word has the address of something of a kind, cut or not.
fn has_address(lower: &str, kind: &str) -> bool {
    let parts: Vec<&str> = lower.split('/').collect();
    parts.windows(2).any(|pair| pair[0] == kind && (begins_number(pair[1]) || lower.contains("://")))
}

/// Whether a word is almost a name: it has a number where names have one, or begins all words with one.
fn almost_names(lower: &str, is_first: bool) -> bool {
    let is_comment = |before: &&str| lower.split(*before).skip(1).any(begins_number);
    let counted =
        lower.split([',', ':', ';', '&', '+', '#']).find(|part| !part.is_empty()).unwrap_or_default();
    let is_counted = |c: char| c.is_numeric() || matches!(c, '-' | '/');
    is_first && counted.contains(char::is_numeric) && counted.chars().all(is_counted)
        || lower.split(['#', '\u{ff03}', '\u{2116}']).skip(1).any(begins_number)
        || NUMBERED.iter().any(|before| is_behind(lower, before))
        || COMMENTS.iter().any(is_comment)
        || ["pull", "pulls"].iter().any(|kind| has_address(lower, kind))
}

/// The number in a word such as `#7` or `pr7`.
fn by_prefix(lower: &str) -> Option<&str> {
    PREFIXES.iter().find_map(|prefix| number(lower.strip_prefix(prefix)?))
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
    let [host, owner, name, pull, digits, ref rest @ ..] = *parts else { return None };
    let tab = rest.first().copied().unwrap_or_default();
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

/// The failure for words that cannot be followed.
pub(super) fn wrong(code: ErrorCode, message: String) -> CallFailure {
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
