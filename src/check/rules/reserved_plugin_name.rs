//! A plugin's name that a host reserves for its vendor's plugins.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;
use crate::read::tree::Node;
use crate::target::CheckFacts;

pub(super) const RULE: Rule = Rule {
    name: "reserved-plugin-name",
    group: RuleGroup::Correctness,
    severity: Severity::Warning,
    summary: "a plugin has a name that a host reserves for its vendor",
    page: include_str!("reserved_plugin_name.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let Some(manifest) = &plugin.manifest else { return };
    let (Some(file), Some(node)) = (context.file(&manifest.path), manifest.node.get("name")) else { return };
    let owner = context.project.marketplace.as_ref().and_then(|marketplace| marketplace.node.get("owner"));
    let people = [manifest.node.get("author"), owner];
    for host in &context.hosts {
        let keeper = host.marketplace.as_ref().and_then(|facts| facts.reserved_for.as_deref());
        let email = |who: &Node| who.get("email").and_then(Node::as_str).map(str::to_owned);
        let mut own = people.iter().copied().flatten().filter_map(email);
        if own.any(|email| keeper.is_some_and(|keeper| email.ends_with(keeper)))
            || !is_reserved(&host.checks, &plugin.name)
        {
            continue;
        }
        let message = format!("{} reserves the plugin name `{}`", host.host.title, plugin.name);
        let found = sink.report(file, node.span, message);
        found.help = Some("name it for what it does".to_owned());
        found.hosts = vec![host.name.clone()];
    }
}

fn is_reserved(facts: &CheckFacts, name: &str) -> bool {
    let name = name.to_lowercase();
    facts.reserved_plugins.contains(&name)
        || facts.reserved_plugin_prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()))
}
