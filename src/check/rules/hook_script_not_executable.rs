//! A hook directly runs a script that is not executable.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::runnable::{self, OwnPath, RunnableText, TextRole};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;

pub(super) const RULE: Rule = Rule {
    name: "hook-script-not-executable",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a hook runs a file directly that is not executable",
    page: include_str!("hook_script_not_executable.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let (variable, folder) = runnable::hook_folder(context, plugin);
    for ran in runnable::hooks(context, plugin) {
        for path in programs(&ran, variable) {
            let Some(file) = path.not_executable(context, folder) else { continue };
            let inner = plugin.relative_path(&file.path);
            let message = format!("the hook runs `{inner}`, which is not executable");
            let found = sink.report(ran.file, ran.place(path.span), message);
            found.help = Some(runnable::executable_help(file));
        }
    }
}

/// The plugin's own files that are run as programs.
fn programs<'r>(ran: &'r RunnableText<'_>, root: &str) -> Vec<OwnPath<'r>> {
    let paths = ran.own_paths(root);
    match ran.role {
        TextRole::Program => paths,
        TextRole::Shell => {
            let commands = ran.commands();
            let starts: Vec<_> =
                commands.iter().filter_map(|command| command.program(&["exec", "env"]).first()).collect();
            let is_program = |path: &OwnPath<'_>| {
                starts
                    .iter()
                    .any(|word| word.span.contains(path.span.start) && path.span.start <= word.span.start + 1)
            };
            paths.into_iter().filter(is_program).collect()
        }
        _ => Vec::new(),
    }
}
