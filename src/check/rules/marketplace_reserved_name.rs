//! A marketplace has a name that a host reserves.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::read::tree::Node;

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
    let owner = marketplace.node.get("owner").and_then(|owner| owner.get("email")).and_then(Node::as_str);
    for host in &context.hosts {
        let Some(facts) = host.marketplace.as_ref().filter(|facts| marketplace.path == facts.path) else {
            continue;
        };
        let keeper = facts.reserved_for.as_deref();
        let own = owner.is_some_and(|email| keeper.is_some_and(|keeper| email.ends_with(keeper)));
        if own || !facts.reserved_names.iter().any(|reserved| reserved.eq_ignore_ascii_case(name)) {
            continue;
        }
        let message = format!("{} reserves the marketplace name `{name}`", host.host.title);
        let found = sink.report(file, node.span, message);
        found.help =
            Some("choose another name; the host refuses third-party marketplaces with this one".to_owned());
        found.hosts = vec![host.name.clone()];
    }
}
