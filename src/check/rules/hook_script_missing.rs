//! A hook refers to a missing file of the plugin.

use std::collections::BTreeSet;

use camino::Utf8Path;

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::runnable::{self, RunnableText};
use crate::check::shell::base;
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::paths;
use crate::model::plugin::{LocationForm, Plugin};
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

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    // Other files of a project were not read.
    let (variable, folder) = runnable::hook_folder(context, plugin);
    for ran in runnable::hooks(context, plugin) {
        if plugin.form == LocationForm::Project {
            of_a_plugin(context, &ran, sink);
        }
        let made = created_paths(&ran);
        for path in ran
            .own_paths(variable)
            .into_iter()
            .filter(|path| path.is_plain() && !made.iter().any(|made| made == path.inner))
        {
            let Some(inside) = path.path_below(folder).filter(|path| path.starts_with(&plugin.root)) else {
                continue;
            };
            if context.file(&inside).is_some()
                || context.project.tree.has_folder(&inside)
                || is_excluded(context, plugin, &inside)
            {
                continue;
            }
            let message = format!("the hook refers to a missing file `{}`", plugin.relative_path(&inside));
            let found = sink.report(ran.file, ran.place(path.span), message);
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

/// Whether it is in an excluded folder: it may be generated before it is needed.
fn is_excluded(context: &RuleContext<'_>, plugin: &Plugin, path: &Utf8Path) -> bool {
    let left = plugin.files.left_out.iter().chain(&context.project.tree.exclusions);
    left.into_iter().any(|excluded| path.starts_with(&excluded.path) || excluded.path.starts_with(path))
}
