//! A variable in the configuration of a server that nothing replaces.

use std::collections::BTreeSet;

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::runnable::{self, RunnableText, TextRole};
use crate::check::shell::base;
use crate::check::sink::FindingSink;
use crate::check::variables::{self, VariableNotation, WrittenVariable};
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
    let mut out: Vec<(Span, String, String)> = variables::find(ran.text)
        .into_iter()
        .filter_map(|variable| {
            let (message, help) = unreplaced(context, ran, &variable)?;
            Some((variable.span, message, help))
        })
        .collect();
    let reported: BTreeSet<usize> = out.iter().map(|(span, ..)| span.start).collect();
    out.extend(dollar_faults(context, ran).into_iter().filter(|(span, ..)| !reported.contains(&span.start)));
    out
}

/// Names of folders in the configuration of other programs, and whether it is the program's own folder rather than the
/// user's project.
const OTHER_FOLDERS: [(&str, bool); 4] =
    [("__dirname", true), ("extensionPath", true), ("workspaceFolder", false), ("workspaceRoot", false)];

/// What is wrong with a variable in the form of another program or with a name that nothing sets, and what to write.
fn unreplaced(
    context: &RuleContext<'_>,
    ran: &RunnableText<'_>,
    variable: &WrittenVariable<'_>,
) -> Option<(String, String)> {
    let source = context.targets.source();
    let (name, written) = (variable.name, variable.span.slice(ran.text));
    let kept = format!("`{written}` is not replaced here");
    let meant = variable
        .intended_folder([&source.plugin_root, &source.skill_folder])
        .filter(|_| !source.variables.iter().any(|known| known == name) || name == source.plugin_root);
    match variable.form {
        VariableNotation::Source("input") => {
            let key = format!("{}{name}", source.user_config);
            Some((kept, format!("write `${{{key}}}`, and declare `{name}` in `userConfig`")))
        }
        VariableNotation::Source(_) => Some((kept, format!("write `${{{name}}}`"))),
        VariableNotation::Default(default) if name == source.plugin_root => {
            let message = format!("the default `{default}` of `{name}` is always used here");
            context.for_source_host().then(|| (message, format!("write `${{{name}}}`")))
        }
        VariableNotation::Bare if is_word(ran.text, variable) => Some((kept, format!("write `${{{name}}}`"))),
        VariableNotation::Bare | VariableNotation::Default(_) => None,
        VariableNotation::Braces => {
            let near = meant.filter(|meant| *meant != name)?;
            Some((format!("nothing sets `{name}`"), format!("did you mean `${{{near}}}`?")))
        }
        _ => Some((kept, format!("write `${{{}}}`", meant?))),
    }
}

/// Whether a variable begins a text or a word of it, and only a path follows: any other dollar sign may be part of a
/// value.
fn is_word(text: &str, variable: &WrittenVariable<'_>) -> bool {
    let (before, after) = (&text[..variable.span.start], &text[variable.span.end..]);
    let is_constant = !variable.name.contains(|c: char| c.is_ascii_lowercase());
    is_constant
        && (before.is_empty() || before.ends_with(' '))
        && (after.is_empty() || after.starts_with(['/', ' ']))
}

/// Dollar signs with a brace that is missing, misspelt names, and names of folders of other programs.
fn dollar_faults(context: &RuleContext<'_>, ran: &RunnableText<'_>) -> Vec<(Span, String, String)> {
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
        let begins = at == 0 || text[..at].ends_with('=');
        let folder = OTHER_FOLDERS.iter().find(|(folder, _)| *folder == name && braced && begins);
        if name.is_empty() {
            continue;
        } else if braced && !after.contains('}') {
            let message = format!("`${{{name}` has no `}}`");
            out.push((span, message, format!("write `${{{name}}}`")));
        } else if let Some((_, is_own)) = folder {
            let help = match is_own {
                true => format!("write `${{{}}}`", source.plugin_root),
                false => "write a relative path: the server starts in the user's project".to_owned(),
            };
            out.push((span, format!("`${{{name}}}` is not replaced here"), help));
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
