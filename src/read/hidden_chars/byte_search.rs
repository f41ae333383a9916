//! Finds the bytes of a text that may begin a hidden character. Most texts have few or none, so many bytes are tested at
//! once.

use crate::printable::HiddenKind;

/// The first byte from `at` that is neither printable ASCII nor white space, or a backslash if `escapes` is set.
pub(super) fn remarkable(bytes: &[u8], at: usize, escapes: bool) -> Option<usize> {
    let is = |byte: &u8| !is_plain(*byte) | (escapes & (*byte == b'\\'));
    let mut from = at;
    // A fold without an early exit can be vectorized.
    let folded = bytes[at..].chunks(64).find(|chunk| {
        let has_one = chunk.iter().fold(false, |any, byte| any | is(byte));
        from += usize::from(!has_one) * chunk.len();
        has_one
    });
    folded?.iter().position(is).map(|inner| from + inner)
}

/// How many bytes are tested at once.
const BLOCK: usize = 64;

/// Whether the text has any such character.
pub(super) fn has_any(text: &str) -> bool {
    let is_hidden = |at: usize| {
        let c = text.get(at..).and_then(|rest| rest.chars().next());
        c.and_then(HiddenKind::from_char).is_some()
    };
    // A fold without an early exit over a fixed number of bytes can be vectorized.
    let (blocks, rest) = text.as_bytes().as_chunks::<BLOCK>();
    let has_one =
        |block: &[u8; BLOCK]| block.iter().fold(0, |any, byte| any | u8::from(!is_plain(*byte))) != 0;
    let any_in = |block: &[u8], start: usize| {
        block.iter().enumerate().any(|(at, byte)| !is_plain(*byte) && is_hidden(start + at))
    };
    blocks.iter().enumerate().any(|(at, block)| has_one(block) && any_in(block, at * BLOCK))
        || any_in(rest, blocks.len() * BLOCK)
}

/// Whether a byte is printable ASCII or white space; without a branch, so that many are tested at once.
fn is_plain(byte: u8) -> bool {
    matches!(byte, 0x20..=0x7e | b'\t'..=b'\r') & (byte != 0xb)
}
