//! Matchers by the target's table: each alternative that is the name of a tool becomes the names that
//! the host has for it; a name that can never match is left out.

use super::super::Scene;
use crate::model::hook::Hook;
use crate::target::HookFacts;

/// What became of a matcher.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// The matcher on the host; `None` for everything.
    pub text: Option<String>,
    /// Names that were left out.
    pub lost: Vec<String>,
    /// Nothing is left that could match.
    pub never: bool,
}

/// The matcher of `hook` on the host.
pub fn rewrite(scene: &Scene<'_>, facts: &HookFacts, hook: &Hook) -> Matched {
    let Some(written) = &hook.matcher else { return Matched::default() };
    if facts.matchers.is_empty() || !scene.source.tool_events.contains(&hook.event) {
        return Matched { text: Some(written.text.clone()), ..Matched::default() };
    }
    let own = scene
        .plugin
        .others
        .iter()
        .filter(|other| other.kind == "mcp-server")
        .map(|other| other.name.as_str());
    let servers: Vec<(String, String)> = own
        .filter_map(|server| {
            let theirs = facts.server_tools.as_ref()?.replace("{server}", &sanitized(server, true));
            Some((
                format!(
                    "mcp__plugin_{}_{}__",
                    sanitized(&scene.plugin.name, false),
                    sanitized(server, false)
                ),
                theirs,
            ))
        })
        .collect();
    table(&written.text, &scene.source.tools, facts, &servers)
}

/// A name as it stands in the name of a tool.
fn sanitized(name: &str, dashes: bool) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '_' || (c == '-' && !dashes) { c } else { '_' })
        .collect()
}

fn table(text: &str, tools: &[String], facts: &HookFacts, servers: &[(String, String)]) -> Matched {
    let mut kept: Vec<String> = Vec::new();
    let mut lost = Vec::new();
    for part in alternatives(text) {
        let plain = part.trim_start_matches('^').trim_end_matches('$').trim();
        if let Some(names) = facts.matchers.get(plain) {
            kept.extend(names.iter().cloned());
        } else if tools.iter().any(|tool| tool == plain) {
            lost.push(plain.to_owned());
        } else {
            let own =
                servers.iter().find_map(|(ours, theirs)| Some((ours, theirs, part.find(ours.as_str())?)));
            kept.push(match own {
                Some((ours, theirs, _)) => part.replacen(ours.as_str(), theirs, 1),
                None => part.to_owned(),
            });
        }
    }
    let mut unique: Vec<String> = Vec::new();
    for name in kept {
        if !unique.contains(&name) {
            unique.push(name);
        }
    }
    Matched { never: unique.is_empty(), text: Some(unique.join("|")), lost }
}

/// The alternatives of a matcher at its top level; a group around all of them falls away.
pub fn alternatives(text: &str) -> Vec<&str> {
    let bare = text.trim().trim_start_matches('^').trim_end_matches('$');
    let inner =
        bare.strip_prefix("(?:").or_else(|| bare.strip_prefix('(')).and_then(|rest| rest.strip_suffix(')'));
    let text = inner.filter(|inner| !inner.contains(['(', ')'])).unwrap_or(text);
    let (mut depth, mut start, mut out) = (0usize, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => {
                out.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    out.push(&text[start..]);
    out.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_alternatives_come_apart() {
        assert_eq!(alternatives("Edit|Write"), ["Edit", "Write"]);
        assert_eq!(alternatives("^(Edit|Write)$"), ["Edit", "Write"]);
        assert_eq!(alternatives("mcp__(a|b)__.*|Bash"), ["mcp__(a|b)__.*", "Bash"]);
        assert_eq!(alternatives("(?:Task | Read)"), ["Task", "Read"]);
    }
}
