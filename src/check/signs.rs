//! Words without which a rule finds nothing in a text, all of them looked for in one pass: most texts hold
//! none, and then no rule has to look again.

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;

/// What a text may be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// A program that loads from the network.
    Download,
    /// A home folder.
    Home,
    /// A name of the stage beta.
    Beta,
    /// The words "copy of".
    Copy,
    /// The name of an agent to dispatch.
    Dispatch,
    /// A suppression.
    Suppression,
}

/// The words. None begins with what another one ends with, so that one search finds all, but for words of
/// one sign. Four bytes at least keep the search quick.
const WORDS: [(&str, Sign); 11] = [
    ("curl", Sign::Download),
    ("wget", Sign::Download),
    ("fetch", Sign::Download),
    ("Users/", Sign::Home),
    ("home/", Sign::Home),
    (":\\Users\\", Sign::Home),
    ("-beta", Sign::Beta),
    ("copy of ", Sign::Copy),
    ("subagent_type", Sign::Dispatch),
    ("Task ", Sign::Dispatch),
    ("plugcast-allow ", Sign::Suppression),
];

/// None where the processor has no such search: then every text is looked at.
static SEARCHER: LazyLock<Option<Searcher>> =
    LazyLock::new(|| Searcher::new(WORDS.iter().map(|(word, _)| word)));

/// The signs that a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signs(u8);

impl Signs {
    /// Looks at `text`.
    pub fn of(text: &str) -> Self {
        let Some(searcher) = &*SEARCHER else { return Self(u8::MAX) };
        let found = searcher.find_iter(text).map(|hit| 1 << WORDS[hit.pattern().as_usize()].1 as u8);
        Self(found.fold(0, |all, one: u8| all | one))
    }

    /// Whether one of the words of `sign` stands in the text.
    pub fn has(self, sign: Sign) -> bool {
        self.0 & (1 << sign as u8) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_wherever_it_stands() {
        for (word, sign) in WORDS {
            for (other, beside) in WORDS {
                let text = format!("{}{other}{word}{}", "x".repeat(40), "y".repeat(40));
                let signs = Signs::of(&text);
                assert!(signs.has(sign) && signs.has(beside), "{other}{word}");
            }
            assert!(Signs::of(word).has(sign), "{word}");
        }
        let nothing = Signs::of(&"nothing of that kind. ".repeat(20));
        assert!(SEARCHER.is_none() || nothing == Signs(0));
    }
}
