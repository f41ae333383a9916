//! Whether the words before a name negate a request, as "never dispatch" does; "never finish without dispatching" asks
//! for it.

use super::{ASKING, ASKING_FOR_ITEMS, ASKING_FOR_ONE, is_one_of, words};

/// Words that negate a request, besides those with `n't`.
const DENYING: [&str; 9] =
    ["never", "not", "cannot", "without", "avoid", "refrain", "forbidden", "prohibited", "neither"];

/// Words after a negation that turn it into a request: "do not skip".
const OMITTING: [&str; 8] = ["skip", "skipping", "omit", "forget", "miss", "neglect", "drop", "hesitate"];

/// Words that negate a request, in two words.
pub(super) const DENYING_PAIRS: [[&str; 2]; 9] = [
    ["instead", "of"],
    ["rather", "than"],
    ["no", "need"],
    ["stop", "using"],
    ["stop", "calling"],
    ["stop", "running"],
    ["stop", "launching"],
    ["stop", "dispatching"],
    ["stop", "spawning"],
];

/// Words that start a condition: a negation in it does not apply to the sentence after its comma.
pub(super) const CONDITIONS: [&str; 12] = [
    "if", "when", "where", "unless", "while", "because", "since", "once", "after", "before", "until",
    "without",
];

/// Words that make a requirement of what follows, if a negation is before them: "never finish without".
const REQUIRING: [&str; 4] = ["until", "before", "without", "unless"];

/// Words besides `DENYING` that may be before them: "no commit without".
const NOTHING: [&str; 3] = ["no", "nothing", "nobody"];

/// More forms of the verbs of a request.
const ASKING_AFTER: [&str; 6] = ["using", "running", "calling", "starting", "executing", "consulting"];

/// Marks between the clauses of a sentence.
const CLAUSE_MARKS: [char; 5] = [',', ';', ':', '\u{2014}', '\u{2013}'];

/// Whether the text before a name negates it; a condition before a comma does not count, nor does anything before a
/// clause that asks by itself: "never alone, except at the end: then dispatch".
pub(super) fn is_negated(before: &str) -> bool {
    if last_clause_asks(before) || requirement(before).is_some_and(|part| asks(part) && !is_negated(part)) {
        return false;
    }
    let clauses: Vec<&str> = before.split(',').collect();
    let counts = |(at, clause): &(usize, &&str)| {
        let first = words(clause).next().unwrap_or_default();
        at + 1 == clauses.len() || !is_one_of(first, &CONDITIONS)
    };
    clauses.iter().enumerate().filter(counts).any(|(_, clause)| {
        let words: Vec<&str> = words(clause).collect();
        let pair = |pair: &[&str]| {
            DENYING_PAIRS
                .iter()
                .any(|known| is_one_of(pair[0], &known[..1]) && is_one_of(pair[1], &known[1..]))
        };
        let denies = |at: usize| {
            let next = words.get(at + 1).copied().unwrap_or_default();
            is_denial(words[at]) && !is_one_of(next, &OMITTING)
        };
        (0..words.len()).any(denies) || words.windows(2).any(pair)
    })
}

/// What a negated sentence requires: the text behind "without" in "never finish without dispatching".
pub(super) fn requirement(before: &str) -> Option<&str> {
    let (ahead, part) =
        REQUIRING.iter().filter_map(|word| split_at_last(before, word)).max_by_key(|it| it.0.len())?;
    let denies = |word: &str| is_denial(word) && !is_one_of(word, &["without"]) || is_one_of(word, &NOTHING);
    let (above, _) = ahead.rsplit_once(',').unwrap_or_default();
    let is_whole = !part.contains(',') || !above.split(',').any(breaks_off);
    (words(ahead).any(denies) && is_whole).then_some(part)
}

/// Whether a sentence requires the agent that it names to run, with the verb behind the name: "do not stop until `x` has
/// been dispatched".
pub(super) fn requires_later(before: &str, after: &str) -> bool {
    const LINKING: [&str; 5] = ["been", "is", "was", "are", "were"];
    let done: Vec<&str> = words(after).collect();
    let asks = |pair: &[&str]| {
        is_one_of(pair[0], &LINKING)
            && (is_one_of(pair[1], &ASKING) || is_one_of(pair[1], &["called", "run"]))
    };
    let is_plain = |part: &str| !words(part).any(|word| is_denial(word) || is_one_of(word, &ASKING));
    requirement(before).is_some_and(is_plain)
        && done.windows(2).any(asks)
        && !done.iter().any(|word| is_denial(word))
}

/// Whether a sentence begins with a condition on the agent that it names, and asks for the agent behind its comma: "if `x`
/// has not run, launch it".
pub(super) fn asks_in_consequence(before: &str, after: &str) -> bool {
    let condition = before.rsplit(CLAUSE_MARKS).next().unwrap_or_default();
    let Some((_, then)) = after.split_once(',') else { return false };
    let then: Vec<&str> = words(then).collect();
    let asks_for_it = |pair: &[&str]| asks(pair[0]) && is_one_of(pair[1], &["it", "them"]);
    words(condition).next().is_some_and(|first| is_one_of(first, &CONDITIONS))
        && then.windows(2).any(asks_for_it)
        && !then.iter().any(|word| is_denial(word))
}

/// Whether the last clause of a text asks by itself, and no clause before it breaks off at a negation, as "never, ever"
/// does.
fn last_clause_asks(before: &str) -> bool {
    let bare = before.trim_end_matches([':', ' ', '`', '"', '\'', '*', '@', '(']);
    let marked = bare.rsplit_once(CLAUSE_MARKS);
    let dashed = bare.rsplit_once(" - ");
    let Some((above, own)) = marked.into_iter().chain(dashed).min_by_key(|(_, own)| own.len()) else {
        return false;
    };
    asks(own) && !words(own).any(is_denial) && !above.split(CLAUSE_MARKS).any(breaks_off)
}

/// Whether a text has a verb of a request.
fn asks(text: &str) -> bool {
    let lists = [&ASKING[..], &ASKING_FOR_ITEMS, &ASKING_FOR_ONE, &ASKING_AFTER];
    words(text).any(|word| lists.iter().any(|list| is_one_of(word, list)))
}

/// Whether a clause ends with a negation: "never, ever".
fn breaks_off(clause: &str) -> bool {
    words(clause).last().is_some_and(is_denial)
}

/// The text before and behind the last place of a whole word.
fn split_at_last<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    let lower = text.to_ascii_lowercase();
    let is_whole = |at: usize| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
    };
    let at = lower.rmatch_indices(word).map(|(at, _)| at).find(|at| is_whole(*at))?;
    Some((&text[..at], &text[at + word.len()..]))
}

pub(super) fn is_denial(word: &str) -> bool {
    let plain = word.contains('\u{2019}').then(|| word.replace('\u{2019}', "'"));
    let word = plain.as_deref().unwrap_or(word);
    let ending = word.len().checked_sub(3).and_then(|at| word.get(at..));
    is_one_of(word, &DENYING) || ending.is_some_and(|ending| ending.eq_ignore_ascii_case("n't"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::asked;

    #[test]
    fn a_negated_sentence_asks_for_what_it_requires() {
        for text in [
            "Do not proceed until you have launched `scout`.",
            "You must not proceed until `scout` has been dispatched.",
            "Never commit before dispatching `scout`.",
            "Never finish without dispatching `scout`.",
            "Never, ever commit before dispatching `scout`.",
            "Do not stop before launching the scout agent.",
            "You cannot finish without launching `scout`.",
            "No commit without dispatching `scout`.",
            "Do not answer unless you have run the scout agent.",
            "Never review by yourself \u{2014} always launch `scout`.",
            "Do not ask \u{2014} launch `scout`.",
            "Do not ask - launch `scout`.",
            "If `scout` has not run, launch it.",
            "Do not end before you call Task(subagent_type=\"scout\").",
            "Never stop without launching these:\n\n1. `scout`\n2. `other`\n",
        ] {
            assert!(asked(text), "{text}");
        }
    }

    #[test]
    fn a_negated_request_asks_for_nothing() {
        for text in [
            "Never dispatch `scout` before the tests pass.",
            "Never dispatch `scout` without a plan.",
            "Do not launch anything without the word of `scout`.",
            "Never, without asking first, dispatch `scout`.",
            "Do not edit before the `scout` agent has written its notes.",
            "Do not \u{2014} under any condition \u{2014} dispatch `scout`.",
            "Do not stop before the tests pass; never launch `scout`.",
            "If `scout` has not run, do not launch it.",
            "Do not go on until `scout` is not dispatched any more.",
            "Stop launching `scout`.",
            "Never launch agents without the user's word:\n\n- `scout`\n",
        ] {
            assert!(!asked(text), "{text}");
        }
    }
}
