//! A text cut into sentences, their parts and words.

use super::words::TURNS;

/// The sentences of a line: they end with a sign before a space.
pub(super) fn sentences(line: &str) -> Vec<&str> {
    let (mut found, mut begin) = (Vec::new(), 0);
    for (at, sign) in line.match_indices(['.', '!', '?', ';']) {
        let end = at + sign.len();
        if line[end..].starts_with(char::is_whitespace) {
            found.push(&line[begin..end]);
            begin = end;
        }
    }
    found.push(&line[begin..]);
    found
}

/// The words of a sentence, cut where it turns.
pub(super) fn clauses(sentence: &str) -> Vec<Vec<&str>> {
    let mut found = vec![Vec::new()];
    for word in sentence.split_whitespace() {
        let is_turn = TURNS.iter().any(|turn| bare(word).eq_ignore_ascii_case(turn));
        match found.last_mut() {
            Some(last) if !is_turn => last.push(word),
            _ => found.push(Vec::new()),
        }
    }
    found
}

/// A word without the signs around it.
pub(super) fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}
