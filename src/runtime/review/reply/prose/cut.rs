//! Splits a text into sentences, clauses and parts.

use super::words::TURNS;

/// The sentences of a line: each ends with punctuation before a space.
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

/// The clauses of a sentence, split at words such as `but`.
pub(super) fn clauses(sentence: &str) -> Vec<Vec<&str>> {
    let mut found = vec![Vec::new()];
    for word in sentence.split_whitespace() {
        let is_turn = TURNS.iter().any(|turn| bare_word(word).eq_ignore_ascii_case(turn));
        match found.last_mut() {
            Some(last) if !is_turn => last.push(word),
            _ => found.push(Vec::new()),
        }
    }
    found
}

/// A word without surrounding punctuation.
pub(super) fn bare_word(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Characters without meaning in a sentence.
const SIGNS: &str = "–—…“”‘’•·✅✓✔🎉👍";
/// Words that join the parts of a sentence.
const CONJUNCTIONS: [&str; 3] = ["and", "so", "therefore"];

/// Whether a word consists of meaningless characters only.
pub(super) fn is_sign(word: &str) -> bool {
    word.chars().all(is_sign_of)
}

/// Whether a character has no meaning by itself.
pub(super) fn is_sign_of(c: char) -> bool {
    c.is_ascii_punctuation() || c.is_whitespace() || c == '\u{fe0f}' || SIGNS.contains(c)
}

/// The parts of a sentence, split at commas, colons, dashes, brackets and `and`.
pub(super) fn parts(sentence: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for word in sentence.split_whitespace() {
        let is_join = CONJUNCTIONS.iter().any(|join| bare_word(word).eq_ignore_ascii_case(join));
        let ends =
            word.trim_end_matches(['*', '_', '`', '"']).ends_with([',', ':', ';', ')', '.']) || is_sign(word);
        if word.starts_with('(') || is_join {
            found.push(String::new());
        }
        if let Some(last) = found.last_mut().filter(|_| !is_join) {
            last.push(' ');
            last.push_str(word);
        }
        if ends {
            found.push(String::new());
        }
    }
    found.retain(|part| !part.trim().is_empty());
    found
}
