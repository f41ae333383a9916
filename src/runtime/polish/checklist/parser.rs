//! Reads a checklist line by line, as people and editors leave it. All faults are found, each with its line, and text
//! without effect causes a warning.

use crate::runtime::error_code::ErrorCode;
use std::collections::BTreeMap;
use std::ops::Range;

use super::markup::{
    FieldLine, ItemField, ItemHeading, bullet, field, field_without_bullet, heading, indent, is_rule,
    item_heading, lines,
};
use super::text::{Checklist, ItemSection, fault};
use crate::printable::line as one_line;

/// Reads a checklist. A heading without a number gets one above `last`.
pub(super) fn parse(text: &str, last: u32) -> Checklist {
    let numbers = lines(text).filter_map(|line| heading(line.trim_end(), true)?.number());
    let mut parser = ChecklistParser { last: numbers.fold(last, u32::max), ..ChecklistParser::default() };
    let mut start = 0;
    for (index, raw) in lines(text).enumerate() {
        let span = start..start + raw.len();
        start = span.end;
        let end = span.start + raw.trim_end_matches(['\r', '\n']).len();
        parser.read_line(&TextLine { number: index + 1, text: raw.trim_end(), span, end });
    }
    let mut read = parser.read;
    for section in &mut read.sections {
        if let Some((notes, _)) = &mut section.fields[ItemField::Notes as usize] {
            *notes = notes.trim_matches('\n').to_owned();
        }
    }
    read
}

/// One line of the checklist.
struct TextLine<'a> {
    /// From 1.
    number: usize,
    /// Without white space at its end.
    text: &'a str,
    /// Its bytes with its ending.
    span: Range<usize>,
    /// Where its ending begins.
    end: usize,
}

/// The field that the next lines may belong to.
#[derive(Debug, Clone, Copy)]
struct OpenField {
    /// `None` if it is ignored.
    field: Option<ItemField>,
    indent: usize,
    /// Whether its value begins on the next line.
    is_block: bool,
}

impl OpenField {
    /// Whether this line ends it: in notes, only a known field that is not indented further does.
    fn ends_at(self, line: &FieldLine<'_>, indent: usize) -> bool {
        self.field != Some(ItemField::Notes) || line.field.is_some() && indent <= self.indent
    }
}

/// What was read, and what the next line depends on.
#[derive(Default)]
struct ChecklistParser {
    read: Checklist,
    /// The largest number of an item.
    last: u32,
    /// The line of the first heading with each number.
    numbered: BTreeMap<u32, usize>,
    /// Whether the lines stand below a heading that is none of an item.
    is_dropped: bool,
    /// Whether the line before is empty.
    is_apart: bool,
    open: Option<OpenField>,
    /// Rules within notes, which belong to them if more of them follow; at their end they separate the items.
    rules: String,
}

impl ChecklistParser {
    fn read_line(&mut self, line: &TextLine<'_>) {
        let is_notes_block =
            self.open.is_some_and(|open| open.is_block && open.field == Some(ItemField::Notes));
        let is_comment = self.read_comment(line, is_notes_block);
        if let Some(heading) = heading(line.text, is_notes_block)
            && (!heading.is_title() || !self.read.sections.is_empty())
        {
            return self.read_heading(line, &heading);
        }
        self.find_action_outside(line);
        if self.is_dropped {
            return;
        }
        let Some(section) = self.read.sections.last_mut() else { return };
        section.span.end = line.span.end;
        if !line.text.is_empty() {
            section.end = line.end;
        }
        let was_apart = std::mem::replace(&mut self.is_apart, line.text.is_empty());
        if is_comment {
            return;
        }
        if !is_notes_block && is_rule(line.text) {
            if self.open_field() == Some(ItemField::Notes) {
                self.rules += "\n";
                self.rules += line.text;
            }
            return;
        }
        let indent = indent(line.text);
        let is_new = |found: &FieldLine<'_>| self.open.is_none_or(|open| open.ends_at(found, indent));
        match field(line.text).filter(is_new) {
            Some(found) => self.read_field(line, &found, indent),
            None => self.continue_field(line, indent, was_apart),
        }
    }

    fn open_field(&self) -> Option<ItemField> {
        self.open.and_then(|open| open.field)
    }

    /// Adds a stray line.
    fn add_stray(&mut self, line: &TextLine<'_>, message: String) {
        self.read.faults.push(fault(line.number, ErrorCode::StrayLine, message));
    }

    /// Whether a line begins a comment, which is a fault if it goes on: it hides nothing. In a block of notes it is
    /// text where the block's text stands.
    fn read_comment(&mut self, line: &TextLine<'_>, is_notes_block: bool) -> bool {
        let begins = line.text.trim_start().starts_with("<!--");
        let is_outside = self.open.is_none_or(|open| indent(line.text) <= open.indent);
        if begins && (!is_notes_block || is_outside) && !line.text.contains("-->") {
            let message = "a comment hides nothing: delete the item, or write `- action: skip`";
            self.add_stray(line, message.to_owned());
        }
        begins && !is_notes_block
    }

    /// A number that no item has.
    fn next_number(&mut self) -> u32 {
        self.last = self.last.saturating_add(1);
        self.last
    }

    fn read_heading(&mut self, line: &TextLine<'_>, heading: &ItemHeading<'_>) {
        self.open = None;
        self.rules.clear();
        let numbered = heading.numbered();
        self.is_dropped = numbered.is_none();
        let Some((id, title)) = numbered else {
            let meant = heading.corrected(|| self.next_number());
            let message = format!("`{}` is not a heading of an item: write `{meant}`", one_line(line.text));
            return self.read.faults.push(fault(line.number, ErrorCode::BadHeader, message));
        };
        if let Some(first) = self.numbered.get(&id).copied() {
            let (number, other) = (line.number, item_heading(self.next_number(), title));
            let message =
                format!("item {id} is defined on line {first} and on line {number}: write `{other}`");
            self.read.faults.push(fault(number, ErrorCode::DuplicateId, message));
        }
        self.numbered.entry(id).or_insert(line.number);
        self.read.sections.push(ItemSection {
            id,
            title: title.to_owned(),
            line: line.number,
            span: line.span.clone(),
            end: line.end,
            ..ItemSection::default()
        });
    }

    /// An action above all items is meant for one of them.
    fn find_action_outside(&mut self, line: &TextLine<'_>) {
        let is_outside = self.read.sections.is_empty() && !self.is_dropped;
        if is_outside && field(line.text).is_some_and(|found| found.field == Some(ItemField::Action)) {
            let (shown, above) = (one_line(line.text.trim()), item_heading(self.next_number(), "Title"));
            self.add_stray(line, format!("`{shown}` is outside of every item: write `{above}` above it"));
        }
    }

    fn read_field(&mut self, line: &TextLine<'_>, found: &FieldLine<'_>, indent: usize) {
        let number = line.number;
        let begins_block = matches!(found.value, "|" | "|-" | "|+" | ">" | ">-" | "");
        let is_block = begins_block && found.field.is_some_and(ItemField::may_be_block);
        self.open = Some(OpenField { field: found.field, indent, is_block });
        self.rules.clear();
        let Some(section) = self.read.sections.last_mut() else { return };
        let Some(field) = found.field else {
            let message = format!("line {number}: unknown field `{}`, which is ignored", found.name);
            return self.read.warnings.push(message);
        };
        if field.is_outcome() {
            section.outcome.push(line.span.clone());
        }
        if let Some((_, first)) = section.field(field) {
            self.open = Some(OpenField { field: None, indent, is_block });
            let message = format!("`{}` is defined on line {first} and on line {number}", field.name());
            return self.read.faults.push(fault(number, ErrorCode::DuplicateField, message));
        }
        let value = if is_block { String::new() } else { found.value.to_owned() };
        section.fields[field as usize] = Some((value, number));
    }

    /// A line that begins no field continues the one above, or is a fault.
    fn continue_field(&mut self, line: &TextLine<'_>, indent: usize, was_apart: bool) {
        let text = line.text;
        let own = self.open_field();
        let is_deeper = self.open.is_some_and(|open| indent > open.indent);
        let entry = bullet(text);
        let is_loose =
            entry.is_none() && field_without_bullet(text.trim()).is_some_and(|found| found.field.is_some());
        let Some(section) = self.read.sections.last_mut() else { return };
        let value = own.and_then(|own| section.fields[own as usize].as_mut()).map(|(value, _)| value);
        match (own, value) {
            (Some(ItemField::Notes), Some(_)) if text.is_empty() && !self.rules.is_empty() => {
                self.rules.push('\n');
            }
            (Some(ItemField::Notes), Some(notes)) => {
                *notes += &std::mem::take(&mut self.rules);
                notes.push('\n');
                let indented = ["    ", "\t", "  "].iter().find_map(|space| text.strip_prefix(space));
                *notes += indented.unwrap_or(text);
            }
            _ if text.is_empty() => {}
            (Some(ItemField::Files), Some(files))
                if !is_loose && (entry.is_some() || is_deeper || !was_apart && files.ends_with(',')) =>
            {
                files.push(',');
                *files += entry.unwrap_or(text.trim());
            }
            (None, _) if self.open.is_some() && is_deeper => {}
            _ => {
                let shown = one_line(text.trim());
                self.add_stray(line, match is_loose {
                    true => format!("`{shown}` is not a field: write `- {shown}`"),
                    false => format!(
                        "`{shown}` is not part of a field: write it below `- notes: |`, indented by four spaces"
                    ),
                });
            }
        }
    }
}
