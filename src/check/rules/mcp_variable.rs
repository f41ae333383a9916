//! A variable in the configuration of a server that nothing replaces.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::runnable::{self, RunnableText, TextRole};
use crate::check::shell::base;
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::{OtherBody, Plugin};
use crate::model::similar_names;
use crate::read::shell_names::is_shell;
use crate::read::tree::Node;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "mcp-variable",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a variable of a server is misspelt, or in a form that is not replaced",
    page: include_str!("mcp_variable.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    for ran in runnable::servers(context, plugin).into_iter().filter(|ran| !for_a_shell(ran)) {
        for (span, message, help) in faults(context, &ran) {
            sink.report(ran.file, ran.place(span), message).help = Some(help);
        }
    }
}

/// Whether a shell expands the variables that the host leaves.
fn for_a_shell(ran: &RunnableText<'_>) -> bool {
    let OtherBody::Server(server) = &ran.other.body else { return false };
    let command = server.node.get("command").and_then(Node::as_str).unwrap_or_default();
    ran.role == TextRole::Argument && (is_shell(base(command)) || is_windows_shell(base(command)))
}

/// Whether a program is a Windows shell.
fn is_windows_shell(program: &str) -> bool {
    matches!(program, "cmd" | "powershell" | "pwsh")
}

fn faults(context: &RuleContext<'_>, ran: &RunnableText<'_>) -> Vec<(Span, String, String)> {
    let source = context.targets.source();
    let (mut out, text) = (Vec::new(), ran.text);
    for (at, _) in text.match_indices('$') {
        let rest = &text[at + 1..];
        let braced = rest.starts_with('{');
        let word = rest.trim_start_matches('{');
        let length = word.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(word.len());
        let (name, after) = word.split_at(length);
        let span = Span::new(at, text.len() - after.len());
        let known = source.variables.iter().any(|variable| variable == name);
        if name.is_empty() {
            continue;
        } else if braced && !after.contains('}') {
            let message = format!("`${{{name}` has no `}}`");
            out.push((span, message, format!("write `${{{name}}}`")));
        } else if braced
            && !known
            && let Some(near) =
                similar_names::misspelt_name(name, source.variables.iter().map(String::as_str))
        {
            out.push((span, format!("nothing sets `{name}`"), format!("did you mean `${{{near}}}`?")));
        } else if !braced && (known && name == source.plugin_root || after.starts_with('}')) {
            out.push((span, format!("`${name}` is not replaced here"), format!("write `${{{name}}}`")));
        }
    }
    out
}
