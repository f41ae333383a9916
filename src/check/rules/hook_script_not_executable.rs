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

/// Extensions by which other systems run files.
const OTHER_SYSTEMS: [&str; 4] = ["cmd", "bat", "ps1", "exe"];

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let (variable, folder) = runnable::hook_folder(context, plugin);
    for ran in runnable::hooks(context, plugin) {
        for path in programs(&ran, variable) {
            let Some(inside) = path.path_below(folder).filter(|_| path.is_plain()) else { continue };
            let elsewhere = inside.extension().is_some_and(|ending| OTHER_SYSTEMS.contains(&ending));
            let Some(file) = context.file(&inside).filter(|file| !file.executable && !elsewhere) else {
                continue;
            };
            let inner = plugin.relative_path(&file.path);
            let message = format!("the hook runs `{inner}`, which is not executable");
            let found = sink.report(ran.file, ran.place(path.span), message);
            found.help = Some(format!(
                "run `git update-index --chmod=+x {}`, or put its interpreter in front",
                file.path
            ));
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
