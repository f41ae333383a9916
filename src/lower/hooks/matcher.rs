//! Rewrites matchers by the target's table: each alternative that is the name of a tool becomes the host's names for
//! it; a name that can never match is left out.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use regex_automata::meta::{BuildError, Regex};

use super::super::context::LoweringContext;
use crate::model::hook::Hook;
use crate::model::server;
use crate::source::Span;
use crate::target::HookFacts;

use super::exclusion::{self, ExclusionMatcher};
use super::server_pattern::{SERVERS, ServerPattern};

/// The outcome of a matcher.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LoweredMatcher {
    /// The matcher on the host; `None` for everything.
    pub text: Option<String>,
    /// Names that were left out.
    pub lost: Vec<String>,
    /// Whether nothing that could match remains.
    pub never: bool,
    /// Why the host refuses the matcher, and with it the hook.
    pub refused: Option<String>,
    /// What the new matcher expresses less precisely than the original.
    pub note: Option<String>,
}

/// The matchers of a plugin's hooks.
#[derive(Debug, Default)]
pub struct HookMatchers {
    /// Every server of the source, computed when a matcher is first rewritten.
    servers: Option<Vec<ServerPrefix>>,
    /// The positions of matchers that are already decided: handlers of one group share one matcher.
    places: BTreeSet<(Utf8PathBuf, Span)>,
}

impl HookMatchers {
    /// The matcher of `hook` on the host; `tool` is the only tool that the hook is for, if the host cannot check that
    /// itself.
    pub fn rewrite(
        &mut self,
        context: &LoweringContext<'_>,
        facts: &HookFacts,
        hook: &Hook,
        tool: Option<&str>,
    ) -> LoweredMatcher {
        let written = hook.matcher.as_ref().map(|matcher| matcher.text.as_str());
        let Some(written) = tool.or(written) else { return LoweredMatcher::default() };
        let mut out = self.rewritten(context, facts, hook, written);
        // The host does not read a list of names or `*` as a pattern.
        let is_name = |c: char| c.is_alphanumeric() || "_-|, ".contains(c);
        let is_pattern = |text: &&String| *text != "*" && !text.chars().all(is_name);
        if let Some(pattern) = out.text.as_ref().filter(is_pattern)
            && let Some(loss) = &facts.pattern_loss
            && let Err(error) = Regex::new(pattern)
        {
            out.refused = Some(format!("{loss}: {}", message_of(&error)));
        }
        out
    }

    fn rewritten(
        &mut self,
        context: &LoweringContext<'_>,
        facts: &HookFacts,
        hook: &Hook,
        written: &str,
    ) -> LoweredMatcher {
        if !context.source.tool_events.contains(&hook.event) {
            return LoweredMatcher { text: Some(written.to_owned()), ..LoweredMatcher::default() };
        }
        let servers = self.servers.get_or_insert_with(|| servers(context, facts.server_tools.as_deref()));
        match exclusion::read(written, facts).filter(|_| facts.pattern_loss.is_some()) {
            Some(ExclusionMatcher::Every) => LoweredMatcher::default(),
            Some(ExclusionMatcher::Names(names)) => {
                let note =
                    Some("its patterns cannot exclude names, so the other tools are listed".to_owned());
                LoweredMatcher { text: Some(names.join("|")), note, ..LoweredMatcher::default() }
            }
            None if facts.matchers.is_empty() => unchanged_matcher(written, servers),
            None => table(written, &context.source.tools, facts, servers),
        }
    }

    /// Whether the matcher at this position was not decided before.
    pub fn is_new(&mut self, path: &Utf8Path, span: Span) -> bool {
        self.places.insert((path.to_owned(), span))
    }
}

/// The parser's message for an invalid pattern.
fn message_of(error: &BuildError) -> String {
    let text = error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string);
    let last = text.lines().last().unwrap_or_default();
    last.trim().strip_prefix("error: ").unwrap_or(last).to_owned()
}

/// The prefix of the names of one server's tools.
#[derive(Debug)]
struct ServerPrefix {
    /// The server as it appears in such names.
    name: String,
    /// On the source host.
    ours: String,
    /// On the host.
    theirs: String,
    /// Whether the server is carried.
    carried: bool,
}

/// Every server of the source, those with the longest names first.
fn servers(context: &LoweringContext<'_>, form: Option<&str>) -> Vec<ServerPrefix> {
    let plugins = context.project.plugins.iter();
    let all = plugins.flat_map(|plugin| plugin.servers().map(move |other| (plugin, other)));
    let mut out: Vec<ServerPrefix> = all
        .map(|(plugin, other)| {
            let ours = server::tools_of(&plugin.name, &other.name);
            let dash = context.target.tool_dash();
            let theirs = form.map(|form| form.replace("{server}", &server::in_tool(&other.name, dash)));
            ServerPrefix {
                name: server::in_tool(&other.name, '-'),
                carried: context.lost_server(&ours).is_none(),
                theirs: theirs.unwrap_or_else(|| ours.clone()),
                ours,
            }
        })
        .collect();
    out.sort_by(|a, b| (b.ours.len(), &a.ours).cmp(&(a.ours.len(), &b.ours)));
    out
}

/// An alternative that matches tools of servers.
#[derive(Debug, Default)]
struct ServerAlternative {
    /// Its replacements on the host.
    kept: Vec<String>,
    /// The servers in it that the host does not get.
    lost: Vec<String>,
    /// Whether it may match a tool on a host that uses the source host's names.
    matches: bool,
}

/// The replacement of an alternative that names tools of the source's servers; `None` if it names none.
fn server_alternative(part: &str, servers: &[ServerPrefix]) -> Option<ServerAlternative> {
    if let Some(server) = servers.iter().find(|server| part.contains(&server.ours)) {
        let mut out = ServerAlternative { matches: server.carried, ..ServerAlternative::default() };
        match server.carried {
            true => out.kept.push(part.replacen(&server.ours, &server.theirs, 1)),
            false => out.lost.push(part.to_owned()),
        }
        return Some(out);
    }
    let begins = part.trim_start_matches('^');
    let of_plugins = begins.starts_with(server::ANY_PLUGIN);
    let is_pattern = !begins.trim_end_matches('$').chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    if !is_pattern || !part.contains(PLUGIN) && !begins.starts_with(SERVERS) {
        return of_plugins.then(ServerAlternative::default);
    }
    let pattern = ServerPattern::new(part);
    let mut out = ServerAlternative { matches: !of_plugins, ..ServerAlternative::default() };
    let mut kept = BTreeSet::new();
    for server in servers {
        let rests = pattern.remainders(&server.ours);
        if !server.carried {
            if !rests.is_empty() && (of_plugins || part.contains(PLUGIN)) && part.contains(&server.name) {
                out.lost.push(format!("{}.*", server.ours));
            }
            continue;
        }
        out.matches |= !rests.is_empty();
        let already = pattern.remainders(&server.theirs);
        kept.extend(rests.difference(&already).map(|rest| format!("{}{rest}", server.theirs)));
    }
    let start = if part.starts_with('^') { "^" } else { "" };
    // Servers that do not belong to a plugin have the same names on every host.
    out.kept.extend((!of_plugins).then(|| part.to_owned()));
    out.kept.extend(kept.into_iter().map(|name| format!("{start}{name}")));
    Some(out)
}

/// Part of such names if the server belongs to a plugin.
const PLUGIN: &str = "plugin_";

/// A matcher on a host that knows every name; names of servers that it does not get match nothing.
fn unchanged_matcher(text: &str, servers: &[ServerPrefix]) -> LoweredMatcher {
    if servers.iter().all(|server| server.carried) {
        return LoweredMatcher { text: Some(text.to_owned()), ..LoweredMatcher::default() };
    }
    let (mut lost, mut matches) = (Vec::new(), false);
    for part in alternatives(text) {
        let of = server_alternative(part, servers);
        matches |= of.as_ref().is_none_or(|of| of.matches || of.lost.is_empty());
        lost.extend(of.map(|of| of.lost).unwrap_or_default());
    }
    LoweredMatcher { never: !matches, text: Some(text.to_owned()), lost, ..LoweredMatcher::default() }
}

fn table(text: &str, tools: &[String], facts: &HookFacts, servers: &[ServerPrefix]) -> LoweredMatcher {
    let mut kept: Vec<String> = Vec::new();
    let mut lost = Vec::new();
    for part in alternatives(text) {
        let plain = part.trim_start_matches('^').trim_end_matches('$').trim();
        if let Some(names) = facts.matchers.get(plain) {
            kept.extend(names.iter().cloned());
        } else if tools.iter().any(|tool| tool == plain) {
            lost.push(plain.to_owned());
        } else if let Some(of) = facts.server_tools.as_ref().and_then(|_| server_alternative(part, servers)) {
            if of.kept.is_empty() && of.lost.is_empty() {
                lost.push(plain.to_owned());
            }
            kept.extend(of.kept);
            lost.extend(of.lost);
        } else {
            kept.push(part.to_owned());
        }
    }
    let mut known = BTreeSet::new();
    kept.retain(|name| known.insert(name.clone()));
    LoweredMatcher { never: kept.is_empty(), text: Some(kept.join("|")), lost, ..LoweredMatcher::default() }
}

/// Whether a matcher may match a tool: by its name, or by a pattern.
pub fn may_match(matcher: &str, tool: &str) -> bool {
    let plain = |part: &str| part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    let meant = |part: &str| {
        part == tool || !plain(part) && (!part.starts_with(SERVERS) || tool.starts_with(SERVERS))
    };
    alternatives(matcher).into_iter().any(meant)
}

/// The alternatives of a matcher at its top level, without a group around all of them. A list of names may use commas.
pub fn alternatives(text: &str) -> Vec<&str> {
    if text.chars().all(|c| c.is_alphanumeric() || "_-|, ".contains(c)) {
        return text.split(['|', ',']).map(str::trim).filter(|part| !part.is_empty()).collect();
    }
    let bare = text.trim().trim_start_matches('^').trim_end_matches('$');
    let plain = || bare.strip_prefix('(').filter(|inner| !inner.starts_with('?'));
    let inner = bare.strip_prefix("(?:").or_else(plain).and_then(|rest| rest.strip_suffix(')'));
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
        assert_eq!(alternatives("(?<tool>Bash)"), ["(?<tool>Bash)"]);
        assert_eq!(alternatives("Edit, Write"), ["Edit", "Write"]);
    }

    fn servers() -> Vec<ServerPrefix> {
        let server = |name: &str, carried| ServerPrefix {
            name: name.to_owned(),
            ours: format!("mcp__plugin_a_{name}__"),
            theirs: format!("mcp__{name}__"),
            carried,
        };
        vec![server("gone", false), server("x", true), server("y", true)]
    }

    #[test]
    fn where_names_stay_a_matcher_is_lost_with_all_of_its_servers_only() {
        let same = |text: &str| {
            let matched = unchanged_matcher(text, &servers());
            (matched.never, matched.lost.len())
        };
        assert_eq!(same("mcp__plugin_a_(x|gone)__.*"), (false, 1));
        assert_eq!(same("mcp__plugin_a_gone__get"), (true, 1));
        assert_eq!(same("mcp__plugin_a_gone__get|Bash"), (false, 1));
        assert_eq!(same("mcp__plugin_a_.*"), (false, 0));
    }

    #[test]
    fn a_group_of_servers_becomes_those_that_the_host_gets() {
        let of = |part: &str| {
            let of = server_alternative(part, &servers()).unwrap_or_default();
            (of.kept, of.lost)
        };
        let both = |rest: &str| [format!("mcp__x__{rest}"), format!("mcp__y__{rest}")].to_vec();
        assert_eq!(of("mcp__plugin_a_(x|y)__.*"), (both(".*"), vec![]));
        assert_eq!(
            of("^mcp__plugin_a_(x|gone)__get$"),
            (vec!["^mcp__x__get$".into()], vec!["mcp__plugin_a_gone__.*".into()])
        );
        assert_eq!(of("mcp__plugin_a_gone__get"), (vec![], vec!["mcp__plugin_a_gone__get".into()]));
        assert_eq!(of("mcp__plugin_.*"), (both(".*"), vec![]));
        assert_eq!(of("mcp__.*__get"), (vec!["mcp__.*__get".into()], vec![]));
        let (kept, _) = of("mcp__(plugin_a_x|other)__.*");
        assert_eq!(kept, ["mcp__(plugin_a_x|other)__.*", "mcp__x__.*"]);
        assert_eq!(of("mcp__plugin_b_(x|y)__.*"), (vec![], vec![]));
    }
}
