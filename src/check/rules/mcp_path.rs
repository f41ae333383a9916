//! The file of a server is relative to a folder in which the source host does not start it.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::runnable::{self, RunnableText, TextRole};
use crate::check::shell::base;
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::{OtherBody, OtherComponent, Plugin};
use crate::read::path_words::is_path_char;
use crate::read::shell_names::is_interpreter;
use crate::read::tree::Node;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "mcp-path",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "an MCP server finds its file only from the plugin's folder, but does not start there",
    page: include_str!("mcp_path.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    if !context.for_source_host() || !context.checks().servers_start_in_project {
        return;
    }
    let root = &context.targets.source().plugin_root;
    let mut told = BTreeSet::new();
    for ran in runnable::servers(context, plugin) {
        let folder = working_folder(&ran, root);
        let Some(path) = relative(context, plugin, &ran, &folder) else { continue };
        let message = format!("`{}` is looked for in the user's project, not in the plugin", ran.text);
        let found = sink.report(ran.file, ran.place(Span::new(0, ran.text.len())), message);
        let ignored = if folder.as_str().is_empty() { "" } else { "; the host ignores `cwd`" };
        found.help = Some(format!("write `${{{root}}}/{}`{ignored}", plugin.relative_path(&path)));
        found.hosts = context.source_host_of_several();
        told.insert(&ran.other.pointer);
    }
    for other in plugin.others.iter().filter(|other| !told.contains(&other.pointer)) {
        check_folder(context, plugin, other, sink);
    }
}

/// Programs that look for a package in their working directory.
const MANAGERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// Programs that start what they fetch, wherever they run.
const FETCHING: [&str; 7] = ["bunx", "docker", "npx", "pipx", "pnpx", "podman", "uvx"];

/// Reports a server whose program looks for something in the folder of the plugin that `cwd` names.
fn check_folder(context: &RuleContext<'_>, plugin: &Plugin, other: &OtherComponent, sink: &mut FindingSink) {
    let root = &context.targets.source().plugin_root;
    let (OtherBody::Server(server), Some(file)) = (&other.body, context.file(&other.path)) else { return };
    let Some((cwd, written)) = server.node.get("cwd").and_then(|cwd| Some((cwd, cwd.as_str()?))) else {
        return;
    };
    let command = server.node.get("command").and_then(Node::as_str).unwrap_or_default();
    let args = server.node.get("args").and_then(Node::items).unwrap_or_default();
    let args: Vec<&str> = args.iter().filter_map(Node::as_str).collect();
    let inner = written.strip_prefix(&format!("${{{root}}}")).or_else(|| written.strip_prefix("."));
    let Some(inner) = inner.map(|inner| inner.trim_matches('/')) else { return };
    let folder = plugin.root.join(inner);
    let is_there = context.project.tree.has_folder(&folder);
    // A relative folder may belong to the user's project.
    if written.starts_with('.') && !inner.is_empty() && !is_there {
        return;
    }
    let starts_package = MANAGERS.contains(&command) && matches!(args.first(), Some(&("start" | "run")));
    let is_module = |name: &str| {
        let path = folder.join(name.replace('.', "/"));
        context.file(format!("{path}.py")).is_some() || context.project.tree.has_folder(&path)
    };
    let starts_module =
        is_interpreter(base(command)) && args.windows(2).any(|pair| pair[0] == "-m" && is_module(pair[1]));
    // What names the plugin's folder finds its file from anywhere.
    let is_anywhere = || args.iter().chain([&command]).any(|text| text.contains(root.as_str()));
    let is_local = || !inner.is_empty() && is_there && !FETCHING.contains(&base(command)) && !is_anywhere();
    if !starts_package && !starts_module && !is_local() {
        return;
    }
    let found =
        sink.report(file, cwd.span, "the host ignores `cwd` and starts the server in the user's project");
    found.help = Some(format!("start it by its file, such as `node ${{{root}}}/…`"));
    found.hosts = context.source_host_of_several();
}

/// The folder of the plugin that `cwd` names, even if the host ignores it.
fn working_folder(ran: &RunnableText<'_>, root: &str) -> Utf8PathBuf {
    let OtherBody::Server(server) = &ran.other.body else { return Utf8PathBuf::new() };
    let written = server.node.get("cwd").and_then(Node::as_str).unwrap_or_default();
    let inner = written.strip_prefix(&format!("${{{root}}}")).unwrap_or(written);
    let inner = inner.trim_matches('/').trim_start_matches("./");
    Utf8PathBuf::from(if inner == "." { "" } else { inner })
}

/// The plugin's file that a relative argument of the server resolves to.
fn relative(
    context: &RuleContext<'_>,
    plugin: &Plugin,
    ran: &RunnableText<'_>,
    folder: &Utf8Path,
) -> Option<Utf8PathBuf> {
    let word = ran.text.strip_prefix("./").unwrap_or(ran.text);
    let named = ran.role == TextRole::Argument || ran.role == TextRole::Program && ran.text.contains('/');
    let plain = word.chars().all(|c| is_path_char(c) || c == ' ');
    if !named || !plain || word.starts_with(['/', '-']) || !word.contains('.') {
        return None;
    }
    let path = plugin.root.join(folder).join(word);
    context.file(&path).is_some().then_some(path)
}
