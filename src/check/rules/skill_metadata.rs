//! A file with a host's display metadata of a skill that this host cannot read.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;
use crate::read::yaml;
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "skill-metadata",
    group: RuleGroup::Correctness,
    severity: Severity::Warning,
    summary: "a skill's file for a host cannot be read there",
    page: include_str!("skill_metadata.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    for host in &context.hosts {
        let Some(place) = &host.invocation.sidecar_path else { continue };
        for skill in plugin.author_files().filter(|component| component.kind == ComponentKind::Skill) {
            let Some(file) = context.file(skill.folder().join(place)) else { continue };
            let Some(text) = file.text().filter(|text| !text.trim().is_empty()) else { continue };
            // This parser recovers from errors of the host's reader, with a fault.
            let (node, faults) = yaml::parse(text, Span::new(0, text.len()));
            let is_mapping = node.is_some_and(|node| !node.entries().is_empty());
            if is_mapping && faults.is_empty() {
                continue;
            }
            let span = faults.first().map_or(Span::new(0, 0), |fault| fault.span);
            let why = if faults.is_empty() { "expected a mapping" } else { "invalid YAML" };
            let found = sink.report(file, span, format!("{} ignores this file: {why}", host.host.title));
            found.help =
                Some("write keys and values, as in `interface:` above `  display_name: \"Plan\"`".to_owned());
            found.hosts = vec![host.name.clone()];
        }
    }
}
