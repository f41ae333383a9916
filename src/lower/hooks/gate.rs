//! The rule in `if` of a hook, such as `Bash(git push:*)`: which calls of which tool the hook is for. Only what is
//! known before a call is evaluated here.

use crate::model::hook::Hook;
use crate::read::tree::Node;
use crate::source_format::SourceFacts;

use super::matcher::may_match;

/// The parsed `if` of a hook.
#[derive(Debug, PartialEq, Eq)]
pub enum HookCondition<'a> {
    /// There is no `if`: the hook runs for everything that its matcher matches.
    Open,
    /// The source host never runs the hook, with the reason.
    Never(String),
    /// The hook runs for calls of one tool.
    Tool {
        /// Its name.
        name: &'a str,
        /// Whether the rule inspects the call's arguments.
        limited: bool,
    },
}

/// The condition of a hook.
pub fn condition<'a>(source: &SourceFacts, hook: &'a Hook) -> HookCondition<'a> {
    if hook.fills_shell() {
        let reason = "the source host never runs it: it does not fill `${user_config.…}` in a shell command";
        return HookCondition::Never(reason.to_owned());
    }
    let rule = hook.node.get("if").and_then(Node::as_str).unwrap_or_default();
    if rule.is_empty() {
        return HookCondition::Open;
    }
    if !source.tool_events.contains(&hook.event) {
        return HookCondition::Never(format!(
            "the source host never runs it: `if` is a rule about tools, but `{}` is not about a tool",
            hook.event
        ));
    }
    let (name, subject) = parts(rule);
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let limited = !matches!(subject, None | Some("" | "*"));
    if !is_name || limited && !source.rule_tools.iter().any(|tool| tool == name) {
        return HookCondition::Never(format!(
            "the source host never runs it: no call matches its `if`, `{rule}`"
        ));
    }
    let matcher = hook.matcher.as_ref().map(|matcher| matcher.text.as_str());
    // The dispatch tool has several names, which are equivalent.
    let is_dispatch = |tool: &str| source.dispatch_tools.iter().any(|dispatch| dispatch == tool);
    let covered = |matcher| {
        may_match(matcher, name)
            || is_dispatch(name) && source.dispatch_tools.iter().any(|tool| may_match(matcher, tool))
    };
    if matcher.is_some_and(|matcher| !covered(matcher)) {
        return HookCondition::Never(format!(
            "the source host never runs it: its `if` is about `{name}`, which its matcher does not match"
        ));
    }
    HookCondition::Tool { name, limited }
}

/// The tool of a rule, and the text in its parentheses.
fn parts(rule: &str) -> (&str, Option<&str>) {
    let inner = rule.strip_suffix(')').filter(|rest| !rest.ends_with('\\'));
    match inner.and_then(|inner| inner.split_once('(')) {
        Some((name, subject)) if !name.contains(')') => (name, Some(subject)),
        _ => (rule, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_a_tool_and_what_it_is_called_with() {
        assert_eq!(parts("Bash"), ("Bash", None));
        assert_eq!(parts("Bash(git push:*)"), ("Bash", Some("git push:*")));
        assert_eq!(parts("Bash()"), ("Bash", Some("")));
        assert_eq!(parts("Bash(git push:*) "), ("Bash(git push:*) ", None));
        assert_eq!(parts("Bash(a\\)"), ("Bash(a\\)", None));
    }
}
