//! A hook calls a program of the plugin's `bin/` by its bare name.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::runnable::{self, TextRole};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::plugin::Plugin;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "hook-path",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a hook calls a program of `bin/` by its bare name",
    page: include_str!("hook_path.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let bin = plugin.root.join("bin");
    let own = |name: &str| !name.contains('/') && context.file(bin.join(name)).is_some();
    let root = &context.targets.source().plugin_root;
    for ran in runnable::hooks(context, plugin).into_iter().filter(|ran| !ran.text.contains("PATH=")) {
        let words: Vec<(String, Span)> = match ran.role {
            TextRole::Program => vec![(ran.text.to_owned(), Span::new(0, ran.text.len()))],
            TextRole::Shell => {
                let commands = ran.commands();
                let first = |command: &crate::check::shell::SimpleCommand| {
                    command.program(&["exec", "env"]).first().map(|word| (word.text.clone(), word.span))
                };
                commands.iter().filter_map(first).collect()
            }
            _ => Vec::new(),
        };
        for (name, span) in words.into_iter().filter(|(name, _)| own(name)) {
            let place = ran.place(span);
            let found = sink.report(ran.file, place, format!("`{name}` is not on the search path of hooks"));
            found.help = Some(format!("write `\"${{{root}}}/bin/{name}\"`"));
            let path = match ran.role {
                TextRole::Shell => format!("\\\"${{{root}}}/bin/{name}\\\""),
                _ => format!("${{{root}}}/bin/{name}"),
            };
            found.fix = Some(replace(ran.file, place, path, Applicability::Unsafe));
        }
    }
}
