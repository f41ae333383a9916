//! A question offers more options than question tools show.

use super::question_fallback;
use crate::check::context::{PluginText, RuleContext};
use crate::check::prose::{self, passages};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "question-options",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "a question to the user has more than four options",
    page: include_str!("question_options.md"),
    check: RuleCheck::Text(check),
};

const MOST: usize = 4;

/// Words of a sentence that asks the user.
const ASKING_WORDS: [&str; 6] = ["ask", "asks", "offer", "question tool", "let the user choose", "present"];

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !prose::is_instructions(text) {
        return;
    }
    let tools = question_fallback::counterparts(context);
    let all = passages(text);
    for (at, passage) in all.iter().enumerate() {
        let passage_text = passage.span.slice(text.text);
        let named = passage_text.contains(question_fallback::QUESTION)
            || tools.iter().any(|tool| passage_text.contains(&format!("`{tool}`")));
        let asks = prose::contains_any(passage_text, &ASKING_WORDS)
            && prose::contains_any(passage_text, &["option", "options", "choices"]);
        if passage.item || passage.code || !(named || asks) || !passage_text.ends_with(':') {
            continue;
        }
        let column = |start: usize| text.file.position(start).column;
        let mut items = all[at + 1..].iter().take_while(|next| next.item || column(next.span.start) > 3);
        let first = items.clone().next().map(|item| column(item.span.start));
        let options: Vec<_> =
            items.by_ref().filter(|item| item.item && Some(column(item.span.start)) == first).collect();
        let Some(fifth) = options.get(MOST) else { continue };
        let message =
            format!("the question has {} options; question tools show at most {MOST}", options.len());
        sink.report(text.file, fifth.span, message).help =
            Some("merge options, or ask in two steps".to_owned());
    }
}
