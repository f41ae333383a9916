//! A manifest for another host that this host rejects.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;
use crate::read::json;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "host-manifest",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "the plugin's manifest for another host is broken, or its name differs from its entry",
    page: include_str!("host_manifest.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    for host in context.hosts.iter().filter(|host| host.source.is_none()) {
        let place = plugin.root.join(&host.manifest.path);
        let owned = host.host.owns.iter().any(|own| host.manifest.path.starts_with(own.as_str()));
        let Some(file) = context.file(&place).filter(|_| owned) else { continue };
        let Some(text) = file.text() else { continue };
        let title = &host.host.title;
        let (node, faults) = json::parse(text);
        let wrong = match (&node, faults.first()) {
            (_, Some(fault)) => Some((fault.span, format!("{title} refuses the plugin: {}", fault.message))),
            (Some(node), None) => match (node.entry("name"), &plugin.entry) {
                (None, _) => {
                    Some((Span::new(0, 1), format!("{title} refuses the plugin: its manifest has no `name`")))
                }
                (Some(name), Some(entry)) if name.node.as_str() != Some(entry.name.as_str()) => Some((
                    name.node.span,
                    format!("{title} refuses the plugin: its marketplace lists it as `{}`", entry.name),
                )),
                _ => None,
            },
            (None, None) => None,
        };
        let Some((span, message)) = wrong else { continue };
        let found = sink.report(file, span, message);
        found.help = Some("correct the manifest, or remove it: a build makes one".to_owned());
        found.hosts = vec![host.name.clone()];
    }
}
