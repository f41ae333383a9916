//! A text names the question tool of one host, without an alternative for the others.

use std::collections::BTreeSet;

use crate::check::context::{PluginText, RuleContext};
use crate::check::prose;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "question-fallback",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "a question tool is named without its counterparts or without numbered options as a fallback",
    page: include_str!("question_fallback.md"),
    check: RuleCheck::Text(check),
};

/// The source host's tool that asks the user.
pub(super) const QUESTION: &str = "AskUserQuestion";

/// The question tools of other hosts: the words in backticks in their target tables.
pub(super) fn counterparts(context: &RuleContext<'_>) -> BTreeSet<String> {
    let stand_in = context.targets.iter().filter_map(|target| target.tools.get(QUESTION));
    stand_in.filter_map(|stand_in| stand_in.split('`').nth(1)).map(str::to_owned).collect()
}

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !prose::is_instructions(text) {
        return;
    }
    let body = text.body.slice(text.text);
    let Some(at) = body.find(QUESTION) else { return };
    let mut missing: Vec<String> = counterparts(context)
        .into_iter()
        .filter(|name| !body.contains(&format!("`{name}`")))
        .map(|name| format!("`{name}`"))
        .collect();
    if !prose::contains_any(body, &["numbered", "number", "numbers"]) {
        missing.push("numbered options for hosts without such a tool".to_owned());
    }
    if missing.is_empty() {
        return;
    }
    let span = Span::new(at, at + QUESTION.len()).shifted(text.body.start);
    let message =
        format!("`{QUESTION}` exists on one host only; the text does not name {}", missing.join(", "));
    sink.report(text.file, span, message).help = Some(
        "name the tool of each host, and say: where there is none, print numbered options and wait for the reply"
            .to_owned(),
    );
}
