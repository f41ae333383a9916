//! Finds many words in a text at once, where they are no part of a longer word: at each place the longest,
//! and never two that overlap. A table over the first bytes of all words tells nearly everywhere that none
//! begins, for a few instructions a byte and without an automaton to build.

/// How many slots the table has; a power of two.
const SLOTS: usize = 1 << 13;
/// By how many first bytes the table tells words apart.
const LEAD: usize = 3;

/// The words that are sought.
#[derive(Debug, Clone)]
pub(super) struct Finder {
    words: Vec<Box<[u8]>>,
    /// By the hash of a word's first bytes: 0 for none, else one more than the place in `chains`.
    slots: Box<[u16; SLOTS]>,
    /// The words of one slot.
    chains: Vec<Chain>,
}

/// Words that share a slot.
#[derive(Debug, Clone, Default)]
struct Chain {
    /// Their places, in the order of the words.
    words: Vec<u32>,
    /// How many first bytes all of them share.
    shared: usize,
}

/// A word that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// Which: its place in the order in which the words were given.
    pub(super) word: usize,
    /// Its first byte in the text.
    pub(super) start: usize,
    /// The byte behind its last.
    pub(super) end: usize,
}

impl Finder {
    /// Prepares the search for `words`, none of which comes twice; an empty one is never found.
    pub(super) fn new<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let words: Vec<Box<[u8]>> = words.map(|word| word.as_bytes().into()).collect();
        let mut finder = Self { words, slots: Box::new([0; SLOTS]), chains: Vec::new() };
        let mut order: Vec<usize> = (0..finder.words.len()).collect();
        order.sort_by(|a, b| finder.words[*a].cmp(&finder.words[*b]));
        for at in order {
            match *finder.words[at] {
                [] => {}
                // Whatever follows a short word, it is found.
                [_] => (0..SLOTS).for_each(|slot| finder.add(slot, at)),
                [a, b] => (0..=u8::MAX).for_each(|c| finder.add(slot(number(&[a, b, c])), at)),
                [a, b, c, ..] => finder.add(slot(number(&[a, b, c])), at),
            }
        }
        finder
    }

    fn add(&mut self, slot: usize, word: usize) {
        let slot = &mut self.slots[slot];
        if *slot == 0 {
            self.chains.push(Chain::default());
            *slot = self.chains.len() as u16;
        }
        let chain = &mut self.chains[usize::from(*slot) - 1];
        match chain.words.last() {
            None => chain.shared = self.words[word].len(),
            Some(last) if *last == word as u32 => return,
            Some(last) => {
                chain.shared = chain.shared.min(shared(&self.words[*last as usize], &self.words[word]))
            }
        }
        chain.words.push(word as u32);
    }

    /// The words of `text`, in order.
    pub(super) fn find_iter<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Found> + 'a {
        let (text, mut from) = (text.as_bytes(), 0);
        std::iter::from_fn(move || {
            let found = self.next(text, from)?;
            from = found.end;
            Some(found)
        })
    }

    /// The first word that begins at `from` or behind it.
    fn next(&self, text: &[u8], from: usize) -> Option<Found> {
        // One byte more than the lead, since that many are read at once; the slot leaves it out.
        for (at, bytes) in text[from..].windows(LEAD + 1).enumerate() {
            let slot = self.slots[slot(number(bytes))];
            if slot != 0 && !inside_word(text, from + at) {
                let found = self.longest(text, from + at, slot);
                if found.is_some() {
                    return found;
                }
            }
        }
        // What is left is shorter than that.
        (text.len().saturating_sub(LEAD).max(from)..text.len()).find_map(|start| {
            let slot = self.slots[slot(number(&text[start..]))];
            if slot == 0 || inside_word(text, start) { None } else { self.longest(text, start, slot) }
        })
    }

    /// The longest word of a slot that `text` goes on with at `start`.
    fn longest(&self, text: &[u8], start: usize, slot: u16) -> Option<Found> {
        let chain = &self.chains[usize::from(slot) - 1];
        let word = |at: &u32| &*self.words[*at as usize];
        let mut rest = &text[start..];
        if !rest.starts_with(&word(chain.words.first()?)[..chain.shared]) {
            return None;
        }
        loop {
            // A word that `rest` begins with sorts before it, and the longest such word last.
            let before = chain.words.partition_point(|at| word(at) <= rest);
            let at = chain.words[..before].last()?;
            let shared = shared(word(at), rest);
            if shared == word(at).len() {
                return Some(Found { word: *at as usize, start, end: start + shared });
            }
            rest = &rest[..shared];
        }
    }
}

/// How many first bytes two texts share.
fn shared(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Whether the bytes before and at `start` are of one word: what begins there is a part of another name.
fn inside_word(text: &[u8], start: usize) -> bool {
    let of_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    start > 0 && of_word(text[start - 1]) && of_word(text[start])
}

/// The first four bytes as a number, the first of them the lowest; what is not there is 0.
fn number(bytes: &[u8]) -> u32 {
    match *bytes {
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
        _ => (0..4).fold(0, |number, at| number | u32::from(bytes.get(at).copied().unwrap_or(0)) << (8 * at)),
    }
}

/// The slot of the first [`LEAD`] bytes of a number.
fn slot(number: u32) -> usize {
    ((number << 8).wrapping_mul(0x9E37_79B1) >> (u32::BITS - SLOTS.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(words: &[&str], text: &'a str) -> Vec<&'a str> {
        Finder::new(words.iter().copied())
            .find_iter(text)
            .map(|found| &text[found.start..found.end])
            .collect()
    }

    #[test]
    fn finds_the_longest_and_goes_on_behind_it() {
        let words = ["plan", "plan-work", "work", "ürsprung"];
        assert_eq!(
            found(&words, "plan-work, replan re-plan plan-wor workplan"),
            ["plan-work", "plan", "plan", "work"]
        );
        assert_eq!(found(&words, "vom ürsprung"), ["ürsprung"]);
        assert_eq!(found(&["go", "a", "${X}", ""], "a ${X}go"), ["a", "${X}", "go"]);
        assert_eq!(found(&["go", "${X}"], "a${X}.go"), ["${X}", "go"]);
        assert_eq!(found(&["go", "gone"], "gon gone g"), ["go", "gone"]);
        assert_eq!(found(&["LS", "Read"], "Read-LS LS"), ["Read", "LS", "LS"]);
        assert_eq!(
            found(&["a:b", "a:b:c", "a:b:d:e"], "a:b:d a:b:c a:b:d:e a:c"),
            ["a:b", "a:b:c", "a:b:d:e"]
        );
        assert!(found(&[], "nothing").is_empty() && found(&["longer"], "lo").is_empty());
    }

    #[test]
    fn finds_what_a_plain_search_finds() {
        let number = |n: u32| format!("{:x}", n.wrapping_mul(2_654_435_761) >> 16);
        let words: std::collections::BTreeSet<String> = (0..3000).map(number).collect();
        let text: String =
            (0..9000).map(|n: u32| format!("{:x} ", n.wrapping_mul(40_503) % 99_991)).collect();
        let finder = Finder::new(words.iter().map(String::as_str));
        let ours: Vec<_> = finder.find_iter(&text).map(|found| &text[found.start..found.end]).collect();
        let longest = |token| {
            let token: &str = token;
            (1..=token.len()).rev().map(|end| &token[..end]).find(|part| words.contains(*part))
        };
        let plain: Vec<&str> = text.split(' ').filter_map(longest).collect();
        assert_eq!(ours, plain);
        assert!(ours.len() > 100);
    }
}
