//! The checklist as the user edits it: Markdown with one section for each item. All faults are found, each with its
//! line, and text without effect causes a warning.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::markup::{
    ACTION, FIELDS, FILES, NOTES, OUTCOME, bare, bullet, field, field_of, heading, indent, is_rule,
    item_heading, lines,
};
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
/// The code of a line that belongs to no field.
const STRAY: &str = "stray_line";
const STATUSES: [&str; 2] = ["manageable", "oversized"];

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
    /// The end of its last non-empty line, white space included.
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
        let Some((written, line)) = self.field("action").filter(|(written, _)| !written.is_empty()) else {
            let message = format!("item {} has no action", self.id);
            return Err(fault(self.line_of("action"), "missing_action", message));
        };
        let known = ACTIONS.iter().find(|(name, _)| name.eq_ignore_ascii_case(bare(written)));
        known.map(|(_, action)| *action).ok_or_else(|| {
            let names = ACTIONS.map(|(name, _)| format!("`{name}`")).join(", ");
            let message = format!("unknown action `{}`, expected one of {names}", one_line(written));
            fault(*line, "unknown_action", message)
        })
    }

    /// The fault in its status, which is measured anyway.
    pub(super) fn status_fault(&self) -> Option<ChecklistFault> {
        let (written, line) = self.field("status")?;
        let known = STATUSES.iter().any(|name| name.eq_ignore_ascii_case(bare(written)));
        let message =
            || format!("unknown status `{}`, expected `manageable` or `oversized`", one_line(written));
        (!known).then(|| fault(*line, "unknown_status", message()))
    }
}

/// The field that the next lines may belong to.
#[derive(Debug, Clone, Copy)]
struct OpenField {
    /// Its index in [`FIELDS`]; none if it is ignored.
    at: Option<usize>,
    indent: usize,
    /// Whether its value begins on the next line.
    is_block: bool,
}

impl OpenField {
    /// Whether this field ends it: in notes, only a known one that is not indented further does.
    fn ends_at(self, known: Option<usize>, indent: usize) -> bool {
        self.at != Some(NOTES) || known.is_some() && indent <= self.indent
    }
}

/// Reads a checklist. A heading without a number gets one above `last`.
pub(super) fn parse(text: &str, last: u32) -> Checklist {
    let mut read = Checklist::default();
    let numbers = lines(text).filter_map(|line| heading(line.trim_end(), true)?.number());
    let mut last = numbers.fold(last, u32::max);
    let mut next = || {
        last = last.saturating_add(1);
        last
    };
    let (mut at, mut is_dropped, mut is_apart, mut open) = (0, false, false, None::<OpenField>);
    let mut rules = String::new();
    for (number, raw) in lines(text).enumerate() {
        let (number, span) = (number + 1, at..at + raw.len());
        at = span.end;
        let line = raw.trim_end();
        let is_block = open.is_some_and(|open| open.is_block && open.at == Some(NOTES));
        let begins_comment = line.trim_start().starts_with("<!--");
        let is_comment = !is_block && begins_comment;
        // In a block, it is text only where the block's text stands.
        let is_outside = open.is_none_or(|open| indent(line) <= open.indent);
        if begins_comment && (!is_block || is_outside) && !line.contains("-->") {
            let message = "a comment hides nothing: delete the item, or write `- action: skip`";
            read.faults.push(fault(number, STRAY, message));
        }
        if let Some(heading) =
            heading(line, is_block).filter(|one| !one.is_title() || !read.sections.is_empty())
        {
            open = None;
            rules.clear();
            let found = heading.numbered();
            is_dropped = found.is_none();
            let Some((id, title)) = found else {
                let meant = heading.corrected(&mut next);
                let message = format!("`{}` is not a heading of an item: write `{meant}`", one_line(line));
                read.faults.push(fault(number, "bad_header", message));
                continue;
            };
            if let Some(first) = read.sections.iter().find(|one| one.id == id) {
                let (first, other) = (first.line, item_heading(next(), title));
                let message =
                    format!("item {id} is defined on line {first} and on line {number}: write `{other}`");
                read.faults.push(fault(number, "duplicate_id", message));
            }
            let (title, end) = (title.to_owned(), span.start + raw.trim_end_matches(['\r', '\n']).len());
            read.sections.push(ItemSection { id, title, line: number, span, end, ..ItemSection::default() });
            continue;
        }
        if read.sections.is_empty()
            && !is_dropped
            && field(line).is_some_and(|(known, ..)| known == Some(ACTION))
        {
            let (shown, above) = (one_line(line.trim()), item_heading(next(), "Title"));
            read.faults.push(fault(
                number,
                STRAY,
                format!("`{shown}` is outside of every item: write `{above}` above it"),
            ));
        }
        let Some(section) = read.sections.last_mut().filter(|_| !is_dropped) else { continue };
        section.span.end = span.end;
        let own = open.and_then(|open| open.at);
        let (indent, was_apart) = (indent(line), is_apart);
        is_apart = line.is_empty();
        if !line.is_empty() {
            section.end = span.start + raw.trim_end_matches(['\r', '\n']).len();
        }
        if is_comment {
            continue;
        }
        if !is_block && is_rule(line) {
            // In notes it belongs to them, if more of them follow; at the end it separates the items.
            if own == Some(NOTES) {
                rules += "\n";
                rules += line;
            }
            continue;
        }
        let ending = field(line).filter(|(known, ..)| open.is_none_or(|open| open.ends_at(*known, indent)));
        if let Some((known, name, value)) = ending {
            let is_block = [Some(FILES), Some(NOTES)].contains(&known)
                && matches!(value, "|" | "|-" | "|+" | ">" | ">-" | "");
            open = Some(OpenField { at: known, indent, is_block });
            rules.clear();
            let Some(known) = known else {
                read.warnings.push(format!("line {number}: unknown field `{name}`, which is ignored"));
                continue;
            };
            if OUTCOME.contains(&known) {
                section.outcome.push(span);
            }
            if let Some((_, first)) = section.fields[known] {
                open = Some(OpenField { at: None, indent, is_block });
                let message = format!("`{}` is defined on line {first} and on line {number}", FIELDS[known]);
                read.faults.push(fault(number, "duplicate_field", message));
                continue;
            }
            let value = if is_block { String::new() } else { value.to_owned() };
            section.fields[known] = Some((value, number));
            continue;
        }
        let is_deeper = open.is_some_and(|open| indent > open.indent);
        let entry = bullet(line);
        let loose = field_of(line.trim()).is_some_and(|(known, ..)| known.is_some() && entry.is_none());
        let value = own.and_then(|own| section.fields[own].as_mut()).map(|(value, _)| value);
        match (own, value) {
            (Some(NOTES), Some(_)) if line.is_empty() && !rules.is_empty() => rules.push('\n'),
            (Some(NOTES), Some(notes)) => {
                *notes += &std::mem::take(&mut rules);
                notes.push('\n');
                let indented = ["    ", "\t", "  "].iter().find_map(|space| line.strip_prefix(space));
                *notes += indented.unwrap_or(line);
            }
            _ if line.is_empty() => {}
            (Some(FILES), Some(files))
                if !loose && (entry.is_some() || is_deeper || !was_apart && files.ends_with(',')) =>
            {
                files.push(',');
                *files += entry.unwrap_or(line.trim());
            }
            (None, _) if open.is_some() && is_deeper => {}
            _ => {
                let shown = one_line(line.trim());
                read.faults.push(fault(number, STRAY, match loose {
                    true => format!("`{shown}` is not a field: write `- {shown}`"),
                    false => format!(
                        "`{shown}` is not part of a field: write it below `- notes: |`, indented by four spaces"
                    ),
                }));
            }
        }
    }
    for section in &mut read.sections {
        if let Some((notes, _)) = &mut section.fields[NOTES] {
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
        let files: Vec<String> = draft.files.iter().map(|file| list_entry(file)).collect();
        out += &format!(
            "\n{}\n- action: {action}\n- files: {}\n- surface: {}\n- status: {status}\n- notes:",
            item_heading(index as u32 + 1, &draft.title),
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
fn list_entry(file: &str) -> String {
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
        let last = own.trim_end().len();
        let kept = own[last..].find(['\r', '\n']).map_or(own.len(), |end| last + end);
        let tail = own[kept..].trim_start_matches(['\r', '\n']).to_owned() + &text[at..section.span.end];
        own.truncate(kept);
        format!("{break_of}{tail}")
    } else {
        own += &text[at..section.end];
        text[section.end..section.span.end].to_owned()
    };
    format!("{}{own}{added}{rest}{}", &text[..section.span.start], &text[section.span.end..])
}
