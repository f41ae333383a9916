//! The command of an MCP server is a command line, and hosts start one program; or it is a file that is not executable.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::runnable::{self, TextRole};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "mcp-command",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "the `command` of an MCP server is not a program: a command line, or a file that is not executable",
    page: include_str!("mcp_command.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let variable = &context.targets.source().plugin_root;
    let root = format!("${{{variable}}}/");
    // A hook may make it executable before a server starts.
    let is_prepared = runnable::hooks(context, plugin).iter().any(|ran| ran.text.contains("chmod"));
    for ran in runnable::servers(context, plugin).into_iter().filter(|ran| ran.role == TextRole::Program) {
        let whole = Span::new(0, ran.text.len());
        let own_path = ran.own_paths(variable).into_iter().find(|path| path.span == whole);
        let file = own_path.and_then(|path| path.not_executable(context, &plugin.root));
        if let Some(file) = file.filter(|_| !is_prepared) {
            let inner = plugin.relative_path(&file.path);
            let message = format!("the server runs `{inner}`, which is not executable");
            let found = sink.report(ran.file, ran.place(whole), message);
            found.help = Some(runnable::executable_help(file));
        }
        let Some((program, rest)) = ran.text.trim().split_once(char::is_whitespace) else { continue };
        // A program may have a blank in its path; absolute paths are not checked.
        let own = ran.text.strip_prefix(&root).map(|inner| plugin.root.join(inner));
        let is_file = own.as_ref().is_some_and(|path| context.paths().contains(path));
        let in_plugin = |word: &str| {
            let inner = word.strip_prefix("./").unwrap_or(word);
            context.file(plugin.root.join(inner)).map_or(word.to_owned(), |_| format!("{root}{inner}"))
        };
        let started = if program.contains('/') { in_plugin(program) } else { program.to_owned() };
        let elsewhere = started.contains(['/', '\\']) && !started.starts_with(&root);
        if is_file || elsewhere || rest.trim().is_empty() {
            continue;
        }
        let place = ran.place(Span::new(0, ran.text.len()));
        let found = sink.report(ran.file, place, format!("`command` is a command line: `{}`", ran.text));
        let words: Vec<String> =
            rest.split_whitespace().map(|word| format!("\"{}\"", in_plugin(word))).collect();
        found.help = Some(format!("write `\"command\": \"{started}\", \"args\": [{}]`", words.join(", ")));
    }
}
