//! A dispatch sets a permission mode that overrides the user's own.

use crate::check::context::{PluginText, RuleContext};
use crate::check::prose::{self, passages};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "dispatch-mode",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "the dispatch of an agent sets a permission mode",
    page: include_str!("dispatch_mode.md"),
    check: RuleCheck::Text(check),
};

/// Permission modes of the source host.
const MODES: [&str; 6] = ["default", "acceptEdits", "auto", "bypassPermissions", "dontAsk", "plan"];
const DISPATCH: [&str; 8] =
    ["agent", "agents", "subagent", "subagents", "sub-agent", "sub-agents", "subagent_type", "Task"];
const NEGATED: [&str; 6] = ["never", "omit", "without", "leave", "not", "don't"];

fn check(_: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !prose::is_instructions(text) {
        return;
    }
    for passage in passages(text) {
        let passage_text = passage.span.slice(text.text);
        if !prose::contains_any(passage_text, &DISPATCH)
            || !passage.code && prose::contains_any(passage_text, &NEGATED)
        {
            continue;
        }
        for place in prose::word_spans(passage_text, "mode") {
            let Some(span) = with_value(passage_text, place) else { continue };
            sink.report(
                text.file,
                span.shifted(passage.span.start),
                "a permission mode in a dispatch overrides the user's own",
            )
            .help = Some("remove `mode`, so that the user's permissions apply".to_owned());
        }
    }
}

/// The key together with a quoted permission mode after it.
fn with_value(passage_text: &str, key: Span) -> Option<Span> {
    let rest = passage_text[key.end..].trim_start_matches(['"', '\'']).trim_start();
    let value = rest.strip_prefix([':', '='])?.trim_start().strip_prefix(['"', '\''])?;
    let mode = MODES
        .iter()
        .find(|mode| value.strip_prefix(**mode).is_some_and(|rest| rest.starts_with(['"', '\''])))?;
    Some(Span::new(key.start, passage_text.len() - value.len() + mode.len() + 1))
}
