//! Characters that nobody sees and a model reads.

use crate::check::context::{Context, Text};
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::Sink;
use crate::check::unseen;
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "hidden-unicode",
    group: Group::Suspicious,
    severity: Severity::Warning,
    summary: "a text contains characters that readers cannot see but models read",
    page: include_str!("hidden_unicode.md"),
    check: Check::Text(check),
};

fn check(_: &Context<'_>, text: &Text<'_>, sink: &mut Sink) {
    if text.text.is_ascii() || !text.is_markdown() {
        return;
    }
    let mut line = 0;
    for found in unseen::find(text.text) {
        // One finding a line says enough.
        let here = text.file.position(found.span.start).line;
        if here == line {
            continue;
        }
        line = here;
        let sign = text.text[found.span.start..].chars().next().map_or(0, u32::from);
        let message = format!("{} (U+{sign:04X}) is invisible to readers", found.what);
        sink.at(text.file, found.span, message).help =
            Some("remove it, or write it as an escape if the text is about it".to_owned());
    }
}
