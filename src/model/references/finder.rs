//! Finds many words in a text at once, unless they are part of a longer word: the longest at each position, without
//! overlaps. The positions where a word can begin are computed for a block of bytes at once; at each of them, a table
//! over the first bytes of all words nearly always rules out a match, so no automaton has to be built.

use std::collections::BTreeSet;

/// The number of slots of the table; a power of two.
const SLOTS: usize = 1 << 13;
/// The number of bytes that are tested at once.
const BLOCK: usize = 64;

/// Searches for a fixed set of words.
#[derive(Debug, Clone)]
pub(super) struct WordFinder {
    words: Vec<Box<[u8]>>,
    /// By the hash of a word's first bytes: 0 for none, else the index in `chains` plus one.
    slots: Box<[u16; SLOTS]>,
    /// The words of one slot.
    chains: Vec<WordChain>,
    /// First bytes of words that are not word characters, such as `$`.
    marks: Vec<u8>,
}

/// Words that share a slot.
#[derive(Debug, Clone, Default)]
struct WordChain {
    /// Their indices, sorted by word.
    words: Vec<u32>,
    /// The length of the prefix that all of them share.
    shared: usize,
    /// The first eight bytes of that prefix as a number, and a mask of its valid bits.
    lead: (u64, u64),
    /// The bytes that follow the prefix in some word, as bits; all bits if a word ends there.
    next: [u64; 4],
}

/// A word that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FoundWord {
    /// Its index in the order in which the words were given.
    pub(super) word: usize,
    /// Its first byte in the text.
    pub(super) start: usize,
    /// The byte after its last.
    pub(super) end: usize,
}

impl WordFinder {
    /// Prepares the search for `words`, which must be distinct; an empty word is never found.
    pub(super) fn new<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let words: Vec<Box<[u8]>> = words.map(|word| word.as_bytes().into()).collect();
        let first = words.iter().filter_map(|word| word.first().copied());
        let marks: BTreeSet<u8> = first.filter(|byte| !is_word_byte(*byte)).collect();
        let marks = marks.into_iter().collect();
        let mut finder = Self { words, slots: Box::new([0; SLOTS]), chains: Vec::new(), marks };
        let mut order: Vec<usize> = (0..finder.words.len()).collect();
        order.sort_by(|a, b| finder.words[*a].cmp(&finder.words[*b]));
        for at in order {
            match *finder.words[at] {
                [] => {}
                // A short word is in every slot that its bytes may lead to.
                [_] => (0..SLOTS).for_each(|slot| finder.add(slot, at)),
                [a, b] => (0..=u8::MAX).for_each(|c| finder.add(slot(number(&[a, b, c])), at)),
                [a, b, c, ..] => finder.add(slot(number(&[a, b, c])), at),
            }
        }
        for chain in &mut finder.chains {
            let word = &finder.words[chain.words[0] as usize][..chain.shared.min(8)];
            let number =
                |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
            chain.lead = (number(word), number(&vec![u8::MAX; word.len()]));
            for word in chain.words.iter().map(|at| &finder.words[*at as usize]) {
                match word.get(chain.shared) {
                    Some(byte) => chain.next[usize::from(byte >> 6)] |= 1 << (byte & 63),
                    None => chain.next = [u64::MAX; 4],
                }
            }
        }
        finder
    }

    fn add(&mut self, slot: usize, word: usize) {
        let slot = &mut self.slots[slot];
        if *slot == 0 {
            self.chains.push(WordChain::default());
            *slot = self.chains.len() as u16;
        }
        let chain = &mut self.chains[usize::from(*slot) - 1];
        match chain.words.last() {
            None => chain.shared = self.words[word].len(),
            Some(last) if *last == word as u32 => return,
            Some(last) => {
                chain.shared = chain.shared.min(shared_prefix(&self.words[*last as usize], &self.words[word]))
            }
        }
        chain.words.push(word as u32);
    }

    /// The words of `text`, in order.
    pub(super) fn find_iter<'a>(&'a self, text: &'a str) -> impl Iterator<Item = FoundWord> + 'a {
        let text = text.as_bytes();
        // `left` has a bit for each position of the last block that is still to be tested; `at` is the end of that
        // block.
        let (mut at, mut left, mut before) = (0, 0_u64, false);
        let mut end = 0;
        std::iter::from_fn(move || {
            loop {
                while left != 0 {
                    let start = at - BLOCK + left.trailing_zeros() as usize;
                    left &= left - 1;
                    if start >= end
                        && let Some(found) = self.find_at(text, start)
                    {
                        end = found.end;
                        return Some(found);
                    }
                }
                let Some(block) = text[at..].first_chunk() else { break };
                (left, before) = word_starts(block, before, &self.marks);
                at += BLOCK;
            }
            let rest = at.max(end)..text.len();
            let found = rest.filter(|at| !inside_word(text, *at)).find_map(|at| self.find_at(text, at))?;
            end = found.end;
            Some(found)
        })
    }

    /// The longest word that begins at `start`.
    #[inline(always)]
    fn find_at(&self, text: &[u8], start: usize) -> Option<FoundWord> {
        let slot = self.slots[slot(number(&text[start..]))];
        if slot == 0 {
            return None;
        }
        let chain = &self.chains[usize::from(slot) - 1];
        let (lead, counts) = chain.lead;
        match text[start..].first_chunk() {
            Some(bytes) if (u64::from_le_bytes(*bytes) ^ lead) & counts != 0 => None,
            _ => self.longest(text, start, chain),
        }
    }

    /// The longest word of a slot that `text` contains at `start`.
    fn longest(&self, text: &[u8], start: usize, chain: &WordChain) -> Option<FoundWord> {
        let word = |at: &u32| &*self.words[*at as usize];
        let mut rest = &text[start..];
        if !rest.starts_with(&word(chain.words.first()?)[..chain.shared]) {
            return None;
        }
        // Most texts differ from every word in the next byte.
        let next = rest.get(chain.shared).copied().unwrap_or_default();
        if chain.next[usize::from(next >> 6)] >> (next & 63) & 1 == 0 {
            return None;
        }
        loop {
            // A word that is a prefix of `rest` sorts before it, and the longest such word last.
            let before = chain.words.partition_point(|at| word(at) <= rest);
            let at = chain.words[..before].last()?;
            let shared = shared_prefix(word(at), rest);
            if shared == word(at).len() {
                return Some(FoundWord { word: *at as usize, start, end: start + shared });
            }
            rest = &rest[..shared];
        }
    }
}

/// The length of the prefix that two texts share.
fn shared_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Whether a byte is a word character; without a branch, so that many are tested at once.
fn is_word_byte(byte: u8) -> bool {
    ((byte | 0x20).wrapping_sub(b'a') < 26) | (byte.wrapping_sub(b'0') < 10) | (byte == b'_')
}

/// Whether the bytes before and at `start` belong to one word, so that no word begins there.
fn inside_word(text: &[u8], start: usize) -> bool {
    start > 0 && is_word_byte(text[start - 1]) && is_word_byte(text[start])
}

/// The positions in a block where words or marks begin, as bits. `before` tells whether the byte before the block is a
/// word character; the result tells the same for the last byte of the block.
fn word_starts(block: &[u8; BLOCK], before: bool, marks: &[u8]) -> (u64, bool) {
    let words = bits(block, is_word_byte);
    let first = words & !(words << 1 | u64::from(before));
    let begins = marks.iter().fold(first, |begins, mark| begins | bits(block, |byte| byte == *mark));
    (begins, words >> (BLOCK - 1) == 1)
}

/// A bit for each byte that satisfies `is`.
#[inline(always)]
fn bits(block: &[u8; BLOCK], is: impl Fn(u8) -> bool) -> u64 {
    let held = block.map(|byte| u8::from(is(byte)));
    let (eights, _) = held.as_chunks::<8>();
    // The multiplication collects the lowest bits of eight bytes in the highest byte.
    let gather_bits = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    eights.iter().rev().fold(0, |bits, eight| bits << 8 | gather_bits(eight))
}

/// The first three or four bytes as a little-endian number; missing bytes are 0.
fn number(bytes: &[u8]) -> u32 {
    match bytes.first_chunk() {
        Some(bytes) => u32::from_le_bytes(*bytes),
        None => {
            (0..4).fold(0, |number, at| number | u32::from(bytes.get(at).copied().unwrap_or(0)) << (8 * at))
        }
    }
}

/// The slot of the first three bytes of a number.
fn slot(number: u32) -> usize {
    ((number << 8).wrapping_mul(0x9E37_79B1) >> (u32::BITS - SLOTS.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(words: &[&str], text: &'a str) -> Vec<&'a str> {
        WordFinder::new(words.iter().copied())
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
    fn a_block_is_told_apart_as_single_bytes_are() {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        assert!((0..=u8::MAX).all(|byte| is_word_byte(byte) == is_word(byte)));
        // Words and marks at every position of a block, across its end, and directly after one another.
        for words in [&["go", "$X"][..], &["go", "$X", "é"]] {
            for lead in 0..2 * BLOCK {
                let text = format!("{}go xgo going_go é$X {:70}$Xgo é go", " ".repeat(lead), "go$X");
                let found = found(words, &text);
                let marks = found.iter().filter(|found| **found == "é").count();
                assert_eq!((found.len() - marks, marks), (7, 2 * (words.len() - 2)), "{lead}");
            }
        }
    }

    #[test]
    fn finds_what_a_plain_search_finds() {
        let number = |n: u32| format!("{:x}", n.wrapping_mul(2_654_435_761) >> 16);
        let words: std::collections::BTreeSet<String> = (0..3000).map(number).collect();
        let text: String =
            (0..9000).map(|n: u32| format!("{:x} ", n.wrapping_mul(40_503) % 99_991)).collect();
        let finder = WordFinder::new(words.iter().map(String::as_str));
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
