//! A server runs a file that is not installed with the plugin.

use camino::{Utf8Path, Utf8PathBuf};

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::runnable::{self, RunnableText, TextRole};
use crate::check::shell::base;
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::paths;
use crate::model::plugin::{OtherBody, Plugin};
use crate::read::path_words::is_path_char;
use crate::read::shell_names::{is_interpreter, is_shell};
use crate::read::tree::Node;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "server-file",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "an MCP server runs a file that the plugin does not ship",
    page: include_str!("server_file.md"),
    check: RuleCheck::Plugin(check),
};

/// Events whose hooks may build what a server needs.
const EARLY_EVENTS: [&str; 2] = ["SessionStart", "Setup"];

/// What Windows adds to the name of a program.
const WINDOWS: [&str; 3] = ["exe", "cmd", "bat"];

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let root = &context.targets.source().plugin_root;
    let prepared = plugin.hooks().any(|(_, hook)| EARLY_EVENTS.contains(&hook.event.as_str()));
    for ran in runnable::servers(context, plugin) {
        if !matches!(ran.role, TextRole::Program | TextRole::Argument) || prepared {
            continue;
        }
        let own = ran.own_paths(root).into_iter().filter(runnable::OwnPath::is_plain);
        let own = own.filter_map(|path| Some((path.path_below(&plugin.root)?, path.span)));
        for (inside, span) in own.chain(relative_program(context, plugin, &ran)) {
            let file = inside.file_name().is_some_and(|name| name.contains('.')) || is_started(&ran, span);
            let there = context.file(&inside).is_some()
                || context.project.tree.has_folder(&inside)
                || WINDOWS.iter().any(|ending| context.file(format!("{inside}.{ending}")).is_some());
            if there || !file || plugin.runtime.claims(plugin.relative_path(&inside)) {
                continue;
            }
            let inner = plugin.relative_path(&inside);
            let ignored = is_left_out(context, plugin, &inside);
            let message = if ignored {
                format!(
                    "the server runs `{inner}`, which git ignores, so users who install the plugin do not get it"
                )
            } else {
                format!("the server runs a missing file `{inner}`")
            };
            let found = sink.report(ran.file, ran.place(span), message);
            let near = paths::nearest_path(&inside, plugin.files.kept.iter().map(|path| path.as_path()));
            let near = near.map(|near| format!("did you mean `{}`?", plugin.relative_path(near)));
            found.help = Some(match (ignored, near) {
                (true, _) => "commit the file; `[build] include` adds it to bundles alone".to_owned(),
                (false, Some(near)) => near,
                (false, None) => "add the file, or fix the path".to_owned(),
            });
        }
    }
}

/// The program of a server without `cwd`, if it is a relative path in a folder that the plugin has: such a path is meant
/// to lead into the plugin.
fn relative_program(
    context: &RuleContext<'_>,
    plugin: &Plugin,
    ran: &RunnableText<'_>,
) -> Option<(Utf8PathBuf, Span)> {
    let OtherBody::Server(server) = &ran.other.body else { return None };
    let inner = ran.text.strip_prefix("./").filter(|inner| inner.chars().all(is_path_char))?;
    let folder = inner.rsplit_once('/').map(|(folder, _)| plugin.root.join(folder))?;
    let is_program = ran.role == TextRole::Program && server.node.get("cwd").is_none();
    (is_program && context.project.tree.has_folder(&folder))
        .then(|| (plugin.root.join(inner), Span::new(0, ran.text.len())))
}

/// Whether the path at `span` is all of the program, or of the script that an interpreter gets; any other path may be
/// a folder that the server makes.
fn is_started(ran: &RunnableText<'_>, span: Span) -> bool {
    let OtherBody::Server(server) = &ran.other.body else { return false };
    let command = server.node.get("command").and_then(Node::as_str).unwrap_or_default();
    let mut args = server.node.get("args").and_then(Node::items).unwrap_or_default().iter();
    let mut script = || args.find_map(|arg| arg.as_str().filter(|arg| !arg.starts_with('-')));
    let program = base(command);
    let runs_script = is_shell(program) || is_interpreter(program);
    let is_first = ran.role == TextRole::Program || runs_script && script() == Some(ran.text);
    is_first && span == Span::new(0, ran.text.len())
}

/// Whether it is in an excluded folder.
fn is_left_out(context: &RuleContext<'_>, plugin: &Plugin, path: &Utf8Path) -> bool {
    let left = plugin.files.left_out.iter().chain(&context.project.tree.exclusions);
    left.into_iter().any(|excluded| path.starts_with(&excluded.path))
}
