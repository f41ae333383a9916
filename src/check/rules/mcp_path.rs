//! The file of a server is relative to a folder in which a host does not start it.

use std::collections::BTreeSet;
use std::ptr;

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
use crate::target::{ServerFolder, Target};

pub(super) const RULE: Rule = Rule {
    name: "mcp-path",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "an MCP server finds its file only from the plugin's folder, but does not start there",
    page: include_str!("mcp_path.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let root = &context.targets.source().plugin_root;
    let mut told = BTreeSet::new();
    let texts = runnable::servers(context, plugin);
    let names_root = texts.iter().filter(|text| text.text.contains(root.as_str()));
    let names_root: BTreeSet<_> = names_root.map(|text| ptr::from_ref(text.other)).collect();
    for (at, ran) in texts.iter().enumerate() {
        let before = texts[..at].last().filter(|before| ptr::eq(before.other, ran.other));
        let folder = working_folder(ran, root);
        let option = before.map(|before| before.text).unwrap_or_default();
        let Some((span, path)) = relative(context, plugin, ran, option, &folder) else { continue };
        let names_root = names_root.contains(&ptr::from_ref(ran.other));
        let hosts = context.hosts_that(|host| looks_elsewhere(host, ran.other, names_root));
        if hosts.is_empty() {
            continue;
        }
        let written = span.slice(ran.text);
        let message = format!("`{written}` is looked for in the user's project, not in the plugin");
        let found = sink.report(ran.file, ran.place(span), message);
        let ignored = if folder.as_str().is_empty() { "" } else { "; the host ignores `cwd`" };
        found.help = Some(format!("write `${{{root}}}/{}`{ignored}", plugin.relative_path(&path)));
        found.hosts = hosts;
        told.insert(&ran.other.pointer);
    }
    for other in plugin.others.iter().filter(|other| !told.contains(&other.pointer)) {
        check_folder(context, plugin, other, sink);
    }
}

/// Whether the host looks for a relative path of the server somewhere else than in the plugin; `names_root` says
/// whether the server names the plugin's folder.
fn looks_elsewhere(host: &Target, server: &OtherComponent, names_root: bool) -> bool {
    let has_folder = matches!(&server.body, OtherBody::Server(server) if server.node.get("cwd").is_some());
    match host.checks.server_folder {
        Some(ServerFolder::Project) => true,
        Some(ServerFolder::Cwd) => !has_folder && !names_root,
        None => false,
    }
}

/// Options that name the folder in which a program starts.
const FOLDER_OPTIONS: [&str; 5] = ["--directory", "--project", "--prefix", "--cwd", "-C"];

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
    let hosts = context.hosts_that(|host| host.checks.server_folder == Some(ServerFolder::Project));
    if hosts.is_empty() || !starts_package && !starts_module && !is_local() {
        return;
    }
    let found =
        sink.report(file, cwd.span, "the host ignores `cwd` and starts the server in the user's project");
    found.help = Some(format!("start it by its file, such as `node ${{{root}}}/…`"));
    found.hosts = hosts;
}

/// The folder of the plugin that `cwd` names, even if the host ignores it.
fn working_folder(ran: &RunnableText<'_>, root: &str) -> Utf8PathBuf {
    let OtherBody::Server(server) = &ran.other.body else { return Utf8PathBuf::new() };
    let written = server.node.get("cwd").and_then(Node::as_str).unwrap_or_default();
    let inner = written.strip_prefix(&format!("${{{root}}}")).unwrap_or(written);
    let inner = inner.trim_matches('/').trim_start_matches("./");
    Utf8PathBuf::from(if inner == "." { "" } else { inner })
}

/// The plugin's file, or the folder behind an option for folders, to which a relative path in the text leads, and the
/// span of the path; `before` is the text before it.
fn relative(
    context: &RuleContext<'_>,
    plugin: &Plugin,
    ran: &RunnableText<'_>,
    before: &str,
    folder: &Utf8Path,
) -> Option<(Span, Utf8PathBuf)> {
    let start = match ran.role {
        TextRole::Argument if ran.text.starts_with("--") => ran.text.find('=')? + 1,
        TextRole::Argument => 0,
        TextRole::Program if ran.text.contains('/') => 0,
        _ => return None,
    };
    let span = Span::new(start, ran.text.len());
    let written = span.slice(ran.text);
    let word = written.strip_prefix("./").unwrap_or(written);
    if word.is_empty() || word.starts_with(['/', '-']) || !word.chars().all(|c| is_path_char(c) || c == ' ') {
        return None;
    }
    let path = plugin.root.join(folder).join(word);
    // A word without a dot may be a command of the program.
    let is_named = ran.role == TextRole::Program || written.contains('.');
    let option = if start > 0 { &ran.text[..start - 1] } else { before };
    let names_folder = FOLDER_OPTIONS.contains(&option) && !is_fetched(ran);
    let is_there =
        is_named && context.file(&path).is_some() || names_folder && context.project.tree.has_folder(&path);
    is_there.then_some((span, path))
}

/// Whether the server's program fetches what it starts, so that the options may be those of the fetched program.
fn is_fetched(ran: &RunnableText<'_>) -> bool {
    let OtherBody::Server(server) = &ran.other.body else { return false };
    server.node.get("command").and_then(Node::as_str).is_some_and(|command| FETCHING.contains(&base(command)))
}
