//! Whether the words before a name negate a request, as "never dispatch" does.

use super::{ASKING, ASKING_FOR_ITEMS, ASKING_FOR_ONE, is_one_of, words};

/// Words that negate a request, besides those with `n't`.
const DENYING: [&str; 9] =
    ["never", "not", "cannot", "without", "avoid", "refrain", "forbidden", "prohibited", "neither"];

/// Words after a negation that turn it into a request: "do not skip".
const OMITTING: [&str; 8] = ["skip", "skipping", "omit", "forget", "miss", "neglect", "drop", "hesitate"];

/// Words that negate a request, in two words.
pub(super) const DENYING_PAIRS: [[&str; 2]; 3] = [["instead", "of"], ["rather", "than"], ["no", "need"]];

/// Words that start a condition: a negation in it does not apply to the sentence after its comma.
pub(super) const CONDITIONS: [&str; 12] = [
    "if", "when", "where", "unless", "while", "because", "since", "once", "after", "before", "until",
    "without",
];

/// Whether the text before a name negates it; a condition before a comma does not count, nor does anything before a
/// clause that asks by itself: "never alone, except at the end: then dispatch".
pub(super) fn is_negated(before: &str) -> bool {
    if last_clause_asks(before) {
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

/// Whether the last clause of a text asks by itself, and no clause before it breaks off at a negation, as "never, ever"
/// does.
fn last_clause_asks(before: &str) -> bool {
    let bare = before.trim_end_matches([':', ' ', '`', '"', '\'', '*', '@', '(']);
    let Some((above, own)) = bare.rsplit_once([',', ';', ':']) else { return false };
    let asks = |word: &str| {
        is_one_of(word, &ASKING) || is_one_of(word, &ASKING_FOR_ITEMS) || is_one_of(word, &ASKING_FOR_ONE)
    };
    let breaks_off = |clause: &str| words(clause).last().is_some_and(is_denial);
    words(own).any(asks) && !words(own).any(is_denial) && !above.split([',', ';', ':']).any(breaks_off)
}

pub(super) fn is_denial(word: &str) -> bool {
    let plain = word.contains('\u{2019}').then(|| word.replace('\u{2019}', "'"));
    let word = plain.as_deref().unwrap_or(word);
    let ending = word.len().checked_sub(3).and_then(|at| word.get(at..));
    is_one_of(word, &DENYING) || ending.is_some_and(|ending| ending.eq_ignore_ascii_case("n't"))
}
