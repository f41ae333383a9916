//! The checklist as the user edits it: Markdown with one section for each item. All faults are found, each with its
//! line, and text without effect causes a warning.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::printable::line as one_line;

/// What is to be done with an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemAction {
    /// It is left unchanged.
    Keep,
    /// It is skipped.
    Skip,
    /// It is repaired as its notes say.
    Fix,
    /// Its notes are kept for later.
    Note,
    /// It becomes a separate pull request.
    Stacked,
    /// It is planned again.
    Replan,
}

const ACTIONS: [(&str, ItemAction); 6] = [
    ("keep", ItemAction::Keep),
    ("skip", ItemAction::Skip),
    ("fix", ItemAction::Fix),
    ("note", ItemAction::Note),
    ("stacked", ItemAction::Stacked),
    ("replan", ItemAction::Replan),
];
const STATUSES: [&str; 2] = ["manageable", "oversized"];
/// The fields of an item; the last three are written by `polish checklist rewrite`.
const FIELDS: [&str; 8] = ["action", "files", "surface", "status", "notes", "result", "summary", "commit"];
const OUTCOME: Range<usize> = 5..8;

/// One item of the text.
#[derive(Debug, Default)]
pub(super) struct ItemSection {
    pub(super) id: u32,
    pub(super) title: String,
    /// The line of its heading.
    pub(super) line: usize,
    /// The values of [`FIELDS`], each with its line.
    fields: [Option<(String, usize)>; FIELDS.len()],
    /// Its bytes.
    span: Range<usize>,
    /// The byte ranges of the lines with its outcome.
    outcome: Vec<Range<usize>>,
    /// The end of its last non-empty line.
    end: usize,
}

/// One fault in the checklist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChecklistFault {
    /// The line, from 1.
    pub line: usize,
    /// A short name.
    pub code: String,
    /// A sentence.
    pub message: String,
}

/// A fault at a line.
pub(super) fn fault(line: usize, code: &str, message: impl Into<String>) -> ChecklistFault {
    ChecklistFault { line, code: code.to_owned(), message: message.into() }
}

/// A checklist that was read.
#[derive(Debug, Default)]
pub(super) struct Checklist {
    pub(super) sections: Vec<ItemSection>,
    pub(super) faults: Vec<ChecklistFault>,
    pub(super) warnings: Vec<String>,
}

impl ItemSection {
    fn field(&self, name: &str) -> Option<&(String, usize)> {
        self.fields[FIELDS.iter().position(|own| *own == name)?].as_ref()
    }

    /// The value of a field; empty if it is missing.
    pub(super) fn value(&self, name: &str) -> &str {
        self.field(name).map_or("", |(value, _)| value)
    }

    /// The line of a field, or of the heading.
    pub(super) fn line_of(&self, name: &str) -> usize {
        self.field(name).map_or(self.line, |(_, line)| *line)
    }

    /// Its action, or what is wrong with it.
    pub(super) fn action(&self) -> Result<ItemAction, ChecklistFault> {
        let Some((written, line)) = self.field("action") else {
            return Err(fault(self.line, "missing_action", format!("item {} has no action", self.id)));
        };
        let known = ACTIONS.iter().find(|(name, _)| name.eq_ignore_ascii_case(written));
        known.map(|(_, action)| *action).ok_or_else(|| {
            let names = ACTIONS.map(|(name, _)| format!("`{name}`")).join(", ");
            let message = format!("unknown action `{}`, expected one of {names}", one_line(written));
            fault(*line, "unknown_action", message)
        })
    }

    /// The fault in its status, which is measured anyway.
    pub(super) fn status_fault(&self) -> Option<ChecklistFault> {
        let (written, line) = self.field("status")?;
        let known = STATUSES.iter().any(|name| name.eq_ignore_ascii_case(written));
        let message =
            || format!("unknown status `{}`, expected `manageable` or `oversized`", one_line(written));
        (!known).then(|| fault(*line, "unknown_status", message()))
    }

    /// Its files, and what is wrong with their list.
    pub(super) fn files(&self) -> Result<Vec<String>, ChecklistFault> {
        let mut files = Vec::new();
        let mut rest = self.value("files").trim();
        while !rest.is_empty() {
            let end = if rest.starts_with('"') {
                let mut words = serde_json::Deserializer::from_str(rest).into_iter::<String>();
                match words.next() {
                    Some(Ok(file)) => files.push(file),
                    _ => {
                        let message = "a file in quotes does not end, or is not JSON text";
                        return Err(fault(self.line_of("files"), "bad_path", message));
                    }
                }
                words.byte_offset()
            } else {
                let end = rest.find(',').unwrap_or(rest.len());
                files.push(rest[..end].trim().to_owned());
                end
            };
            rest = rest[end..].trim_start().trim_start_matches(',').trim_start();
        }
        files.retain(|file| !file.is_empty());
        Ok(files)
    }
}

/// The lines of a text with their endings; a lone carriage return also ends a line.
fn lines(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let end = text
            .find(['\n', '\r'])
            .map_or(text.len(), |at| at + if text[at..].starts_with("\r\n") { 2 } else { 1 });
        let (line, rest) = text.split_at(end);
        text = rest;
        (end > 0).then_some(line)
    })
}

/// A heading that is meant for an item: what follows the word, and whether the form is exact. Markdown ignores up to
/// three leading spaces; in a block of notes, a line with more is text.
fn heading(line: &str, is_block: bool) -> Option<(&str, bool)> {
    const MOST: usize = 3;
    let own = line.trim_start();
    let is_code = line.len() - own.len() > MOST || line.starts_with('\t');
    if is_block && is_code {
        return None;
    }
    let rest = own.trim_start_matches('#');
    let (depth, rest) = (own.len() - rest.len(), rest.trim_start());
    let (word, after) = (rest.get(..4)?, &rest[4..]);
    let is_item = (1..=6).contains(&depth)
        && word.eq_ignore_ascii_case("item")
        && !after.starts_with(|c: char| c.is_alphanumeric());
    is_item.then_some((after.trim(), depth == 2 && word == "Item" && !is_code))
}

/// Number and title of a heading: `3 — Title`, with any dash.
fn numbered(rest: &str) -> Option<(u32, &str)> {
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    let number = &rest[..digits];
    let title = rest[digits..].trim_start().strip_prefix(['—', '–', '-'])?.trim();
    let id = number.parse().ok().filter(|_| !number.starts_with('0'))?;
    (!title.is_empty()).then_some((id, title))
}

/// The heading that was probably meant, with its number and title as far as they are given.
fn corrected(rest: &str) -> String {
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..digits].trim_start_matches('0');
    // A word in place of the number is not part of the title.
    let title = match rest.split_once(['—', '–', '-']) {
        Some((_, title)) if number.is_empty() => title,
        _ => &rest[digits..],
    };
    let title = title.trim_matches(|c: char| c.is_whitespace() || "—–-:.)".contains(c));
    let number = if number.parse::<u32>().is_ok() { number } else { "NUMBER" };
    let title = if title.is_empty() { "Title".into() } else { one_line(title) };
    format!("## Item {number} — {title}")
}

/// A field: its index in [`FIELDS`], if known, and its value.
fn field(line: &str) -> Option<(Option<usize>, &str)> {
    let (key, value) = line.strip_prefix("- ")?.split_once(':')?;
    let key = key.trim();
    let plain = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    plain.then(|| (FIELDS.iter().position(|known| known.eq_ignore_ascii_case(key)), value.trim()))
}

/// Reads a checklist.
pub(super) fn parse(text: &str) -> Checklist {
    let mut read = Checklist::default();
    let (mut at, mut is_block, mut is_dropped) = (0, false, false);
    for (number, raw) in lines(text).enumerate() {
        let (number, span) = (number + 1, at..at + raw.len());
        at = span.end;
        let line = raw.trim_end();
        if let Some((rest, is_exact)) = heading(line, is_block) {
            is_block = false;
            let found = numbered(rest).filter(|_| is_exact);
            is_dropped = found.is_none();
            let Some((id, title)) = found else {
                let message =
                    format!("`{}` is not a heading of an item: write `{}`", one_line(line), corrected(rest));
                read.faults.push(fault(number, "bad_header", message));
                continue;
            };
            if let Some(first) = read.sections.iter().find(|one| one.id == id) {
                let message = format!("item {id} is defined on line {} and on line {number}", first.line);
                read.faults.push(fault(number, "duplicate_id", message));
            }
            let (title, end) = (title.to_owned(), span.start + line.len());
            read.sections.push(ItemSection { id, title, line: number, span, end, ..ItemSection::default() });
            continue;
        }
        let Some(section) = read.sections.last_mut().filter(|_| !is_dropped) else { continue };
        section.span.end = span.end;
        if let Some((known, value)) = field(line) {
            is_block = false;
            section.end = span.start + line.len();
            let Some(known) = known else { continue };
            if OUTCOME.contains(&known) {
                section.outcome.push(span);
            }
            let name = FIELDS[known];
            if let Some((_, first)) = section.fields[known] {
                let message = format!("`{name}` is defined on line {first} and on line {number}");
                read.faults.push(fault(number, "duplicate_field", message));
                continue;
            }
            is_block = name == "notes" && matches!(value, "|" | "|-" | "");
            let value = if is_block { String::new() } else { value.to_owned() };
            section.fields[known] = Some((value, number));
        } else if is_block {
            if let Some((notes, _)) = &mut section.fields[4] {
                let own = line.strip_prefix("    ").unwrap_or(line);
                *notes += own;
                notes.push('\n');
            }
            if !line.is_empty() {
                section.end = span.start + line.len();
            }
        } else if !line.is_empty() {
            section.end = span.start + line.len();
            read.warnings
                .push(format!("line {number} does not belong to a field: write it below `- notes: |`"));
        }
    }
    for section in &mut read.sections {
        if let Some((notes, _)) = &mut section.fields[4] {
            *notes = notes.trim_matches('\n').to_owned();
        }
    }
    read
}

/// A new item of a checklist.
#[derive(Debug)]
pub(super) struct NewItem {
    pub(super) title: String,
    pub(super) files: Vec<String>,
    pub(super) surface: String,
    pub(super) notes: String,
    pub(super) oversized: bool,
}

/// Writes a checklist below these header lines.
pub(super) fn print(header: &[(&str, &str)], drafts: &[NewItem]) -> String {
    let mut out = "# Polish checklist\n\n".to_owned();
    for (name, value) in header {
        out += &format!("{name}: {}\n", one_line(value));
    }
    for (index, draft) in drafts.iter().enumerate() {
        let (action, status) = if draft.oversized { ("stacked", STATUSES[1]) } else { ("keep", STATUSES[0]) };
        let files: Vec<String> = draft.files.iter().map(|file| listed(file)).collect();
        out += &format!(
            "\n## Item {} — {}\n- action: {action}\n- files: {}\n- surface: {}\n- status: {status}\n- notes:",
            index + 1,
            one_line(&draft.title),
            files.join(", "),
            one_line(&draft.surface)
        );
        let notes = draft.notes.trim();
        match notes.contains('\n') {
            false if matches!(notes, "|" | "|-" | "") => out += "\n",
            false => out += &format!(" {}\n", one_line(notes)),
            true => {
                out += " |\n";
                notes.lines().for_each(|line| out += &format!("    {}\n", one_line(line.trim_end())));
            }
        }
    }
    out
}

/// A file as an entry of a list: in quotes if its name would break the list or the line.
fn listed(file: &str) -> String {
    let odd = file.contains([',', '"', '\\']) || file.trim() != file || one_line(file) != file;
    if odd { serde_json::to_string(file).unwrap_or_default() } else { file.to_owned() }
}

/// The text with the outcome of an item, which replaces any earlier one.
pub(super) fn with_outcome(text: &str, section: &ItemSection, outcome: &[(&str, &str)]) -> String {
    let is_last = section.outcome.iter().any(|line| line.contains(&section.end.saturating_sub(1)));
    let mut own = String::new();
    let mut at = section.span.start;
    for line in &section.outcome {
        own += &text[at..line.start];
        at = line.end;
    }
    let own_text = &text[section.span.clone()];
    let break_of = ["\r\n", "\n", "\r"].into_iter().find(|end| own_text.contains(*end)).unwrap_or("\n");
    let added: String = outcome
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{break_of}- {name}: {}", one_line(value)))
        .collect();
    let rest = if is_last {
        // The outcome was at the end, and stays there.
        let kept = own.trim_end().len();
        let tail = own[kept..].trim_start_matches(['\r', '\n']).to_owned() + &text[at..section.span.end];
        own.truncate(kept);
        format!("{break_of}{tail}")
    } else {
        own += &text[at..section.end];
        text[section.end..section.span.end].to_owned()
    };
    format!("{}{own}{added}{rest}{}", &text[..section.span.start], &text[section.span.end..])
}
