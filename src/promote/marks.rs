//! The marks of a beta in its main file: the name, the prefix of the description, and the flag that keeps the model
//! from calling it.

use super::PromotionEdit;
use super::selection::BetaSkill;
use crate::check::copies;
use crate::check::raw_value;
use crate::check::stage::{ENDING, MARK};
use crate::read::frontmatter::{self, MarkdownDocument};
use crate::read::tree::{MappingEntry, Style};
use crate::source::{Span, line_start, next_line};

/// The field that keeps the model from calling a skill.
const FLAG: &str = "disable-model-invocation";

/// The edits to the frontmatter of `text`, the beta's main file.
pub(super) fn changes(beta: &BetaSkill<'_>, text: &str, user_only: bool) -> Vec<PromotionEdit> {
    let document = &beta.component.document;
    let Some(fields) = &document.fields else { return Vec::new() };
    let mut out = Vec::new();
    if let Some(entry) = fields.entry("name")
        && let Some(at) = entry
            .node
            .span
            .slice(text)
            .find(ENDING)
            .filter(|_| beta.component.written_name().is_some_and(|name| name.ends_with(ENDING)))
        && let Some(end) = entry.node.span.slice(text).rfind(ENDING).filter(|end| *end == at)
    {
        let start = entry.node.span.start + end;
        out.push(change(Span::new(start, start + ENDING.len()), "", "the name"));
    }
    if let Some(entry) = fields.entry("description") {
        out.extend(description(document, text, entry));
    }
    if let Some(entry) = fields.entry(FLAG).filter(|_| beta.component.is_user_only() && !user_only) {
        out.push(flag(document, text, entry));
    }
    out
}

fn change(span: Span, text: &str, what: &'static str) -> PromotionEdit {
    PromotionEdit { span, text: text.to_owned(), what }
}

/// Removes the mark from the description; adds quotes if the rest would otherwise be read differently.
fn description(document: &MarkdownDocument, text: &str, entry: &MappingEntry) -> Option<PromotionEdit> {
    let read = entry.node.scalar()?;
    let rest =
        read.trim_start().get(MARK.len()..).filter(|_| starts_with_mark(read.trim_start()))?.trim_start();
    let raw = entry.node.span.slice(text);
    let at = raw.to_ascii_uppercase().find(MARK)?;
    let after = &raw[at + MARK.len()..];
    let blank = after.len() - after.trim_start().len();
    let start = entry.node.span.start + at;
    let cut = change(Span::new(start, start + MARK.len() + blank), "", "the beta mark in the description");
    let edited = format!("{}{}", &text[..cut.span.start], &text[cut.span.end..]);
    let again = frontmatter::parse(&edited);
    let entry_again = again.fields.as_ref().and_then(|fields| fields.entry("description"));
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let same =
        entry_again.and_then(|entry| entry.node.scalar()).is_some_and(|same| words(&same) == words(rest));
    let one_line = !raw.trim_end().contains('\n');
    let plain = |entry: &MappingEntry| {
        let simple = raw_value::is_simple(&edited, again.yaml.unwrap_or_default(), entry);
        entry.node.style == Style::Plain && one_line && !simple
    };
    if same && again.faults.len() <= document.faults.len() && !entry_again.is_some_and(plain) {
        return Some(cut);
    }
    Some(change(entry.node.span, &raw_value::quoted(rest.trim_end()), "the beta mark in the description"))
}

fn starts_with_mark(text: &str) -> bool {
    text.get(..MARK.len()).is_some_and(|mark| mark.eq_ignore_ascii_case(MARK))
}

/// Removes the line of the flag; if it shares its line, sets the flag to `false`.
fn flag(document: &MarkdownDocument, text: &str, entry: &MappingEntry) -> PromotionEdit {
    let yaml = document.yaml.unwrap_or_default();
    let lines = raw_value::lines(text, yaml, entry);
    let own = text[lines.start..entry.key_span.start].trim().is_empty()
        && lines.slice(text).trim_end().lines().count() == 1;
    if own {
        // A comment below the flag belongs to the next field.
        let end = next_line(text, entry.node.span.end);
        return change(Span::new(lines.start, end), "", "the flag that keeps the model from calling it");
    }
    change(entry.node.span, "false", "the flag that keeps the model from calling it")
}

/// The comment in one of the beta's files that declares it a copy of the stable skill that it becomes.
pub(super) fn copy_of_itself(beta: &BetaSkill<'_>, text: &str) -> Vec<PromotionEdit> {
    let of_itself = |of: &str| beta.names.iter().any(|(old, new)| of == old || of == new);
    let declared = copies::in_text(text).into_iter().filter(|declared| of_itself(declared.of));
    declared
        .map(|declared| {
            let start = line_start(text, declared.span.start);
            let end = next_line(text, declared.span.end);
            change(Span::new(start, end), "", "a comment that would mark it as a copy of itself")
        })
        .collect()
}
