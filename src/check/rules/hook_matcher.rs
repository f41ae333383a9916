//! A matcher that is not a regular expression, or that matches no tool.

use super::unknown_tool::nearest_tool;
use crate::check::context::RuleContext;
use crate::check::expression;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::hook::Hook;
use crate::model::plugin::Plugin;
use crate::model::similar_names;

pub(super) const RULE: Rule = Rule {
    name: "hook-matcher",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a matcher is not a valid regular expression, or never matches",
    page: include_str!("hook_matcher.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let mut last = None;
    for (other, hook) in plugin.hooks() {
        let Some(file) = context.file(&other.path) else { continue };
        let Some(matcher) = &hook.matcher else { continue };
        // Handlers of one group share their matcher.
        if last.replace(&hook.group) == Some(&hook.group) {
            continue;
        }
        let Some((message, help)) = fault(context, hook, &matcher.text) else { continue };
        sink.report(file, matcher.span, message).help = Some(help);
    }
}

/// The message and the help for a wrong matcher of a hook.
fn fault(context: &RuleContext<'_>, hook: &Hook, matcher: &str) -> Option<(String, String)> {
    let facts = context.checks();
    let of_tools = facts.tool_events.contains(&hook.event);
    // A permission rule may also be an invalid expression, but that is not the cause.
    if of_tools {
        let (tool, rest) = matcher.trim().split_once('(').unwrap_or((matcher, ""));
        if rest.ends_with(')') && context.tools().contains(&tool) {
            let message =
                "the matcher is a permission rule, not a pattern of tool names; its hooks never run";
            return Some((
                message.to_owned(),
                format!("use the matcher `{tool}`, and write `\"if\": \"{matcher}\"` in the hook"),
            ));
        }
    }
    let names = names(matcher);
    if names.is_none()
        && let Some(why) = expression::rejection(matcher)
    {
        let help = "write a tool name, several separated by `|`, or a regular expression";
        return Some((format!("the matcher {why}, so its hooks never run"), help.to_owned()));
    }
    if of_tools {
        let names = names?;
        let right = |name: &str| context.tools().contains(&name) || nearest_tool(context, name).is_none();
        // `bash|Bash` is for several hosts.
        let (wrong, near) = names.iter().find_map(|name| {
            let near = nearest_tool(context, name).filter(|near| !names.contains(near))?;
            (!near.eq_ignore_ascii_case(name) || !names.iter().any(|name| right(name)))
                .then_some((*name, near))
        })?;
        return Some((format!("unknown tool `{wrong}`"), format!("did you mean `{near}`?")));
    }
    let known = facts.matcher_values.get(&hook.event)?;
    let names = names?;
    if names.is_empty() || names.iter().any(|name| known.iter().any(|value| value == name)) {
        return None;
    }
    let near = similar_names::nearest(names[0], known.iter().map(String::as_str));
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    let list: Vec<String> = known.iter().map(|value| format!("`{value}`")).collect();
    let message = format!("`{}` is never a value of `{}`", names.join("|"), hook.event);
    Some((message, format!("{near}possible values: {}", list.join(", "))))
}

/// The names in a matcher without regular expression syntax.
fn names(matcher: &str) -> Option<Vec<&str>> {
    // Anchors around a name change nothing.
    let bare =
        matcher.strip_prefix('^').and_then(|rest| rest.strip_suffix('$')).filter(|bare| !bare.contains('|'));
    let matcher = bare.unwrap_or(matcher);
    let plain = matcher.chars().all(|c| c.is_ascii_alphanumeric() || "_|, -".contains(c));
    plain.then(|| matcher.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty()).collect())
}
