//! A hook calls a program of the plugin by the bare name of a file in `bin/`, by a path relative to the plugin's folder,
//! by a path with `\`, or by a variable in the form of another shell.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::runnable::{self, RunnableText, TextRole};
use crate::check::shell::{SimpleCommand, base};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::plugin::{LocationForm, Plugin};
use crate::read::path_words::{ends_in_command, is_path_char};
use crate::read::shell_names::{is_interpreter, is_shell};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "hook-path",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a hook calls a program of the plugin by a bare name, a relative path, or a path or variable of another shell",
    page: include_str!("hook_path.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let bin = plugin.root.join("bin");
    let bare = |name: &str| !name.contains('/') && context.file(bin.join(name)).is_some();
    // Hooks of a project start in its folder.
    let is_plugin = plugin.form == LocationForm::Plugin;
    let relative = |name: &str| {
        is_plugin
            && is_relative(name)
            && context.file(plugin.root.join(name.trim_start_matches("./"))).is_some()
    };
    let root = &context.targets.source().plugin_root;
    for ran in runnable::hooks(context, plugin).into_iter().filter(|ran| !ran.text.contains("PATH=")) {
        for (path, span) in backslashed(ran.text, root) {
            let plain = path.replace('\\', "/");
            if ran.role == TextRole::Shell && context.file(plugin.root.join(&plain)).is_some() {
                let place = ran.place(span);
                let message = format!("a shell does not read `{path}` as a path, as `\\` is an escape");
                let found = sink.report(ran.file, place, message);
                found.help = Some(format!("write `${{{root}}}/{plain}`"));
                found.fix =
                    Some(replace(ran.file, place, format!("${{{root}}}/{plain}"), Applicability::Unsafe));
            }
        }
        for span in percent_variables(&ran, root) {
            let place = ran.place(span);
            let message = format!("the shell of hooks does not replace `{}`", span.slice(ran.text));
            let found = sink.report(ran.file, place, message);
            found.help = Some(format!("write `${{{root}}}`"));
            found.fix = Some(replace(ran.file, place, format!("${{{root}}}"), Applicability::Unsafe));
        }
        let words: Vec<(String, Span)> = match ran.role {
            TextRole::Program => vec![(ran.text.to_owned(), Span::new(0, ran.text.len()))],
            TextRole::Shell => {
                let commands = ran.commands();
                // What follows `cd` is relative to another folder.
                let stays = !commands.iter().any(|command| {
                    command
                        .program(&[])
                        .first()
                        .is_some_and(|word| matches!(word.text.as_str(), "cd" | "pushd"))
                });
                let named = |command: &SimpleCommand| {
                    let words = command.program(&["exec", "env"]);
                    let run = words
                        .first()
                        .filter(|word| is_interpreter(base(&word.text)) || is_shell(base(&word.text)));
                    let script = run.and_then(|_| words.get(1)).filter(|word| word.text.contains('/'));
                    let word = script.or_else(|| words.first())?;
                    (stays || !word.text.contains('/')).then(|| (word.text.clone(), word.span))
                };
                commands.iter().filter_map(named).collect()
            }
            _ => Vec::new(),
        };
        for (name, span) in words.into_iter().filter(|(name, _)| bare(name) || relative(name)) {
            let place = ran.place(span);
            let (message, path) = match bare(&name) {
                true => (
                    format!("`{name}` is not on the search path of hooks"),
                    format!("${{{root}}}/bin/{name}"),
                ),
                false => (
                    format!("`{name}` is looked for in the user's project, not in the plugin"),
                    format!("${{{root}}}/{}", name.trim_start_matches("./")),
                ),
            };
            let found = sink.report(ran.file, place, message);
            found.help = Some(format!("write `\"{path}\"`"));
            let path = match ran.role {
                TextRole::Shell => format!("\\\"{path}\\\""),
                _ => path,
            };
            found.fix = Some(replace(ran.file, place, path, Applicability::Unsafe));
        }
    }
}

/// The paths that follow the variable `root` behind a `\`, with the spans of the variable and the path.
fn backslashed<'t>(text: &'t str, root: &str) -> Vec<(&'t str, Span)> {
    let written = format!("${{{root}}}\\");
    let ends = |c| ends_in_command(c) || c == '$';
    let path = |at: usize| {
        let rest = &text[at + written.len()..];
        let path = &rest[..rest.find(ends).unwrap_or(rest.len())];
        (path, Span::new(at, at + written.len() + path.len()))
    };
    text.match_indices(&written).map(|(at, _)| path(at)).collect()
}

/// Where a text for a POSIX shell names the variable `root` as the shell of Windows does, and starts no such shell.
fn percent_variables(ran: &RunnableText<'_>, root: &str) -> Vec<Span> {
    let starts_cmd = |command: &SimpleCommand| {
        let program = command.program(&["exec", "env"]).first().map(|word| base(&word.text).to_lowercase());
        program.is_some_and(|name| matches!(name.as_str(), "cmd" | "cmd.exe"))
    };
    let written = format!("%{root}%");
    if ran.role != TextRole::Shell || ran.commands().iter().any(starts_cmd) {
        return Vec::new();
    }
    ran.text.match_indices(&written).map(|(at, _)| Span::new(at, at + written.len())).collect()
}

/// Whether a word is a relative path to a file in a folder.
fn is_relative(word: &str) -> bool {
    let is_plain = word.chars().all(is_path_char);
    is_plain && word.contains('/') && !word.starts_with('/') && !word.contains("../")
}
