//! A text searches or reads files with shell commands, although hosts have tools for that.

use crate::check::bash::ShellCommand;
use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::check::{prose, script};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "shell-exploration",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "a shell example searches or reads files that a host's own tools search and read",
    page: include_str!("shell_exploration.md"),
    check: RuleCheck::Text(check),
};

/// Commands and the tools that replace them.
const NATIVE: [(&str, &str); 9] = [
    ("find", "file search"),
    ("ls", "file search"),
    ("tree", "file search"),
    ("grep", "text search"),
    ("rg", "text search"),
    ("cat", "file reader"),
    ("head", "file reader"),
    ("tail", "file reader"),
    ("wc", "file reader"),
];

fn check(_: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !prose::is_instructions(text) {
        return;
    }
    for example in script::examples(text) {
        for command in example.script.commands.iter().filter(|command| explores(command)) {
            let name = command.words[0].as_str();
            let Some((_, tool)) = NATIVE.iter().find(|(known, _)| *known == name) else { continue };
            let found = sink.report(
                text.file,
                example.place(command.span),
                format!("`{name}` searches or reads files through the shell"),
            );
            found.help =
                Some(format!("say what to find and name the host's own {tool}, which needs no permission"));
        }
    }
}

/// Whether a command reads the project: not if it reads another's output or its own input, writes a file, or tests a
/// condition.
fn explores(command: &ShellCommand) -> bool {
    let known = command.words.first().is_some_and(|name| NATIVE.iter().any(|(known, _)| known == name));
    // `cat file | program` passes a file to a program.
    let hands_over = command.feeds && command.words.first().is_some_and(|name| name == "cat");
    known
        && !hands_over
        && !command.piped
        && !command.condition
        && command.redirects.iter().all(|redirect| redirect.descriptor == 2)
}
