//! A plugin's name with characters that end the name of a skill or command where a user types it.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;

pub(super) const RULE: Rule = Rule {
    name: "untypable-plugin-name",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "a plugin's name has characters with which users of a host cannot type the names of its skills",
    page: include_str!("untypable_plugin_name.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let own =
        plugin.manifest.as_ref().and_then(|manifest| Some((&manifest.path, manifest.node.get("name")?)));
    let listing = context.project.marketplace.as_ref();
    let listed = || Some((&listing?.path, plugin.entry.as_ref()?.node.get("name")?));
    let Some((path, node)) = own.or_else(listed) else { return };
    let Some(file) = context.file(path) else { return };
    for host in &context.hosts {
        let Some(typed) = host.command.typed.map(|rule| rule.apply(&plugin.name)) else { continue };
        if typed == plugin.name {
            continue;
        }
        let message = format!(
            "users of {} cannot type the names of skills in `{}`: a name ends at the first character that is not an \
             ASCII letter, a digit, `_`, `-` or `:`",
            host.host.title, plugin.name
        );
        let found = sink.report(file, node.span, message);
        found.help = Some(format!("name the plugin `{typed}`; the model finds the skills under either name"));
        found.hosts = vec![host.name.clone()];
    }
}
