//! A skill in a folder that some hosts do not search.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;

pub(super) const RULE: Rule = Rule {
    name: "nested-skill-file",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "a skill is too deep in the tree for a host to find it",
    page: include_str!("nested_skill_file.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let hosts = context.hosts_that(|target| !target.host.nested_skill_files);
    if hosts.is_empty() {
        return;
    }
    for path in plugin.unfound_skills() {
        let found = sink.report_file(
            path,
            "hosts search only folders directly below `skills/`, so they do not find this skill",
        );
        found.hosts.clone_from(&hosts);
        // The same for each skill, so that they are one finding.
        found.help = Some(
            "move its folder directly below `skills/`, or list it under `skills` in the manifest".to_owned(),
        );
    }
}
