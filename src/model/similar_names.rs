//! Suggestions for "did you mean": how similar two names are, and the known name that a word means.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Bound;

/// How similar two names are, from 0 to 1; case is ignored.
pub fn similarity(a: &str, b: &str) -> f64 {
    strsim::jaro_winkler(&a.to_lowercase(), &b.to_lowercase())
}

/// The maximum number of names in a list that are compared.
const MOST_COMPARED: usize = 2000;

/// How many names before and after a word in sorted order are compared with it. Names further away are skipped:
/// thousands of unknown names and thousands of known ones must not take minutes.
const NEIGHBOURS: usize = 128;

/// The names of an ordered map to compare with `word`: all of them, or its neighbours if there are many.
pub fn neighbours<'m, K: Borrow<str> + Ord, V>(
    known: &'m BTreeMap<K, V>,
    word: &str,
) -> impl Iterator<Item = &'m str> {
    let before = known.range::<str, _>((Bound::Unbounded, Bound::Excluded(word))).rev().take(NEIGHBOURS);
    let after = known.range::<str, _>((Bound::Included(word), Bound::Unbounded)).take(NEIGHBOURS);
    before.chain(after).map(|(name, _)| name.borrow())
}

/// The name in `known` that is most similar to `word`; `None` if none is similar. Case is ignored. Pass
/// names without the plugin or folder that they share, which says nothing about what was meant.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.into_iter().take(MOST_COMPARED).map(|name| (similarity(name, word), name));
    best_match(
        scored.filter(|(score, name)| *score > LEAST_SIMILARITY && is_near(name, word, 1)),
        LEAST_SIMILARITY,
    )
}

/// The least likeness of names of which one may mean the other.
const LEAST_SIMILARITY: f64 = 0.85;

/// Whether two alike names are close for their length: at most every fifth letter differs, or `least` letters in short
/// names, or one has up to two letters or whole words more. Two names that only begin with the same word are alike, too.
pub fn is_near(a: &str, b: &str, least: usize) -> bool {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    let is_end = |rest: &str| rest.starts_with(['-', '_', '.', ' ', '/']);
    let is_rest = |rest: &str| rest.len() <= 2 || is_end(rest);
    let has_more = short.len() * 2 >= long.len() && long.strip_prefix(short.as_str()).is_some_and(is_rest);
    let (shorter, longer) = (short.chars().count(), long.chars().count());
    let most = (longer / 5).max(least);
    // The distance is no smaller than the difference of the lengths, and takes much longer to compute.
    has_more || longer.abs_diff(shorter) <= most && strsim::osa_distance(&a, &b) <= most
}

/// The item with the highest score above `least`; of equal scores, the first in order.
pub fn best_match<T: Ord + Copy>(scored: impl Iterator<Item = (f64, T)>, least: f64) -> Option<T> {
    let order = |a: &(f64, T), b: &(f64, T)| -> Ordering { a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)) };
    scored.filter(|(score, _)| *score > least).max_by(order).map(|(_, known)| known)
}

/// The name in `known` of which `word` is a misspelling: different case, one wrong letter in short names, two in names
/// of eight letters or more. Close enough to be certain that nothing else was meant.
pub fn misspelt_name<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let allowed = if lower.len() < 8 { 1 } else { 2 };
    let scored = known.into_iter().filter_map(|name| {
        let other = name.to_lowercase();
        if other == lower {
            return (name != word).then_some((0, name));
        }
        let longer = other.len().abs_diff(lower.len()) > allowed || other.len() < 4;
        let first = lower.chars().next().is_some_and(|c| other.starts_with(c));
        let slips = if longer || !first { usize::MAX } else { strsim::osa_distance(&other, &lower) };
        (slips <= allowed).then_some((slips, name))
    });
    scored.min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_names_those_next_to_a_word_are_compared() {
        let known: BTreeMap<String, ()> = (0..9000).map(|number| (format!("n{number:04}"), ())).collect();
        let compared: Vec<&str> = neighbours(&known, "n4500x").collect();
        assert_eq!(compared.len(), 2 * NEIGHBOURS);
        assert!(compared.contains(&"n4500") && compared.contains(&"n4501") && !compared.contains(&"n0001"));
        let few = BTreeMap::from([("a".to_owned(), ()), ("z".to_owned(), ())]);
        assert_eq!(neighbours(&few, "m").collect::<Vec<_>>(), ["a", "z"]);
    }

    #[test]
    fn finds_what_was_meant_and_nothing_else() {
        assert_eq!(nearest("skil-size", ["skill-size", "name-mismatch"]), Some("skill-size"));
        assert_eq!(nearest("Chekcer", ["planner", "checker"]), Some("checker"));
        assert_eq!(nearest("house", ["skill-size"]), None);
        assert_eq!(nearest("setup", ["setup-guide"]), None);
        assert_eq!(nearest("installation", ["installation-guide"]), Some("installation-guide"));
        for (word, far) in [
            ("review-code", "review-plan"),
            ("commit-push", "commit-check"),
            ("review-plans", "review-goals"),
        ] {
            assert_eq!(nearest(word, [far]), None, "{word}");
        }
        assert_eq!(misspelt_name("cheker", ["checker", "shaker"]), Some("checker"));
        assert_eq!(misspelt_name("Checker", ["checker"]), Some("checker"));
        assert_eq!(misspelt_name("checker", ["checker"]), None);
        assert_eq!(misspelt_name("reviewer", ["previewer", "planner"]), None);
    }
}
