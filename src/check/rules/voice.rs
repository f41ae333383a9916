//! A skill addresses its reader as "you".

use crate::check::context::{PluginText, RuleContext};
use crate::check::prose::{self, passages};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "voice",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "a skill says \"you\" where an instruction would do",
    page: include_str!("voice.md"),
    check: RuleCheck::Text(check),
};

const SECOND_PERSON: [&str; 5] = ["you", "your", "yours", "yourself", "yourselves"];

fn check(_: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    let skill = text.component.is_some_and(|component| component.kind == ComponentKind::Skill);
    if !skill || !prose::is_instructions(text) || is_prompt(text) {
        return;
    }
    let words = prose::words(text);
    for passage in passages(text).into_iter().filter(|passage| !passage.quoted && !passage.code) {
        let here = passage.span.slice(&words);
        let first = SECOND_PERSON.iter().filter_map(|word| prose::word_spans(here, word).next()).min();
        let Some(place) = first else { continue };
        let span: Span = place.shifted(passage.span.start);
        let quoted = span.slice(text.text).to_owned();
        sink.report(
            text.file,
            span,
            format!("`{quoted}` addresses the reader instead of giving an instruction"),
        )
        .help = Some("start the instruction with its verb, and write \"the user\" for the user".to_owned());
    }
}

/// Whether a reference is the prompt of an agent, which starts by saying who the agent is.
fn is_prompt(text: &PluginText<'_>) -> bool {
    let folder = |name: &str| matches!(name, "agents" | "personas" | "prompts");
    let lies =
        text.file.path.parent().is_some_and(|parent| parent.components().any(|part| folder(part.as_str())));
    let begins = |line: &str| line.trim_start_matches(['#', '>', '*', ' ']).starts_with("You are ");
    !text.main && (lies || text.body.slice(text.text).lines().any(begins))
}
