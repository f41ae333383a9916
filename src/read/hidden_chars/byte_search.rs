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
    let may_begin = |at: usize, byte: u8| {
        !is_plain(byte) && may_begin_hidden(byte, text.as_bytes().get(at + 1).copied().unwrap_or_default())
    };
    let any_in = |block: &[u8], start: usize| {
        let mut places = block.iter().enumerate().map(|(at, byte)| (start + at, *byte));
        places.any(|(at, byte)| may_begin(at, byte) && is_hidden(at))
    };
    blocks.iter().enumerate().any(|(at, block)| has_one(block) && any_in(block, at * BLOCK))
        || any_in(rest, blocks.len() * BLOCK)
}

/// Whether a hidden character may begin with these two bytes: dashes, arrows, boxes and emoji need not be decoded.
fn may_begin_hidden(byte: u8, next: u8) -> bool {
    match byte {
        // Bytes inside of a character, and the first ones of Latin, Greek, Hebrew, Chinese and others.
        0x80..=0xbf | 0xc3..=0xcc | 0xce..=0xd7 | 0xd9..=0xe0 | 0xe4..=0xed => false,
        0xe2 => matches!(next, 0x80 | 0x81 | 0xa0),
        0xf0 => next != 0x9f,
        _ => true,
    }
}

/// Whether a byte is printable ASCII or white space; without a branch, so that many are tested at once.
fn is_plain(byte: u8) -> bool {
    matches!(byte, 0x20..=0x7e | b'\t'..=b'\r') & (byte != 0xb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_hidden_character_is_missed_for_its_first_bytes() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            let text = c.to_string();
            assert_eq!(has_any(&text), HiddenKind::from_char(c).is_some(), "U+{:04X}", u32::from(c));
        }
    }
}
