//! Whether a sentence beside a list asks to run the agents that are its items.

use super::{
    AGENTS, ASKING, ASKING_FOR_ITEMS, SEARCHED_BYTES, callers, is_listed, is_negated, is_one_of, words,
};

/// Whether the line that leads to a list, or the one behind it, asks to run its items as agents: "launch these agents:",
/// "launch both agents above". `before` ends and `after` begins within an item.
pub(in crate::model::references) fn are_items_dispatched(before: &str, after: &str) -> bool {
    let before = &before[before.ceil_char_boundary(before.len().saturating_sub(SEARCHED_BYTES))..];
    let after = &after[..after.floor_char_boundary(SEARCHED_BYTES)];
    let is_text = |line: &&str| {
        !line.trim().is_empty() && !line.starts_with([' ', '\t', '#', '|', '`']) && !is_listed(line)
    };
    let above = before.lines().rev().skip(1).find(is_text).map(|line| line.trim_end_matches(['*', ' ']));
    let leads = above.filter(|line| line.ends_with(':')).and_then(|line| line.rsplit(". ").next());
    let below = after.lines().skip(1).find(is_text).and_then(|line| line.split(". ").next());
    leads.is_some_and(asks_for_agents)
        || below.is_some_and(|line| words(line).any(|word| word == "above") && asks_for_agents(line))
}

fn asks_for_agents(sentence: &str) -> bool {
    let all: Vec<&str> = words(sentence).collect();
    let asks = |word: &&str| is_one_of(word, &ASKING) || is_one_of(word, &ASKING_FOR_ITEMS);
    all.iter().any(asks)
        && all.iter().any(|word| is_one_of(word, &AGENTS))
        && !is_negated(sentence)
        && !callers::lists(&all)
}
