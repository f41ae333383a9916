//! Frontmatter as a host reads it: where it ends, how the host treats values that are not valid YAML, and which values
//! it accepts as text. A host's behavior is data; [`read`] applies it.

mod rescue;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tags::{TagRule, TaggedNode};
use super::tree::{MappingEntry, Node, Style, Value, number};
use super::{control_chars, frontmatter, yaml};
use crate::source::{Span, line_start};

pub use rescue::LineRescue;

/// How a host reads frontmatter.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Dialect {
    /// Where frontmatter ends.
    pub closing: ClosingRule,
    /// How the host treats a repeated key.
    pub duplicates: DuplicateRule,
    /// Fields that the host shows to users or models.
    pub shown: Vec<String>,
    /// How the host treats a number or a boolean where text is expected.
    pub scalars: ScalarRule,
    /// Whether dates, and numbers with underscores, with colons or in base two, are not text, as in YAML 1.1.
    pub old_scalars: bool,
    /// How the host treats tags.
    pub tags: TagRule,
    /// Whether the host refuses a file with a control character, which YAML forbids.
    pub control_characters_refused: bool,
    /// What tabs do that indent a line.
    pub tabs: TabRule,
    /// What the host tries when the YAML is invalid.
    pub rescue: LineRescue,
}

/// Where frontmatter ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClosingRule {
    /// At the next three dashes, even within a line.
    Anywhere,
    /// At the next line that consists of three dashes and white space.
    Line,
    /// At the next line that begins with three dashes.
    LineStart,
}

impl ClosingRule {
    /// Whether `value`, which is part of the frontmatter, would end it.
    pub fn ends_in(self, value: &str) -> bool {
        match self {
            ClosingRule::Anywhere => value.contains("---"),
            ClosingRule::Line => value.lines().any(|line| line.trim() == "---"),
            ClosingRule::LineStart => value.lines().any(|line| line.starts_with("---")),
        }
    }
}

/// What tabs do that indent a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TabRule {
    /// They are invalid.
    Refused,
    /// They may indent the value below a key.
    BelowKeys,
    /// The host replaces them with spaces when the YAML is invalid.
    Rescued,
}

/// How the host treats a repeated key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DuplicateRule {
    /// The last one takes precedence.
    Last,
    /// The file is refused.
    Refused,
    /// The file is refused if the host reads the field.
    RefusedWhereRead,
}

/// How the host treats a number or a boolean where text is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScalarRule {
    /// Text as written.
    Written,
    /// The value as JavaScript prints it: `1.1` for `1.10`.
    Canonical,
    /// The file is refused.
    Refused,
}

/// What a host has read: the text of each field.
pub type ReadFields = BTreeMap<String, String>;

/// Why a host reads no fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadLoss {
    /// The frontmatter is missing or never closed.
    Unclosed,
    /// The YAML is invalid, and the host's second attempt fails too.
    Syntax,
    /// A key is repeated.
    Duplicate,
    /// A value has the wrong type.
    Type,
}

/// The types that a host requires of fields.
#[derive(Debug, Clone, Copy)]
pub struct TypeRule<'a> {
    /// Fields that must be text.
    pub texts: &'a [String],
    /// Fields that must be mappings.
    pub mappings: &'a [String],
    /// For each field that is a mapping, the keys whose values must be text and which must not be repeated.
    pub inner_texts: &'a BTreeMap<String, Vec<String>>,
}

/// Whether a host accepts the value as a mapping: a real one, or an omitted value. The word `null` is not accepted.
pub fn is_mapping(node: &Node) -> bool {
    match node.value {
        Value::Map(_) => true,
        Value::Null => node.span.start == node.span.end,
        _ => false,
    }
}

/// The first entry of `node` whose key is in `keys` and which is a duplicate or has a value other than text.
pub fn unfit<'a>(keys: &[String], node: &'a Node) -> Option<&'a MappingEntry> {
    let entries = node.entries();
    entries.iter().enumerate().filter(|(_, entry)| keys.contains(&entry.key)).find_map(|(at, entry)| {
        let is_text = entry.node.scalar().is_some() || entry.node.value == Value::Null;
        let is_repeated = entries[..at].iter().any(|earlier| earlier.key == entry.key);
        (!is_text || is_repeated).then_some(entry)
    })
}

/// Reads the frontmatter of `text` as a host with this dialect does, which requires these types.
///
/// # Errors
/// The reason why the host reads no fields.
pub fn read(text: &str, dialect: &Dialect, types: TypeRule<'_>) -> Result<ReadFields, ReadLoss> {
    let yaml = between_delimiters(text, dialect.closing).ok_or(ReadLoss::Unclosed)?;
    let (node, duplicates) = attempts(yaml, dialect, types.texts).ok_or(ReadLoss::Syntax)?;
    let read = |key: &String| types.texts.contains(key);
    let refused = match dialect.duplicates {
        DuplicateRule::Last => false,
        DuplicateRule::Refused => !duplicates.is_empty(),
        DuplicateRule::RefusedWhereRead => duplicates.iter().any(read),
    };
    if refused {
        return Err(ReadLoss::Duplicate);
    }
    let mut fields = ReadFields::new();
    for entry in node.entries() {
        let inner = types.inner_texts.get(&entry.key).and_then(|keys| unfit(keys, &entry.node));
        if types.mappings.contains(&entry.key) && !is_mapping(&entry.node) || inner.is_some() {
            return Err(ReadLoss::Type);
        }
        match dialect.text(&entry.node) {
            Some(text) => drop(fields.insert(entry.key.clone(), text)),
            None if read(&entry.key) => return Err(ReadLoss::Type),
            None => drop(fields.remove(&entry.key)),
        }
    }
    Ok(fields)
}

/// The mapping that a host reads from the YAML between the delimiters, with its second attempt; `None` if both fail.
pub fn mapping(yaml: &str, dialect: &Dialect) -> Option<Node> {
    attempts(yaml, dialect, &[]).map(|(node, _)| node)
}

/// The host's first attempt, or its second one if the first fails.
fn attempts(yaml: &str, dialect: &Dialect, texts: &[String]) -> Option<(Node, Vec<String>)> {
    let tabs = (dialect.tabs == TabRule::BelowKeys).then(|| spaces_for_tabs(yaml));
    let yaml = tabs.as_deref().unwrap_or(yaml);
    let is_mapping = |read: &(Node, Vec<String>)| matches!(read.0.value, Value::Map(_));
    let first = strict(yaml, dialect, texts).filter(|read| dialect.rescue.spares_text || is_mapping(read));
    let read = first.or_else(|| {
        let spaces = (dialect.tabs == TabRule::Rescued).then(|| spaces_for_leading_tabs(yaml));
        strict(&dialect.rescue.lines(spaces.as_deref().unwrap_or(yaml)), dialect, texts)
    });
    read.filter(is_mapping)
}

/// The text between the delimiters.
fn between_delimiters(text: &str, closing: ClosingRule) -> Option<&str> {
    let start = start(text, closing)?;
    end(text, closing).map(|end| &text[start..end])
}

/// Where the YAML begins, after the opening delimiter. With [`ClosingRule::Anywhere`], blank lines below the delimiter
/// belong to it; with [`ClosingRule::Line`], the delimiter may be indented.
fn start(text: &str, closing: ClosingRule) -> Option<usize> {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    if closing == ClosingRule::Anywhere {
        return frontmatter::opened(text, mark);
    }
    let line = text[mark..].split_inclusive('\n').next()?;
    let shown = if closing == ClosingRule::Line { line.trim() } else { line.trim_end() };
    (line.ends_with('\n') && shown == "---").then_some(mark + line.len())
}

/// Where a host finds the end of frontmatter.
pub fn end(text: &str, closing: ClosingRule) -> Option<usize> {
    let start = start(text, closing)?;
    let rest = &text[start..];
    let end = match closing {
        ClosingRule::Anywhere => rest.find("---"),
        ClosingRule::Line => line_at(rest, |line| line.trim() == "---"),
        ClosingRule::LineStart => line_at(rest, |line| line.starts_with("---")).or(Some(rest.len())),
    };
    end.map(|end| start + end)
}

/// Whether a line is a delimiter.
pub(super) fn is_mark(line: &str) -> bool {
    line.trim_end() == "---"
}

fn line_at(text: &str, is_end: impl Fn(&str) -> bool) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if is_end(line) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// Replaces tabs below a key that is alone on its line with one space each.
fn spaces_for_tabs(yaml: &str) -> String {
    let mut out = String::new();
    let mut below = false;
    for line in yaml.split_inclusive('\n') {
        let inner = line.trim_start_matches('\t');
        let tabs = line.len() - inner.len();
        below = tabs > 0 && below || line.trim_end().ends_with(':');
        out.push_str(&if below && tabs > 0 { " ".repeat(tabs) } else { "\t".repeat(tabs) });
        out.push_str(inner);
    }
    out
}

/// Replaces each tab at the start of a line with two spaces.
fn spaces_for_leading_tabs(yaml: &str) -> String {
    let spaced = |line: &str| {
        let inner = line.trim_start_matches('\t');
        "  ".repeat(line.len() - inner.len()) + inner
    };
    yaml.split_inclusive(['\n', '\r', '\u{2028}', '\u{2029}']).map(spaced).collect()
}

/// Whether the tag belongs to the value of one of the fields `texts`, judged by the key before it on its line.
pub fn is_read(tagged: &TaggedNode, text: &str, texts: &[String]) -> bool {
    let line = line_start(text, tagged.span.start);
    let before = text[line..tagged.span.start].split_once(':').map(|(key, _)| key.trim());
    // The key may have a tag as well.
    let before =
        before.and_then(|key| key.split_whitespace().next_back()).map(|key| key.trim_matches(['"', '\'']));
    tagged.depth == 1 && before.is_some_and(|before| texts.iter().any(|key| key == before))
}

/// The document and its duplicate keys.
fn strict(yaml: &str, dialect: &Dialect, texts: &[String]) -> Option<(Node, Vec<String>)> {
    // U+FEFF is a byte order mark at the start, and a character anywhere else.
    let yaml = match dialect.control_characters_refused {
        true => yaml,
        false => yaml.strip_prefix('\u{feff}').unwrap_or(yaml),
    };
    let (mut node, duplicates) = match dialect.control_characters_refused {
        true => yaml::strict(yaml)?,
        false => control_chars::strict(yaml)?,
    };
    let tagged = yaml::tagged(yaml, Span::new(0, yaml.len()));
    dialect.tags.apply(&tagged, &mut node);
    let refused = tagged.iter().any(|tagged| dialect.tags.refuse(tagged, is_read(tagged, yaml, texts)));
    (!refused).then_some((node, duplicates))
}

impl Dialect {
    /// A value as text, if the host accepts it as such.
    pub fn text(&self, node: &Node) -> Option<String> {
        let plain = match &node.value {
            Value::String(text) if self.old_scalars && node.style == Style::Plain && is_old_scalar(text) => {
                None
            }
            Value::String(text) => return Some(text.clone()),
            Value::Number(_) | Value::Bool(_) => node.scalar(),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        }?;
        match self.scalars {
            ScalarRule::Written => Some(plain),
            ScalarRule::Canonical => Some(canonical(&plain)),
            ScalarRule::Refused => None,
        }
    }
}

/// A number as JavaScript prints it; other words unchanged.
fn canonical(plain: &str) -> String {
    number(plain).map_or_else(|| plain.to_owned(), |number| number.to_string())
}

/// Whether `text` is a date or number in YAML 1.1 but text in YAML 1.2.
fn is_old_scalar(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let of =
        |signs: &str| digits.bytes().all(|byte| byte.is_ascii_digit() || signs.as_bytes().contains(&byte));
    let starts = digits.starts_with(|first: char| first.is_ascii_digit());
    let base_two =
        digits.strip_prefix("0b").is_some_and(|bits| bits.bytes().all(|bit| b"01_".contains(&bit)));
    let date = digits.len() >= 8
        && digits.split('-').count() == 3
        && digits.split('-').next().is_some_and(|year| year.len() == 4)
        && of("-:.TZ +");
    let word = matches!(digits.to_ascii_lowercase().as_str(), ".inf" | ".nan");
    word || starts && (of("_") || digits.contains(':') && of("_:") || date || base_two)
}
