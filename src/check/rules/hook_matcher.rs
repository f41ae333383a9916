//! A matcher that is not a regular expression, or that matches no tool.

use super::unknown_tool::{is_tool_like, nearest_tool};
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
        if let Some(fault) = unmatched(context, matcher) {
            return Some(fault);
        }
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

/// The message and the help for a matcher none of whose alternatives is, or can be, the name of a tool. A pattern with
/// groups, classes or wildcards may match names that are unknown here.
fn unmatched(context: &RuleContext<'_>, matcher: &str) -> Option<(String, String)> {
    if matcher.contains(['(', '[', '{', '\\', '*', '?', ',']) {
        return None;
    }
    let bare = |name: &str| name.trim_start_matches('^').trim_end_matches('$').to_owned();
    let names: Vec<String> =
        matcher.split('|').map(|name| bare(name.trim())).filter(|name| !name.is_empty()).collect();
    let all = |is: &dyn Fn(&str) -> bool| !names.is_empty() && names.iter().all(|name| is(name));
    let impossible = |name: &str| !name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-+^$".contains(c));
    // As an expression, a name also matches a part of another one.
    let is_exact = self::names(matcher).is_some();
    let unknown = |name: &str| {
        is_exact
            && is_tool_like(name)
            && !context.tools().contains(&name)
            && nearest_tool(context, name).is_none()
    };
    if all(&unknown) {
        let known = context.tools();
        let begins = known.iter().filter(|tool| names[0].starts_with(**tool)).max_by_key(|tool| tool.len());
        let help = begins.map_or_else(
            || "write the name of a tool of the host, such as `Bash`".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        return Some((format!("unknown tool `{}`, so its hooks never run", names[0]), help));
    }
    if !all(&|name| impossible(name) || unknown(name)) {
        return None;
    }
    let first = names.iter().find(|name| impossible(name))?;
    let inner = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let slashed = first.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
    let help = match (slashed.filter(|name| inner(name)), first.strip_prefix('!')) {
        (Some(name), _) => format!("write `{name}`: slashes are a part of the pattern"),
        (_, Some(name)) if inner(name) => {
            format!("write `^(?!{name}$)` for every tool but `{name}`: `!` is a part of the pattern")
        }
        _ if first.split_whitespace().all(inner) => {
            format!("separate names by `|`: `{}`", first.split_whitespace().collect::<Vec<_>>().join("|"))
        }
        _ => "write a tool name, several separated by `|`, or a regular expression".to_owned(),
    };
    Some((format!("the matcher `{matcher}` matches the name of no tool, so its hooks never run"), help))
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
