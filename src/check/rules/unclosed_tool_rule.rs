//! A rule in a list of tools has unbalanced parentheses, so the host ignores it.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::check::tools;
use crate::diagnostic::Severity;
use crate::model::component::{Component, tool_list, tool_parts};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "unclosed-tool-rule",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a rule in a list of tools has no closing parenthesis and is ignored",
    page: include_str!("unclosed_tool_rule.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    if context.is_for_another_host(&component.path) {
        return;
    }
    for entry in tools::entries(component, &tools::LISTS) {
        for tool in tool_list(&entry.node) {
            // An unclosed rule swallows the next one.
            let is_even = tool.matches('(').count() <= tool.matches(')').count();
            if tool_parts(&tool).is_some() && is_even || !tool.contains('(') {
                continue;
            }
            let whole = entry.node.span;
            let at = whole.slice(text.text).find(&tool);
            let span = at.map_or(whole, |at| Span::new(whole.start + at, whole.start + at + tool.len()));
            let message = format!("invalid tool rule `{tool}`: its parentheses are unbalanced");
            let found = sink.report(text.file, span, message);
            found.help = Some("close it at its end, as in `Bash(git status *)`".to_owned());
            found.hosts = context.source_host_of_several();
        }
    }
}
