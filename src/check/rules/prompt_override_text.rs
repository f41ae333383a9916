//! A text tells a model to ignore its previous instructions.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::check::snippet;
use crate::diagnostic::Severity;
use crate::read::markdown::region_at;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "prompt-override-text",
    group: RuleGroup::Nursery,
    severity: Severity::Warning,
    summary: "a text tells a model to ignore its instructions",
    page: include_str!("prompt_override_text.md"),
    check: RuleCheck::Text(check),
};

const PHRASES: [&str; 12] = [
    "ignore previous instructions",
    "ignore all previous instructions",
    "ignore the previous instructions",
    "ignore prior instructions",
    "ignore all prior instructions",
    "ignore your instructions",
    "ignore your system prompt",
    "disregard previous instructions",
    "disregard all previous instructions",
    "disregard your instructions",
    "forget your previous instructions",
    "forget all previous instructions",
];

static SCANNER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let builder = AhoCorasick::builder().ascii_case_insensitive(true).build(PHRASES);
    builder.unwrap_or_else(|_| AhoCorasick::new([""; 0]).expect("an empty automaton"))
});

fn check(_: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if text.component.is_none() || !text.is_markdown() {
        return;
    }
    for found in SCANNER.find_iter(text.text) {
        let span = Span::new(found.start(), found.end());
        let quoted = text.text[..span.start].ends_with(['"', '\'', '“', '‘', '`']);
        let shown = region_at(&text.outline().regions, span.start).is_some();
        if quoted || shown || snippet::warned_against(text.text, span) {
            continue;
        }
        let found = sink.report(text.file, span, "this tells the model to ignore its instructions");
        found.help = Some("say what to do instead; if it is an example, put it in quotes".to_owned());
    }
}
