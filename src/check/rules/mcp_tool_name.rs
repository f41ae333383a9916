//! The name of a tool of the plugin's own server lacks the plugin.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::check::tools;
use crate::diagnostic::{Applicability, Severity};
use crate::model::plugin::Plugin;
use crate::source::{SourceFile, Span};

pub(super) const RULE: Rule = Rule {
    name: "mcp-tool-name",
    group: RuleGroup::Correctness,
    severity: Severity::Warning,
    summary: "unknown tool: the name of a tool of the plugin's own server lacks the plugin",
    page: include_str!("mcp_tool_name.md"),
    check: RuleCheck::Plugin(check),
};

/// The prefix of the names of MCP tools.
const SERVER: &str = "mcp__";

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let servers: Vec<&str> = plugin.servers().map(|server| server.name.as_str()).collect();
    if servers.is_empty() || !context.for_source_host() || !plugin.is_declared() {
        return;
    }
    let hosts = context.source_host_of_several();
    let mut report =
        |file: &SourceFile, span: Span, message: String, (name, short): (&str, &str), full: String| {
            let found = sink.report(file, span, message);
            found.help = Some(format!("write `{}`", name.replacen(short, &full, 1)));
            let place = Span::new(span.start, span.start + short.len());
            found.fix = Some(replace(file, place, full, Applicability::Unsafe));
            found.hosts.clone_from(&hosts);
        };
    let files = plugin.author_files();
    for component in files.filter(|component| !context.is_for_another_host(&component.path)) {
        let Some((file, text)) = context.file(&component.path).and_then(|file| Some((file, file.text()?)))
        else {
            continue;
        };
        for entry in tools::entries(component, &tools::LISTS) {
            for tool in tools::listed_tools(text, &entry.node) {
                if let Some((short, full)) = full_prefix(plugin, &servers, tool.text) {
                    // All tools of a server have one cause, so they have one message.
                    let name = format!("{short}__…");
                    let message = format!("no tool is called `{name}`: the server belongs to this plugin");
                    report(file, tool.span, message, (&name, &short), full);
                }
            }
        }
    }
    let mut last = None;
    for (other, hook) in plugin.hooks() {
        let (Some(file), Some(matcher)) = (context.file(&other.path), &hook.matcher) else { continue };
        if last.replace(&hook.group) == Some(&hook.group) {
            continue;
        }
        let Some(at) = matcher.text.find(SERVER) else { continue };
        let begins = matcher.text[..at].ends_with(['|', '(', '^']) || at == 0;
        let Some((short, full)) = full_prefix(plugin, &servers, &matcher.text[at..]).filter(|_| begins)
        else {
            continue;
        };
        // A wildcard before it matches the full name as well.
        let Some(start) = matcher.span.slice(file.text().unwrap_or_default()).find(&short) else { continue };
        let span = Span::new(matcher.span.start + start, matcher.span.start + start + short.len());
        let message = format!("`{}` never matches: the server belongs to this plugin", matcher.text);
        report(file, span, message, (&matcher.text, &short), full);
    }
}

/// The prefix of `name` that names a server of the plugin, and the correct prefix.
fn full_prefix(plugin: &Plugin, servers: &[&str], name: &str) -> Option<(String, String)> {
    let inner = name.strip_prefix(SERVER)?;
    let server = servers
        .iter()
        .find(|server| inner.strip_prefix(**server).is_some_and(|rest| rest.starts_with("__")))?;
    let part = |text: &str| text.replace(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'), "_");
    Some((format!("{SERVER}{server}"), format!("{SERVER}plugin_{}_{}", part(&plugin.name), part(server))))
}
