//! The command of an MCP server is a command line, and hosts start one program.

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
    summary: "the `command` of an MCP server is a command line, not a program",
    page: include_str!("mcp_command.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let root = format!("${{{}}}/", context.targets.source().plugin_root);
    for ran in runnable::servers(context, plugin).into_iter().filter(|ran| ran.role == TextRole::Program) {
        let Some((program, rest)) = ran.text.trim().split_once(char::is_whitespace) else { continue };
        // A program may have a blank in its path; absolute paths are not checked.
        let own = ran.text.strip_prefix(&root).map(|inner| plugin.root.join(inner));
        let is_file = own.as_ref().is_some_and(|path| context.paths().contains(path));
        let elsewhere = program.contains(['/', '\\']) && !program.starts_with(&root);
        if is_file || elsewhere || rest.trim().is_empty() {
            continue;
        }
        let place = ran.place(Span::new(0, ran.text.len()));
        let found = sink.report(ran.file, place, format!("`command` is a command line: `{}`", ran.text));
        let words: Vec<String> = rest.split_whitespace().map(|word| format!("\"{word}\"")).collect();
        found.help = Some(format!("write `\"command\": \"{program}\", \"args\": [{}]`", words.join(", ")));
    }
}
