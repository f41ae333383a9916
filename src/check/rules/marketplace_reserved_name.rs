//! A marketplace has a name that a host reserves.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::lower::reserved_names;

pub(super) const RULE: Rule = Rule {
    name: "marketplace-reserved-name",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a marketplace has a name that a host reserves",
    page: include_str!("marketplace_reserved_name.md"),
    check: RuleCheck::Project(check),
};

fn check(context: &RuleContext<'_>, sink: &mut FindingSink) {
    let Some(marketplace) = &context.project.marketplace else { return };
    let Some(file) = context.file(&marketplace.path) else { return };
    let Some(node) = marketplace.node.get("name") else { return };
    let Some(name) = node.as_str() else { return };
    for host in &context.hosts {
        let facts = host.marketplace.as_ref().filter(|facts| marketplace.path == facts.path);
        if !facts.is_some_and(|facts| reserved_names::is_reserved(facts, name, context.project)) {
            continue;
        }
        let (message, help) = reserved_names::wording(host, name);
        let found = sink.report(file, node.span, message);
        found.help = Some(help.to_owned());
        found.hosts = vec![host.name.clone()];
    }
}
