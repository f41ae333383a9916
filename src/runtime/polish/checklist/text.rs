//! The checklist as the user edits it: Markdown with one section for each item; how it is written, and how outcomes are
//! added to it.

use crate::runtime::error_code::ErrorCode;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::markup::{ItemField, bare, item_heading};
use crate::printable::{line as one_line, sentence};

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

/// One item of the text.
#[derive(Debug, Default)]
pub(super) struct ItemSection {
    pub(super) id: u32,
    pub(super) title: String,
    /// The line of its heading.
    pub(super) line: usize,
    /// The values of its fields, each with its line.
    pub(super) fields: [Option<(String, usize)>; ItemField::COUNT],
    /// Its bytes.
    pub(super) span: Range<usize>,
    /// The byte ranges of the lines with its outcome.
    pub(super) outcome: Vec<Range<usize>>,
    /// The end of its last non-empty line, white space included.
    pub(super) end: usize,
}

/// One fault in the checklist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChecklistFault {
    /// The line, from 1.
    pub line: usize,
    /// A short name.
    pub code: ErrorCode,
    /// A sentence.
    pub message: String,
}

/// A fault at a line.
pub(super) fn fault(line: usize, code: ErrorCode, message: impl Into<String>) -> ChecklistFault {
    ChecklistFault { line, code, message: sentence(&message.into()).into_owned() }
}

/// A checklist that was read.
#[derive(Debug, Default)]
pub(super) struct Checklist {
    pub(super) sections: Vec<ItemSection>,
    pub(super) faults: Vec<ChecklistFault>,
    pub(super) warnings: Vec<String>,
}

impl ItemSection {
    /// A field with its line.
    pub(super) fn field(&self, field: ItemField) -> Option<&(String, usize)> {
        self.fields[field as usize].as_ref()
    }

    /// The value of a field; empty if it is missing.
    pub(super) fn value(&self, field: ItemField) -> &str {
        self.field(field).map_or("", |(value, _)| value)
    }

    /// The line of a field, or of the heading.
    pub(super) fn line_of(&self, field: ItemField) -> usize {
        self.field(field).map_or(self.line, |(_, line)| *line)
    }

    /// Its action, or what is wrong with it.
    pub(super) fn action(&self) -> Result<ItemAction, ChecklistFault> {
        let written = self.field(ItemField::Action).filter(|(written, _)| !written.is_empty());
        let Some((written, line)) = written else {
            let message = format!("item {} has no action", self.id);
            return Err(fault(self.line_of(ItemField::Action), ErrorCode::MissingAction, message));
        };
        let known = ACTIONS.iter().find(|(name, _)| name.eq_ignore_ascii_case(bare(written)));
        known.map(|(_, action)| *action).ok_or_else(|| {
            let names = ACTIONS.map(|(name, _)| format!("`{name}`")).join(", ");
            let message = format!("unknown action `{}`, expected one of {names}", one_line(written));
            fault(*line, ErrorCode::UnknownAction, message)
        })
    }

    /// The fault in its status, which is measured anyway.
    pub(super) fn status_fault(&self) -> Option<ChecklistFault> {
        let (written, line) = self.field(ItemField::Status)?;
        let known = STATUSES.iter().any(|name| name.eq_ignore_ascii_case(bare(written)));
        let message =
            || format!("unknown status `{}`, expected `manageable` or `oversized`", one_line(written));
        (!known).then(|| fault(*line, ErrorCode::UnknownStatus, message()))
    }
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

/// The section of an item with its outcome, which replaces any earlier one.
pub(super) fn section_with_outcome(text: &str, section: &ItemSection, outcome: &[(&str, &str)]) -> String {
    let is_last = section.outcome.iter().any(|line| line.contains(&section.end.saturating_sub(1)));
    let mut own = String::new();
    let mut at = section.span.start;
    for line in &section.outcome {
        own += &text[at..line.start];
        at = line.end;
    }
    // The line above keeps its end, and the results have the same.
    let below = &text[section.end..];
    let ends = || ["\r\n", "\n", "\r"].into_iter();
    let break_of = ends().find(|end| below.starts_with(*end));
    let break_of = break_of.or_else(|| ends().find(|end| text[section.span.clone()].contains(*end)));
    let break_of = break_of.unwrap_or("\n");
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
        let is_closed = text[section.span.clone()].ends_with(['\r', '\n']);
        if is_closed || !tail.is_empty() { format!("{break_of}{tail}") } else { tail }
    } else {
        own += &text[at..section.end];
        text[section.end..section.span.end].to_owned()
    };
    format!("{own}{added}{rest}")
}
