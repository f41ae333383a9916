//! A text names one host's task tools without saying what they are for.

use crate::check::context::{PluginText, RuleContext};
use crate::check::prose::{self, passages};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "task-tool",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "a task tool has an outdated name, or is not explained as a task list",
    page: include_str!("task_tool.md"),
    check: RuleCheck::Text(check),
};

const FORMER_TOOLS: [&str; 2] = ["TodoWrite", "TodoRead"];
const NEW: [&str; 4] = ["TaskCreate", "TaskUpdate", "TaskList", "TaskGet"];

/// Words of a sentence that warns against the old names.
const WARNS: [&str; 9] =
    ["never", "not", "don't", "deprecated", "legacy", "instead of", "outdated", "old", "replaced"];

/// Words that explain the purpose of the tools, or name alternatives of other hosts.
const INTENT: [&str; 11] = [
    "task list",
    "task lists",
    "checklist",
    "to-do list",
    "todo list",
    "list of tasks",
    "task tracking",
    "task-tracking",
    "track tasks",
    "equivalent",
    "platform",
];

fn check(_: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !prose::is_instructions(text) {
        return;
    }
    for passage in passages(text) {
        let passage_text = passage.span.slice(text.text);
        let first = |names: &[&str]| {
            names.iter().filter_map(|name| prose::word_spans(passage_text, name).next()).min()
        };
        if let Some(place) = first(&FORMER_TOOLS).filter(|_| !prose::contains_any(passage_text, &WARNS)) {
            let span = place.shifted(passage.span.start);
            let message = format!("`{}` is an outdated tool name", span.slice(text.text));
            sink.report(text.file, span, message).help =
                Some("write \"create a task list\", followed by the tool of each host".to_owned());
        } else if let Some(place) =
            first(&NEW).filter(|_| !passage.code && !prose::contains_any(passage_text, &INTENT))
        {
            let span = place.shifted(passage.span.start);
            let message = format!(
                "`{}` exists on one host only; the text does not say what it is for",
                span.slice(text.text)
            );
            sink.report(text.file, span, message).help =
                Some("write \"create a task list\" or \"checklist\", followed by the tool's name".to_owned());
        }
    }
}
