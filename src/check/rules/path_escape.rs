//! A hook or a server names a file outside its plugin by a path through the plugin's folder.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::runnable;
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;

pub(super) const RULE: Rule = Rule {
    name: "path-escape",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a hook or a server names a file outside its plugin",
    page: include_str!("path_escape.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let root = &context.targets.source().plugin_root;
    for ran in runnable::hooks(context, plugin).into_iter().chain(runnable::servers(context, plugin)) {
        for path in ran.own_paths(root).into_iter().filter(|path| path.path_below(&plugin.root).is_none()) {
            let message = "this path leaves the plugin, but only the plugin is installed";
            let found = sink.report(ran.file, ran.place(path.span), message);
            found.help = Some("move its target into the plugin".to_owned());
        }
    }
}
