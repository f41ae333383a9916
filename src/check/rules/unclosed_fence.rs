//! A code fence is opened and never closed.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::read::markdown::surely_closed;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "unclosed-fence",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a code fence is never closed",
    page: include_str!("unclosed_fence.md"),
    check: RuleCheck::Text(check),
};

fn check(_: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if text.component.is_none() || !text.is_markdown() {
        return;
    }
    if surely_closed(text.body.slice(text.text)) {
        return;
    }
    // An unclosed block extends to the end of the text, so it can only be the last one.
    let Some(block) = text.outline().blocks.last().filter(|block| block.info.is_some()) else { return };
    if !text.text[block.span.end.min(text.body.end)..text.body.end].trim().is_empty() {
        return;
    }
    let whole = block.span.slice(text.text);
    let opening = whole.lines().next().unwrap_or_default();
    let mark = opening.trim_start().chars().next().unwrap_or('`');
    let length = opening.trim_start().chars().take_while(|c| *c == mark).count();
    let closes = |line: &str| {
        let line = line.trim().trim_start_matches(['>', ' ']);
        line.chars().count() >= length && line.chars().all(|c| c == mark)
    };
    let inside = whole.trim_end().lines().skip(1);
    let empty = inside.clone().all(|line| line.trim().is_empty());
    if empty || inside.last().is_some_and(closes) {
        return;
    }
    let span = Span::new(block.span.start, block.span.start + opening.trim_end().len());
    let found = sink.report(text.file, span, "the code block that begins here is never closed");
    let fence = mark.to_string().repeat(length);
    found.help = Some(format!(
        "close it with {fence} on its own line; to show a fence inside a block, use a longer one around it"
    ));
}
