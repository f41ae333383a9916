//! A hook calls a program of the plugin by the bare name of a file in `bin/`, by a path relative to the plugin's folder,
//! by a path with `\`, or by a variable that nothing sets or that is in the form of another program.

use std::cell::LazyCell;
use std::collections::BTreeMap;

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::runnable::{self, RunnableText, TextRole};
use crate::check::shell::{SimpleCommand, base};
use crate::check::sink::{FindingSink, replace};
use crate::check::variables::{self, VariableNotation, WrittenVariable};
use crate::diagnostic::{Applicability, Severity};
use crate::model::plugin::{LocationForm, OtherBody, Plugin};
use crate::read::path_words::{ends_in_command, is_path_char};
use crate::read::shell_names::{is_interpreter, is_shell};
use crate::source::{Span, is_markdown};

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
        if is_plugin {
            report_variables(context, &ran, sink);
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

/// Reports variables that stand for the folder of the plugin but that nothing sets, or in a form that nothing replaces.
fn report_variables(context: &RuleContext<'_>, ran: &RunnableText<'_>, sink: &mut FindingSink) {
    let source = context.targets.source();
    let folders = [source.plugin_root.as_str(), source.skill_folder.as_str()];
    let starts_cmd = LazyCell::new(|| starts(ran, &["cmd", "cmd.exe"]));
    let starts_power_shell = LazyCell::new(|| starts(ran, &POWER_SHELLS));
    let mut set: BTreeMap<&str, bool> = BTreeMap::new();
    for variable in variables::find(ran.text) {
        let WrittenVariable { span, name, form } = variable;
        let Some(meant) = variable.intended_folder(folders) else { continue };
        let is_own = name == meant && matches!(form, VariableNotation::Bare | VariableNotation::Braces);
        let is_free = match form {
            // A default is used where nothing sets the variable.
            VariableNotation::Default(_) | VariableNotation::Source(_) => true,
            VariableNotation::Percent => ran.role != TextRole::Shell || *starts_cmd,
            VariableNotation::PowerShell => is_for_power_shell(ran) || *starts_power_shell,
            // A program in the command may fill it.
            VariableNotation::Template => !ran.text[span.end..].starts_with(['/', '"']),
            VariableNotation::Bare | VariableNotation::Braces => {
                is_own && (meant == source.plugin_root || is_of_skill(ran))
            }
            VariableNotation::Command => false,
        };
        if is_free || *set.entry(name).or_insert_with(|| variables::is_set(ran.text, name)) {
            continue;
        }
        // Another host may set a name without the usual beginning.
        let is_short = source.plugin_root.ends_with(&format!("_{name}"));
        if is_short && !context.for_source_host() {
            continue;
        }
        let written = span.slice(ran.text);
        let message = match form {
            VariableNotation::Bare | VariableNotation::Braces => format!("nothing sets `{name}` for hooks"),
            _ => format!("the shell of hooks does not replace `{written}`"),
        };
        let root = &source.plugin_root;
        let place = ran.place(span);
        let found = sink.report(ran.file, place, message);
        found.help = Some(format!("write `${{{root}}}`"));
        if is_short {
            found.hosts = context.source_host_of_several();
        }
        // Another folder needs another path behind it.
        if meant == source.plugin_root {
            found.fix = Some(replace(ran.file, place, format!("${{{root}}}"), Applicability::Unsafe));
        }
    }
}

/// Programs that read `$env:NAME`.
const POWER_SHELLS: [&str; 4] = ["powershell", "powershell.exe", "pwsh", "pwsh.exe"];

/// Whether a command of the text starts one of these programs.
fn starts(ran: &RunnableText<'_>, programs: &[&str]) -> bool {
    let starts = |command: &SimpleCommand| {
        let program = command.program(&["exec", "env"]).first().map(|word| base(&word.text).to_lowercase());
        program.is_some_and(|name| programs.contains(&name.as_str()))
    };
    ran.commands().iter().any(starts)
}

/// Whether the hook asks for PowerShell, or has a program with arguments, which may be that.
fn is_for_power_shell(ran: &RunnableText<'_>) -> bool {
    let OtherBody::Hook(hook) = &ran.other.body else { return false };
    ran.role != TextRole::Shell || hook.node.get("shell").is_some()
}

/// Whether the hook is declared in a skill, which has a folder.
fn is_of_skill(ran: &RunnableText<'_>) -> bool {
    is_markdown(&ran.file.path)
}

/// Whether a word is a relative path to a file in a folder.
fn is_relative(word: &str) -> bool {
    let is_plain = word.chars().all(is_path_char);
    is_plain && word.contains('/') && !word.starts_with('/') && !word.contains("../")
}
