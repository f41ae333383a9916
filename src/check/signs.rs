//! Words without which a rule finds nothing in a text, all searched for in one pass: most texts contain none, and the
//! rules skip them.

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;

/// What a text may be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextSign {
    /// A program that downloads.
    Download,
    /// A home folder.
    Home,
    /// The word "beta" in a name or mark.
    Beta,
    /// The words "copy of".
    Copy,
    /// The name of an agent to dispatch.
    Dispatch,
    /// A suppression.
    Suppression,
}

/// The words. None starts with the end of another one, except within the same sign, so that one search finds all. Words
/// of at least four bytes keep the search fast.
const WORDS: [(&str, TextSign); 11] = [
    ("curl", TextSign::Download),
    ("wget", TextSign::Download),
    ("fetch", TextSign::Download),
    ("Users/", TextSign::Home),
    ("home/", TextSign::Home),
    (":\\Users\\", TextSign::Home),
    ("-beta", TextSign::Beta),
    ("copy of ", TextSign::Copy),
    ("subagent_type", TextSign::Dispatch),
    ("Task ", TextSign::Dispatch),
    ("plugcast-allow ", TextSign::Suppression),
];

/// `None` if the processor does not support the search: then every text is examined.
static SEARCHER: LazyLock<Option<Searcher>> =
    LazyLock::new(|| Searcher::new(WORDS.iter().map(|(word, _)| word)));

/// The signs that a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextSigns(u8);

impl TextSigns {
    /// Scans `text`.
    pub fn from_text(text: &str) -> Self {
        let Some(searcher) = &*SEARCHER else { return Self(u8::MAX) };
        let found = searcher.find_iter(text).map(|hit| 1 << WORDS[hit.pattern().as_usize()].1 as u8);
        Self(found.fold(0, |all, one: u8| all | one))
    }

    /// Whether the text contains a word of `sign`.
    pub fn has(self, sign: TextSign) -> bool {
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
                let signs = TextSigns::from_text(&text);
                assert!(signs.has(sign) && signs.has(beside), "{other}{word}");
            }
            assert!(TextSigns::from_text(word).has(sign), "{word}");
        }
        let nothing = TextSigns::from_text(&"nothing of that kind. ".repeat(20));
        assert!(SEARCHER.is_none() || nothing == TextSigns(0));
    }
}
