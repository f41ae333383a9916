//! Characters that are invisible to people but read by models, in texts and in decoded JSON. Legitimate uses are not
//! reported: joiners inside scripts and emoji, direction marks beside right-to-left text, the tags of flags, one
//! variation selector after a character that has variants.

mod byte_search;

use crate::diagnostic::Cause;
use crate::printable::HiddenKind;
use crate::source::{Span, line_start, next_line};
use byte_search::{has_any, remarkable};

/// A run of one kind of such characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HiddenRun {
    /// The run.
    pub span: Span,
    /// The kind of its characters.
    pub kind: HiddenKind,
    /// Its first character.
    pub first: char,
    /// Whether that character is written as a JSON escape.
    pub escaped: bool,
    /// Whether the run is between two letters of a word.
    pub in_word: bool,
}

impl HiddenRun {
    /// What a diagnostic about it is about.
    pub fn cause(&self) -> Cause {
        let whom = if self.escaped { "escaped" } else { "written" };
        Cause::new(&format!("{} {whom}", self.kind.describe()), &[])
            .with_value(&format!("{:X}", u32::from(self.first)))
    }

    /// The message of a diagnostic about it.
    pub fn message(&self) -> String {
        let (what, code) = (self.kind.describe(), u32::from(self.first));
        let whom = if self.escaped { "invisible wherever the text is shown" } else { "invisible to readers" };
        format!("{what} (U+{code:04X}) is {whom}")
    }
}

/// Every run in `text` that is not a legitimate use, in order.
pub fn find(text: &str) -> Vec<HiddenRun> {
    if has_any(text) { runs(text, false, false) } else { Vec::new() }
}

/// Like [`find`], for source code, where directional isolates are never legitimate.
pub fn find_in_code(text: &str) -> Vec<HiddenRun> {
    if has_any(text) { runs(text, false, true) } else { Vec::new() }
}

/// Like [`find`], for a JSON document, with escapes decoded.
pub fn find_in_json(text: &str) -> Vec<HiddenRun> {
    if has_any(text) || memchr::memchr(b'\\', text.as_bytes()).is_some() {
        runs(text, true, false)
    } else {
        Vec::new()
    }
}

fn runs(text: &str, escapes: bool, code: bool) -> Vec<HiddenRun> {
    let mut out: Vec<HiddenRun> = Vec::new();
    let mut before = None;
    // The end of the last flag's tags, and how many selectors have followed ideographs.
    let (mut at, mut flag, mut selected) = (0, 0, 0);
    let mut runs_left = None;
    let mut line = Line { escapes, ..Line::default() };
    while let Some(next) = remarkable(text.as_bytes(), at, escapes) {
        if next > at {
            before = text[..next].chars().next_back();
        }
        let mut characters = Characters { text, at: next, escapes }.peekable();
        let Some((span, c)) = characters.next() else { break };
        at = span.end;
        if let Some(kind) = HiddenKind::from_char(c) {
            let after = characters.peek().map(|(_, next)| *next);
            let belongs = match kind {
                HiddenKind::ZeroWidth if c == '\u{feff}' && span.start == 0 => true,
                HiddenKind::Tag => span.end <= flag,
                // Several in a row could encode text.
                HiddenKind::DirectionMark => {
                    let beside = |is: fn(char) -> bool| before.is_some_and(is) || after.is_some_and(is);
                    !beside(is_direction_mark)
                        && (line.runs_left(text, span.start)
                            || beside(is_amount)
                                && *runs_left.get_or_insert_with(|| text.contains(is_of_right)))
                }
                HiddenKind::DirectionOverride if is_isolate(c) => {
                    !code && line.is_isolating(text, span.start)
                }
                // In a right-to-left line, such as a Persian one, it may end a foreign word.
                HiddenKind::Joiner if c == '\u{200c}' && ends_word(before, after) => {
                    line.runs_left(text, span.start)
                }
                _ => is_legitimate(kind, c, before, after),
            };
            let selects = belongs && before.is_some_and(is_ideograph) && is_selector(kind);
            selected += usize::from(selects);
            let belongs = belongs && !(selects && selected > MOST_SELECTED);
            match out.last_mut() {
                _ if belongs => {}
                Some(last) if last.span.end == span.start && last.kind == kind => last.span.end = span.end,
                _ => {
                    let in_word =
                        before.is_some_and(char::is_alphabetic) && after.is_some_and(char::is_alphabetic);
                    let escaped = span.end - span.start != c.len_utf8();
                    out.push(HiddenRun { span, kind, first: c, escaped, in_word });
                }
            }
        }
        if c == FLAG {
            flag = flag_end(characters.clone()).unwrap_or(flag);
        }
        before = Some(c);
    }
    out
}

/// The flag that tags turn into another one.
const FLAG: char = '\u{1f3f4}';
/// The flags in use: England, Scotland and Wales.
const FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];
/// How many ideographs of a text may have selectors: enough for names, too few to encode a hidden text.
const MOST_SELECTED: usize = 16;

/// The end of the tags after a flag, if they form one of [`FLAGS`].
fn flag_end(mut characters: impl Iterator<Item = (Span, char)>) -> Option<usize> {
    let mut name = String::new();
    loop {
        match characters.next()? {
            (span, '\u{e007f}') => return FLAGS.contains(&name.as_str()).then_some(span.end),
            (_, c) if is_tag(c) && name.len() < 5 => name.push(char::from_u32(u32::from(c) - 0xe_0000)?),
            _ => return None,
        }
    }
}

fn is_selector(kind: HiddenKind) -> bool {
    matches!(kind, HiddenKind::VariationSelector | HiddenKind::SupplementaryVariationSelector)
}

/// The characters of a text with their spans; JSON escapes are decoded if `escapes` is set.
#[derive(Clone)]
struct Characters<'a> {
    text: &'a str,
    at: usize,
    escapes: bool,
}

impl Iterator for Characters<'_> {
    type Item = (Span, char);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.text[self.at..];
        let c = rest.chars().next()?;
        let (c, length) = match c {
            '\\' if self.escapes => decoded(&rest[1..]).map_or((c, 1), |(c, length)| (c, length + 1)),
            _ => (c, c.len_utf8()),
        };
        let span = Span::new(self.at, self.at + length);
        self.at = span.end;
        Some((span, c))
    }
}

/// The character that a JSON escape stands for, and the length of the escape without its backslash.
fn decoded(rest: &str) -> Option<(char, usize)> {
    let unit = |at: usize| u16::from_str_radix(rest.get(at..at + 4)?, 16).ok();
    Some(match rest.chars().next()? {
        'u' => {
            let first = unit(1)?;
            match char::from_u32(first.into()) {
                Some(c) => (c, 5),
                None => {
                    let second = rest.get(5..7).filter(|escape| *escape == "\\u").and_then(|_| unit(7))?;
                    (char::decode_utf16([first, second]).next()?.ok()?, 11)
                }
            }
        }
        'b' => ('\u{8}', 1),
        'f' => ('\u{c}', 1),
        'n' => ('\n', 1),
        'r' => ('\r', 1),
        't' => ('\t', 1),
        other => (other, other.len_utf8()),
    })
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// Whether a character of that kind is legitimate between these two.
fn is_legitimate(kind: HiddenKind, c: char, before: Option<char>, after: Option<char>) -> bool {
    let beside = |is: fn(char) -> bool| before.is_some_and(is) || after.is_some_and(is);
    match kind {
        HiddenKind::Joiner if c == '\u{34f}' => before.is_some_and(is_script) && after.is_some_and(is_mark),
        HiddenKind::Joiner => is_legitimate_joiner(before, after),
        HiddenKind::ZeroWidth if c == '\u{200b}' => {
            before.is_some_and(is_unspaced) && after.is_some_and(is_unspaced)
        }
        HiddenKind::ZeroWidth if c == '\u{180e}' => before.is_some_and(is_mongolian),
        HiddenKind::Filler => match c {
            '\u{17b4}' | '\u{17b5}' => before.is_some_and(|c| matches!(c, '\u{1780}'..='\u{17b3}')),
            '\u{2800}' => beside(|c| matches!(c, '\u{2801}'..='\u{28ff}')),
            '\u{16fe4}' => beside(|c| matches!(c, '\u{18b00}'..='\u{18cff}')),
            '\u{3164}' | '\u{ffa0}' if before == Some(c) || after == Some(c) => false,
            _ => beside(is_jamo),
        },
        HiddenKind::VariationSelector => before.is_some_and(|base| has_looks(base, c)),
        // Registered collections use no selectors beyond this one.
        HiddenKind::SupplementaryVariationSelector => c <= '\u{e011f}' && before.is_some_and(is_ideograph),
        HiddenKind::Format => match c {
            '\u{13430}'..='\u{1345f}' => before.is_some_and(|c| matches!(c, '\u{13000}'..='\u{1345f}')),
            '\u{1d159}' | '\u{1d173}'.. => {
                beside(|c| matches!(c, '\u{1d100}'..='\u{1d172}' | '\u{1d17b}'..='\u{1d1ff}'))
            }
            '\u{1bca0}'..='\u{1bca3}' => beside(|c| matches!(c, '\u{1bc00}'..='\u{1bc9f}')),
            _ => false,
        },
        _ => false,
    }
}

/// Whether a joiner is legitimate between these two: beside a letter of a script that uses it, or between emoji. Two
/// joiners in a row never are.
fn is_legitimate_joiner(before: Option<char>, after: Option<char>) -> bool {
    let emoji =
        |c: char| matches!(c, '\u{fe0f}' | '\u{20e3}' | '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}');
    let is = |c: Option<char>, is: fn(char) -> bool| c.is_some_and(is);
    if is(before, is_joiner) || is(after, is_joiner) {
        return false;
    }
    is(before, is_joining) || is(after, is_joining) || is(before, emoji) && is(after, emoji)
}

/// Whether a word in a script whose letters do not join ends here.
fn ends_word(before: Option<char>, after: Option<char>) -> bool {
    before.is_some_and(|c| c.is_alphanumeric() && !is_joining(c)) && after.is_some_and(char::is_whitespace)
}

fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}')
}

/// Whether an amount can begin or end with `c`.
fn is_amount(c: char) -> bool {
    c.is_numeric() || matches!(c, '$' | '¢'..='¥' | '\u{20a0}'..='\u{20cf}')
}

/// Letters of right-to-left scripts.
fn is_of_right(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{61b}' | '\u{61d}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Letters and marks of scripts whose letters join or stack: Hebrew to Mandaic, Indic scripts to Myanmar, Khmer,
/// Mongolian, South East Asian scripts, Arabic presentation forms, and later additions to these families.
fn is_joining(c: char) -> bool {
    let in_script = matches!(c, '\u{590}'..='\u{109f}' | '\u{1700}'..='\u{18af}' | '\u{1900}'..='\u{1c7f}'
        | '\u{a800}'..='\u{abff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{11fff}'
        | '\u{1e900}'..='\u{1e95f}');
    in_script
        && (c.is_alphanumeric()
            || is_mark(c)
            || matches!(c, '\u{1b44}' | '\u{a806}' | '\u{a8c4}' | '\u{a953}' | '\u{aaf6}' | '\u{abed}'))
}

/// A directional isolate, or the character that ends one.
fn is_isolate(c: char) -> bool {
    matches!(c, '\u{2066}'..='\u{2069}')
}

/// Whether the selector can choose a variant of `base`: an emoji, an ideograph, a mathematical symbol. A character
/// never takes two selectors.
fn has_looks(base: char, selector: char) -> bool {
    match selector {
        '\u{180b}'..='\u{180f}' => is_mongolian(base),
        '\u{fe0e}' | '\u{fe0f}' => matches!(
            base,
            '0'..='9' | '#' | '*' | '©' | '®' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
                | '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
                | '\u{1f000}'..='\u{1faff}'
        ),
        '\u{fe00}' => {
            base == '0'
                || is_ideograph(base)
                || matches!(base, '\u{1000}'..='\u{109f}' | '\u{a840}'..='\u{a877}' | '\u{aa60}'..='\u{aa7f}')
                || matches!(base, '\u{2200}'..='\u{22ff}' | '\u{2a00}'..='\u{2aff}' | '\u{3001}'..='\u{303f}' | '\u{ff01}'..='\u{ff1f}')
                || matches!(base, '\u{13000}'..='\u{1342f}')
        }
        '\u{fe01}' | '\u{fe02}' => {
            is_ideograph(base)
                || selector == '\u{fe01}' && matches!(base, '\u{3001}'..='\u{303f}' | '\u{ff01}'..='\u{ff1f}')
                || matches!(base, '\u{13000}'..='\u{1342f}')
        }
        '\u{fe03}'..='\u{fe06}' => matches!(base, '\u{13000}'..='\u{1342f}'),
        _ => false,
    }
}

fn is_script(c: char) -> bool {
    c.is_alphanumeric() && c > '\u{2ff}' || is_mark(c)
}

/// Combining marks of Indic and similar scripts.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{34e}' | '\u{350}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{610}'..='\u{61a}' | '\u{61d}'..='\u{8ff}' | '\u{900}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// Scripts without spaces between words: Thai, Lao, Myanmar, Khmer, Tai.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1950}'..='\u{19df}' | '\u{1a20}'..='\u{1aaf}')
}

fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1820}'..='\u{18aa}')
}

/// The parts of Korean syllables, without the blank ones.
fn is_jamo(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115e}' | '\u{1161}'..='\u{11ff}' | '\u{3131}'..='\u{3163}' | '\u{3165}'..='\u{318e}' | '\u{ffa1}'..='\u{ffdc}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// What is known about the current line.
#[derive(Default)]
struct Line {
    escapes: bool,
    end: usize,
    runs_left: bool,
    paired: bool,
}

impl Line {
    /// Whether the line at `at` has letters of a right-to-left script.
    fn runs_left(&mut self, text: &str, at: usize) -> bool {
        self.read(text, at);
        self.runs_left
    }

    /// Whether the line at `at` has such letters, and its isolates are closed, flat and free of shell operators.
    fn is_isolating(&mut self, text: &str, at: usize) -> bool {
        self.read(text, at);
        self.runs_left && self.paired
    }

    /// Reads the line at `at`, unless it is the current one.
    fn read(&mut self, text: &str, at: usize) {
        if at < self.end {
            return;
        }
        let start = line_start(text, at);
        self.end = next_line(text, at);
        (self.runs_left, self.paired) = (false, true);
        let mut depth = 0_usize;
        for (_, c) in (Characters { text: &text[start..self.end], at: 0, escapes: self.escapes }) {
            match c {
                _ if is_of_right(c) => self.runs_left = true,
                '\u{2066}'..='\u{2068}' => (self.paired, depth) = (self.paired && depth == 0, depth + 1),
                // Reordered on screen, it can make a command look like a comment.
                ';' | '#' | '|' | '&' | '$' | '`' if depth > 0 => self.paired = false,
                '\u{2069}' if depth == 0 => self.paired = false,
                '\u{2069}' => depth -= 1,
                // A decoded line break within a JSON string.
                '\n' if depth > 0 => (self.paired, depth) = (false, 0),
                _ => {}
            }
        }
        self.paired &= depth == 0;
    }
}

#[cfg(test)]
mod tests;
