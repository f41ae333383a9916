//! Matchers by the target's table: each alternative that is the name of a tool becomes the names that
//! the host has for it; a name that can never match is left out.

use std::collections::BTreeSet;

use super::super::Scene;
use crate::ledger::Row;
use crate::model::hook::Hook;
use crate::model::server;
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

/// The matchers of a plugin's hooks.
#[derive(Debug, Default)]
pub struct Matchers {
    /// Every server of the source, made when a matcher is first rewritten.
    servers: Option<Vec<Server>>,
    /// The rows that there are: handlers of one group share one matcher.
    rows: BTreeSet<String>,
}

impl Matchers {
    /// The matcher of `hook` on the host.
    pub fn rewrite(&mut self, scene: &Scene<'_>, facts: &HookFacts, hook: &Hook) -> Matched {
        let Some(written) = &hook.matcher else { return Matched::default() };
        if facts.matchers.is_empty() || !scene.source.tool_events.contains(&hook.event) {
            return Matched { text: Some(written.text.clone()), ..Matched::default() };
        }
        let form = facts.server_tools.as_deref();
        let servers =
            self.servers.get_or_insert_with(|| form.map_or_else(Vec::new, |form| servers(scene, form)));
        table(&written.text, &scene.source.tools, facts, servers)
    }

    /// Whether no row of a matcher was like this one.
    pub fn is_new(&mut self, row: &Row) -> bool {
        self.rows.insert(row.id.clone())
    }
}

/// How the names of one server's tools begin.
#[derive(Debug)]
struct Server {
    /// Those of all servers of its plugin, on the source host.
    plugin: String,
    /// Its own, on the source host.
    ours: String,
    /// Its own, on the host.
    theirs: String,
}

/// Every server of the source, those with the longest names first.
fn servers(scene: &Scene<'_>, form: &str) -> Vec<Server> {
    let plugins = scene.project.plugins.iter();
    let all = plugins.flat_map(|plugin| plugin.servers().map(move |other| (plugin, other)));
    let mut out: Vec<Server> = all
        .map(|(plugin, other)| Server {
            plugin: server::tools_of_all(&plugin.name),
            ours: server::tools_of(&plugin.name, &other.name),
            theirs: form.replace("{server}", &server::in_tool(&other.name, scene.target.tool_dash())),
        })
        .collect();
    out.sort_by(|a, b| (b.ours.len(), &a.ours).cmp(&(a.ours.len(), &b.ours)));
    out
}

/// What stands for an alternative that names tools of servers; `None` where it names none of them.
fn of_servers(part: &str, servers: &[Server]) -> Option<Vec<String>> {
    if !part.contains(server::ANY_PLUGIN) {
        return None;
    }
    if let Some(server) = servers.iter().find(|server| part.contains(&server.ours)) {
        return Some(vec![part.replacen(&server.ours, &server.theirs, 1)]);
    }
    // A pattern over all servers of a plugin.
    let open = |server: &&Server| {
        part.split_once(&server.plugin)
            .is_some_and(|(_, rest)| matches!(rest.trim_end_matches('$'), "" | ".*" | ".+"))
    };
    let all = servers.iter().filter(open);
    let named: Vec<String> = all.map(|server| format!("{}.*", server.theirs)).collect();
    (!named.is_empty()).then_some(named)
}

fn table(text: &str, tools: &[String], facts: &HookFacts, servers: &[Server]) -> Matched {
    let mut kept: Vec<String> = Vec::new();
    let mut lost = Vec::new();
    for part in alternatives(text) {
        let plain = part.trim_start_matches('^').trim_end_matches('$').trim();
        if let Some(names) = facts.matchers.get(plain) {
            kept.extend(names.iter().cloned());
        } else if tools.iter().any(|tool| tool == plain) {
            lost.push(plain.to_owned());
        } else if let Some(named) = of_servers(part, servers) {
            kept.extend(named);
        } else if facts.server_tools.is_some() && part.contains(server::ANY_PLUGIN) {
            lost.push(plain.to_owned());
        } else {
            kept.push(part.to_owned());
        }
    }
    let mut known = BTreeSet::new();
    kept.retain(|name| known.insert(name.clone()));
    Matched { never: kept.is_empty(), text: Some(kept.join("|")), lost }
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
