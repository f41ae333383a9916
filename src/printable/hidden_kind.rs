//! The table of characters without a visible glyph: the sanitiser escapes them, and the rule about hidden characters
//! reports them.

/// The kind of a character without a visible glyph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiddenKind {
    /// U+0000–U+001F except ordinary white space, and U+007F–U+009F.
    Control,
    /// It has no width.
    ZeroWidth,
    /// It joins its neighbours, or keeps them apart.
    Joiner,
    /// It marks where a word may be broken.
    SoftHyphen,
    /// It sets the direction of its neighbours.
    DirectionMark,
    /// It changes the direction of the following text.
    DirectionOverride,
    /// A letter that looks like a space, or is invisible.
    Filler,
    /// It selects the glyph of the character before it.
    VariationSelector,
    /// It selects the glyph of the ideograph before it.
    SupplementaryVariationSelector,
    /// It separates lines that most programs show as one.
    LineSeparator,
    /// It hides an annotation.
    Annotation,
    /// A deprecated format control, or one of musical or shorthand notation.
    Format,
    /// It encodes invisible ASCII.
    Tag,
    /// Its meaning depends on a font or a program.
    PrivateUse,
}

impl HiddenKind {
    /// The kind of `c`; `None` for visible characters and ordinary white space.
    pub fn from_char(c: char) -> Option<Self> {
        Some(match c {
            '\t' | '\n' | '\r' | '\u{c}' => return None,
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Self::Control,
            '\u{20}'..='\u{7e}' => return None,
            '\u{ad}' => Self::SoftHyphen,
            '\u{34f}' | '\u{200c}' | '\u{200d}' => Self::Joiner,
            '\u{61c}' | '\u{200e}' | '\u{200f}' => Self::DirectionMark,
            '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}'
            | '\u{16fe4}' => Self::Filler,
            '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' => Self::VariationSelector,
            '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{feff}' => Self::ZeroWidth,
            '\u{2028}' | '\u{2029}' => Self::LineSeparator,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Self::DirectionOverride,
            '\u{206a}'..='\u{206f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{fdd0}'..='\u{fdef}'
            | '\u{fffe}'
            | '\u{ffff}'
            | '\u{13430}'..='\u{1345f}'
            | '\u{1d159}' => Self::Format,
            '\u{fff9}'..='\u{fffb}' => Self::Annotation,
            '\u{e0100}'..='\u{e01ef}' => Self::SupplementaryVariationSelector,
            '\u{e0000}'..='\u{e0fff}' => Self::Tag,
            '\u{e000}'..='\u{f8ff}' | '\u{f0000}'.. => Self::PrivateUse,
            _ => return None,
        })
    }

    /// Its description, with an article.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Control => "a control character",
            Self::ZeroWidth => "a zero-width character",
            Self::Joiner => "a joiner",
            Self::SoftHyphen => "a soft hyphen",
            Self::DirectionMark => "a direction mark",
            Self::DirectionOverride => "a direction override",
            Self::Filler => "a blank letter",
            Self::VariationSelector => "a variation selector",
            Self::SupplementaryVariationSelector => "a supplementary variation selector",
            Self::LineSeparator => "a line separator",
            Self::Annotation => "an annotation character",
            Self::Format => "a format control",
            Self::Tag => "a tag character",
            Self::PrivateUse => "a private-use character",
        }
    }
}

/// Whether a character has no visible glyph, and hides, reorders or separates others. Variation selectors do not count:
/// emoji need them. Control characters are checked with [`char::is_control`].
pub fn is_hidden(c: char) -> bool {
    let harmless = [HiddenKind::Control, HiddenKind::VariationSelector];
    HiddenKind::from_char(c)
        .is_some_and(|kind| !harmless.contains(&kind) || matches!(c, '\u{180b}'..='\u{180f}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_is_not_in_the_table() {
        for c in ['a', ' ', '\n', '\t', '\r', 'é', '日', '—', '→', '😀', '\u{301}', '\u{a0}', '\u{2801}']
        {
            assert_eq!(HiddenKind::from_char(c), None, "{c:?}");
        }
        let hidden = [0x1b, 0x8, 0x9b, 0xad, 0x34f, 0x61c, 0x206a, 0x206f, 0x115f, 0x1160, 0x3164, 0xffa0];
        let more = [
            0xfe00, 0xfe0f, 0xfff9, 0xfffb, 0x200b, 0x202e, 0x2028, 0xfeff, 0xe0041, 0xe0100, 0x2800, 0xfff0,
            0x13430, 0xe000, 0xf0061, 0x10fffd, 0xfffe,
        ];
        for code in hidden.into_iter().chain(more) {
            let c = char::from_u32(code).unwrap();
            assert!(HiddenKind::from_char(c).is_some(), "U+{code:04X}");
            let printed_as_it_is = matches!(code, 0xfe00 | 0xfe0f);
            assert_eq!(c.is_control() || is_hidden(c), !printed_as_it_is, "U+{code:04X}");
        }
    }
}
