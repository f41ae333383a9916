//! Agents are dispatched in parallel without a fallback for hosts that run one at a time.

use crate::check::context::{PluginText, RuleContext};
use crate::check::prose::{self, passages};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "parallel-fallback",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "agents are dispatched in parallel without a fallback for hosts that cannot",
    page: include_str!("parallel_fallback.md"),
    check: RuleCheck::Text(check),
};

const PARALLEL_WORDS: [&str; 5] =
    ["in parallel", "concurrently", "simultaneously", "at the same time", "parallel agents"];
const AGENTS: [&str; 8] =
    ["agent", "agents", "sub-agent", "sub-agents", "subagent", "subagents", "dispatch", "Task tool"];
const ONE_BY_ONE: [&str; 12] = [
    "sequential",
    "sequentially",
    "one after the other",
    "one after another",
    "one at a time",
    "one by one",
    "in sequence",
    "serially",
    "in turn",
    "serial",
    "in series",
    "inline",
];

fn check(_: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !prose::is_instructions(text) || prose::contains_any(text.body.slice(text.text), &ONE_BY_ONE) {
        return;
    }
    let negated = ["never", "not", "don't"];
    for passage in passages(text).into_iter().filter(|passage| !passage.code) {
        let passage_text = passage.span.slice(text.text);
        if passage_text.starts_with('#')
            || !prose::contains_any(passage_text, &AGENTS)
            || prose::contains_any(passage_text, &negated)
        {
            continue;
        }
        let Some(place) =
            PARALLEL_WORDS.iter().filter_map(|word| prose::word_spans(passage_text, word).next()).min()
        else {
            continue;
        };
        sink.report(text.file, place.shifted(passage.span.start), "not every host runs agents in parallel")
            .help = Some(
            "add a fallback: where agents cannot run in parallel, dispatch them one after the other"
                .to_owned(),
        );
        // One finding per text is enough.
        return;
    }
}
