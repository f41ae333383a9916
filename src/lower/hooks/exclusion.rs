//! Matchers for all tools except some, `^(?!Read$|Glob$).*`, for hosts whose patterns cannot express that.

use super::server_pattern::SERVERS;
use crate::target::HookFacts;

/// Such a matcher on the host.
#[derive(Debug, PartialEq, Eq)]
pub enum ExclusionMatcher {
    /// The host has none of the excluded tools.
    Every,
    /// The names of all other tools.
    Names(Vec<String>),
}

/// Reads a matcher that leaves out tools of the source host by their names; `None` for any other matcher.
pub fn read(matcher: &str, facts: &HookFacts) -> Option<ExclusionMatcher> {
    let rest = matcher.trim().strip_prefix("^(?!")?;
    let end = closing_position(rest)?;
    let (inner, after) = (&rest[..end], &rest[end + 1..]);
    if !matches!(after, "" | ".*" | ".*$" | ".+" | ".+$") {
        return None;
    }
    let (inner, whole) = match inner.strip_suffix('$').filter(|inner| inner.ends_with(')')) {
        Some(group) => (group, true),
        None => (inner, false),
    };
    let bare = inner.strip_prefix("(?:").or_else(|| inner.strip_prefix('('));
    let inner = bare.and_then(|inner| inner.strip_suffix(')')).unwrap_or(inner);
    let mut left_out: Vec<&String> = Vec::new();
    for part in inner.split('|') {
        let name = part.strip_suffix('$');
        let exact = whole || name.is_some();
        let name = name.unwrap_or(part);
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
            return None;
        }
        let meant = facts
            .matchers
            .iter()
            .filter(|(tool, _)| if exact { tool.as_str() == name } else { tool.starts_with(name) });
        left_out.extend(meant.flat_map(|(_, names)| names));
    }
    if left_out.is_empty() {
        return Some(ExclusionMatcher::Every);
    }
    let mut names: Vec<String> = Vec::new();
    for name in facts.matchers.values().flatten().filter(|name| !left_out.contains(name)) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names.push(format!("{SERVERS}.*"));
    Some(ExclusionMatcher::Names(names))
}

/// The position where the group that `rest` begins in closes.
fn closing_position(rest: &str) -> Option<usize> {
    let mut depth = 1;
    rest.char_indices().find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Targets;

    fn parse(matcher: &str) -> Option<ExclusionMatcher> {
        let targets = Targets::embedded().expect("the targets load");
        let facts = targets.iter().filter_map(|target| target.hooks.as_ref());
        let facts = facts.into_iter().find(|facts| facts.pattern_loss.is_some());
        read(matcher, facts.expect("a host with its own patterns"))
    }

    #[test]
    fn what_the_host_has_not_leaves_every_tool() {
        for matcher in
            ["^(?!Read$|Glob$).*", "^(?!(Read|Glob)$).*", "^(?!(?:Read)).*$", "^(?!AskUserQuestion$)"]
        {
            assert_eq!(parse(matcher), Some(ExclusionMatcher::Every), "{matcher}");
        }
    }

    #[test]
    fn what_the_host_has_leaves_the_names_of_the_others() {
        let Some(ExclusionMatcher::Names(names)) = parse("^(?!(Bash|Read)$).*") else { panic!("no list") };
        assert!(!names.iter().any(|name| name == "Bash"), "{names:?}");
        assert!(
            names.iter().any(|name| name == "Write") && names.iter().any(|name| name == "mcp__.*"),
            "{names:?}"
        );
    }

    #[test]
    fn any_other_pattern_is_left_alone() {
        for matcher in [
            "Bash",
            "(?!Bash$).*",
            "^(?!mcp__x__).*",
            "^(?!Bash$)Write",
            "^(?!(Bash|Read)$|Edit).*",
            "^(?!Bash",
        ] {
            assert_eq!(parse(matcher), None, "{matcher}");
        }
    }
}
