//! The Markdown of a checklist, also as people write it: headings, bullets of any kind, and words in bold or in quotes.

use crate::printable::line as one_line;

/// A field of an item; the last three are written by `polish checklist rewrite`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemField {
    Action,
    Files,
    Surface,
    Status,
    Notes,
    Result,
    Summary,
    Commit,
}

impl ItemField {
    /// How many there are.
    pub(super) const COUNT: usize = 8;
    const NAMES: [(&'static str, Self); Self::COUNT] = [
        ("action", Self::Action),
        ("files", Self::Files),
        ("surface", Self::Surface),
        ("status", Self::Status),
        ("notes", Self::Notes),
        ("result", Self::Result),
        ("summary", Self::Summary),
        ("commit", Self::Commit),
    ];

    /// The field with this name, in any case, in the singular or the plural.
    fn from_name(name: &str) -> Option<Self> {
        let singular = |name: &str| name.trim_end_matches(['s', 'S']).to_ascii_lowercase();
        let found = Self::NAMES.iter().find(|(known, _)| singular(known) == singular(name));
        found.map(|(_, field)| *field)
    }

    /// Its name in the checklist.
    pub(super) fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }

    /// Whether it tells what became of the item.
    pub(super) fn is_outcome(self) -> bool {
        matches!(self, Self::Result | Self::Summary | Self::Commit)
    }

    /// Whether its value may begin on the next line.
    pub(super) fn may_be_block(self) -> bool {
        matches!(self, Self::Files | Self::Notes)
    }
}

/// Marks around a word.
const PAIRS: [(char, char); 8] =
    [('`', '`'), ('*', '*'), ('"', '"'), ('\'', '\''), ('“', '”'), ('„', '“'), ('‘', '’'), ('<', '>')];

/// A text without the quotes and marks around it.
pub(super) fn bare(text: &str) -> &str {
    let text = text.trim();
    let inner = PAIRS.iter().find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close));
    inner.map_or(text, bare)
}

/// The lines of a text with their endings; a lone carriage return also ends a line.
pub(super) fn lines(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let end = text
            .find(['\n', '\r'])
            .map_or(text.len(), |at| at + if text[at..].starts_with("\r\n") { 2 } else { 1 });
        let (line, rest) = text.split_at(end);
        text = rest;
        (end > 0).then_some(line)
    })
}

/// The bytes of white space at the start of a line.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The text of a line of a list, without a box to tick.
pub(super) fn bullet(line: &str) -> Option<&str> {
    let own = line.trim_start();
    let after_digits = own.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = || after_digits.strip_prefix(['.', ')']).filter(|_| after_digits.len() < own.len());
    let rest = own.strip_prefix(['-', '*', '+', '•', '–', '—']).or_else(numbered)?;
    let text = rest.trim();
    let boxed = ["[ ] ", "[x] ", "[X] "].iter().find_map(|empty| text.strip_prefix(empty));
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| boxed.unwrap_or(text).trim_start())
}

/// Whether a line only separates what is above and below it.
pub(super) fn is_rule(line: &str) -> bool {
    let marks = || line.chars().filter(|c| !c.is_whitespace());
    marks().count() > 2 && ['-', '*', '_'].iter().any(|mark| marks().all(|c| c == *mark))
}

/// A line with a name and a value.
pub(super) struct FieldLine<'a> {
    /// The field with this name; `None` if it is unknown.
    pub(super) field: Option<ItemField>,
    pub(super) name: &'a str,
    pub(super) value: &'a str,
}

/// The field of a line of a list.
pub(super) fn field(line: &str) -> Option<FieldLine<'_>> {
    field_without_bullet(bullet(line)?)
}

/// The same without the bullet.
pub(super) fn field_without_bullet(text: &str) -> Option<FieldLine<'_>> {
    let (key, value) = text.split_once(':')?;
    let (key, open) = (key.trim(), key.trim().trim_start_matches('*'));
    // In `**action:** fix` the colon is bold, too.
    let is_around = open.len() < key.len() && !key.ends_with('*');
    let (name, value) = if is_around { (open, value.trim_start_matches('*')) } else { (bare(key), value) };
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    let field = ItemField::from_name(name);
    // `Makefile:12` is a place in a file.
    let is_field = field.is_some() || value.is_empty() || value.starts_with([' ', '\t']);
    (is_name && is_field).then(|| FieldLine { field, name, value: value.trim() })
}

/// A heading that is meant for an item.
pub(super) struct ItemHeading<'a> {
    /// What follows the word `Item`, or all of it without that word.
    rest: &'a str,
    depth: usize,
    is_item: bool,
    is_exact: bool,
}

/// The heading of a line: one with the word `Item`, or any other of the first two depths. Markdown ignores up to three
/// leading spaces; in a block of notes, a line with more is text.
pub(super) fn heading(line: &str, is_block: bool) -> Option<ItemHeading<'_>> {
    const MOST: usize = 3;
    let own = line.trim_start();
    let is_code = indent(line) > MOST || line.starts_with('\t');
    if is_block && is_code {
        return None;
    }
    let after = own.trim_start_matches('#');
    let (depth, rest) = (own.len() - after.len(), bare(after));
    let word = rest.get(..4).unwrap_or_default();
    let behind = rest.get(4..).unwrap_or_default();
    let is_item = word.eq_ignore_ascii_case("item") && !behind.starts_with(|c: char| c.is_alphanumeric());
    if is_item && (1..=6).contains(&depth) {
        let is_exact = depth == 2 && word == "Item" && !is_code;
        return Some(ItemHeading { rest: behind.trim(), depth, is_item, is_exact });
    }
    let is_other = (1..=2).contains(&depth) && !is_code && after.starts_with(' ') && !rest.is_empty();
    is_other.then_some(ItemHeading { rest, depth, is_item: false, is_exact: false })
}

impl<'a> ItemHeading<'a> {
    /// Whether it may be the title of the document.
    pub(super) fn is_title(&self) -> bool {
        self.depth == 1 && !self.is_item
    }

    /// The digits at its start.
    fn digits(&self) -> &'a str {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        &self.rest[..end]
    }

    /// Its number, in any form.
    pub(super) fn number(&self) -> Option<u32> {
        self.digits().trim_start_matches('0').parse().ok()
    }

    /// Number and title of an item, if the form is exact.
    pub(super) fn numbered(&self) -> Option<(u32, &'a str)> {
        let number = self.digits();
        let title = self.rest[number.len()..].trim_start().strip_prefix(['—', '–', '-'])?.trim();
        let id = number.parse().ok().filter(|_| self.is_exact && !number.starts_with('0'))?;
        (!title.is_empty()).then_some((id, title))
    }

    /// The heading that was probably meant; `next` is for one without a number.
    pub(super) fn corrected(&self, next: impl FnOnce() -> u32) -> String {
        let digits = self.digits().len();
        // A word in place of the number is not part of the title.
        let title = match self.rest.split_once(['—', '–', '-']) {
            Some((_, title)) if digits == 0 && self.is_item => title,
            _ => &self.rest[digits..],
        };
        let title = title.trim_matches(|c: char| c.is_whitespace() || "—–-:.)".contains(c));
        item_heading(self.number().unwrap_or_else(next), if title.is_empty() { "Title" } else { title })
    }
}

/// The exact heading of an item.
pub(super) fn item_heading(id: u32, title: &str) -> String {
    format!("## Item {id} — {}", one_line(title))
}
