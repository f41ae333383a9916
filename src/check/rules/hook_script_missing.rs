//! A hook refers to a missing file of the plugin.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::runnable::{self, RunnableText};
use crate::check::shell::{ShellWord, base};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::paths;
use crate::model::plugin::{LocationForm, Plugin};
use crate::read::path_words::is_path_char;
use crate::read::shell_names::{is_interpreter, is_shell};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "hook-script-missing",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a hook refers to a missing file of the plugin",
    page: include_str!("hook_script_missing.md"),
    check: RuleCheck::Plugin(check),
};

/// Programs that test for a file, or create it.
const LOOKING: [&str; 9] = ["test", "[", "[[", "mkdir", "touch", "rm", "tee", "chmod", "export"];

/// Programs that run the one behind them.
const WRAPPERS: [&str; 6] = ["sudo", "env", "exec", "time", "nice", "npx"];
/// Programs that build files with any arguments.
const COMPILERS: [&str; 3] = ["tsc", "make", "cmake"];
/// Programs that build files with one of `BUILD_VERBS`.
const BUILD_TOOLS: [&str; 8] = ["npm", "pnpm", "yarn", "bun", "cargo", "go", "deno", "dotnet"];
/// Arguments with which a program builds or installs files, or runs a script that may.
const BUILD_VERBS: [&str; 6] = ["build", "compile", "run", "install", "ci", "i"];

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    // Other files of a project were not read.
    let (variable, folder) = runnable::hook_folder(context, plugin);
    for ran in runnable::hooks(context, plugin) {
        if plugin.form == LocationForm::Project {
            of_a_plugin(context, &ran, sink);
        }
        let made = created_paths(&ran);
        let built_after = first_build(&ran);
        let named = ran.own_paths(variable);
        let named = named.iter().filter(|path| path.is_plain()).filter_map(|path| {
            let is_made = made.iter().any(|made| made == path.inner)
                || built_after.is_some_and(|end| path.span.start >= end);
            (!is_made).then(|| Some((path.path_below(folder)?, path.span)))?
        });
        let places: Vec<(Utf8PathBuf, Span)> =
            named.chain(started_in_folder(&ran, variable, folder)).collect();
        for (inside, span) in places.into_iter().filter(|(path, _)| path.starts_with(&plugin.root)) {
            if context.file(&inside).is_some()
                || context.project.tree.has_folder(&inside)
                || is_excluded(context, plugin, &inside)
            {
                continue;
            }
            let message = format!("the hook refers to a missing file `{}`", plugin.relative_path(&inside));
            let found = sink.report(ran.file, ran.place(span), message);
            let near = paths::nearest_path(&inside, plugin.files.kept.iter().map(|path| path.as_path()));
            let near = near
                .map(|near| plugin.relative_path(near))
                .map_or(String::new(), |near| format!("did you mean `{near}`? "));
            found.help = Some(format!("{near}fix the path, or add the file"));
        }
    }
}

/// Reports a hook of a project that uses the variable of a plugin's folder: hosts set it only for hooks of plugins, and
/// do not run other hooks that use it.
fn of_a_plugin(context: &RuleContext<'_>, ran: &RunnableText<'_>, sink: &mut FindingSink) {
    let written = format!("${{{}}}", context.targets.source().plugin_root);
    let Some(at) = ran.text.find(&written) else { return };
    let place = ran.place(Span::new(at, at + written.len()));
    let message = format!("the hook does not run: `{written}` is not set for hooks of a project");
    let help = format!("write `${}`, which is the folder of the project", context.checks().project_variable);
    sink.report(ran.file, place, message).help = Some(help);
}

/// The scripts that a command starts by a relative path right after `cd` to a folder of the plugin. What comes after
/// another command may be built by that.
fn started_in_folder(ran: &RunnableText<'_>, variable: &str, folder: &Utf8Path) -> Vec<(Utf8PathBuf, Span)> {
    let commands = ran.commands();
    let started = commands.windows(2).filter_map(|pair| {
        let [first, target] = pair[0].program(&[]) else { return None };
        let entered =
            matches!(first.text.as_str(), "cd" | "pushd").then(|| own_folder(&target.text, variable))??;
        let words = pair[1].program(&["exec", "env"]);
        let program = words.first()?;
        let runs = is_interpreter(base(&program.text)) || is_shell(base(&program.text));
        let script = if runs { words.get(1)? } else { program };
        let path = script.text.trim_start_matches("./");
        let is_relative = path.chars().all(is_path_char) && !path.starts_with(['/', '-', '.']);
        let is_file =
            path.rsplit('/').next().is_some_and(|name| name.contains('.')) && (runs || path != script.text);
        (is_relative && is_file).then(|| (folder.join(entered).join(path), script.span))
    });
    started.collect()
}

/// The folder of the plugin that a word of a command names as a whole, relative to the plugin's.
fn own_folder(word: &str, variable: &str) -> Option<Utf8PathBuf> {
    let paths = runnable::own_paths(word, variable);
    let [path] = paths.as_slice() else { return None };
    let is_whole = path.span == Span::new(0, word.len()) && (path.inner.is_empty() || path.is_plain());
    is_whole.then(|| path.path_below(Utf8Path::new("")))?
}

/// The paths that the text creates, or tests before it uses them.
fn created_paths(ran: &RunnableText<'_>) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for command in ran.commands() {
        let looks = command.program(&[]).first().is_some_and(|word| LOOKING.contains(&base(&word.text)));
        let words = if looks { command.words.as_slice() } else { &[] };
        for word in words.iter().chain(&command.redirects) {
            out.extend(word.text.split_once('/').map(|(_, path)| path.to_owned()));
        }
    }
    out
}

/// The end of the first command that builds or installs something; what later commands run may come from it.
fn first_build(ran: &RunnableText<'_>) -> Option<usize> {
    ran.commands()
        .iter()
        .find(|command| is_build(command.program(&WRAPPERS)))?
        .words
        .last()
        .map(|word| word.span.end)
}

/// Whether a command builds or installs something.
fn is_build(words: &[ShellWord]) -> bool {
    let Some((program, rest)) = words.split_first() else { return false };
    let program = base(&program.text);
    COMPILERS.contains(&program)
        || BUILD_TOOLS.contains(&program) && rest.iter().any(|word| BUILD_VERBS.contains(&word.text.as_str()))
}

/// Whether it is in an excluded folder: it may be generated before it is needed.
fn is_excluded(context: &RuleContext<'_>, plugin: &Plugin, path: &Utf8Path) -> bool {
    let left = plugin.files.left_out.iter().chain(&context.project.tree.exclusions);
    left.into_iter().any(|excluded| path.starts_with(&excluded.path) || excluded.path.starts_with(path))
}
