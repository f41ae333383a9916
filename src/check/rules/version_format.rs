//! A plugin's version that hosts and package tools cannot compare.

use semver::Version;

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::read::tree::Node;
use crate::source::SourceFile;

pub(super) const RULE: Rule = Rule {
    name: "version-format",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a version is not of the form `1.2.3`",
    page: include_str!("version_format.md"),
    check: RuleCheck::Project(check),
};

fn check(context: &RuleContext<'_>, sink: &mut FindingSink) {
    let project = context.project;
    let listing = project.marketplace.as_ref().and_then(|own| context.file(&own.path));
    for plugin in &project.plugins {
        if let Some(manifest) = &plugin.manifest
            && let Some(file) = context.file(&manifest.path)
        {
            check_version(file, &manifest.node, sink);
        }
        if let (Some(entry), Some(file)) = (&plugin.entry, listing) {
            check_version(file, &entry.node, sink);
        }
    }
}

fn check_version(file: &SourceFile, node: &Node, sink: &mut FindingSink) {
    let Some(node) = node.get("version") else { return };
    let Some(version) = node.as_str() else { return };
    if Version::parse(version).is_ok() {
        return;
    }
    let found = sink.report(file, node.span, format!("the version `{version}` is not of the form `1.2.3`"));
    found.help = Some(match version.trim_start_matches(['v', 'V']).trim() {
        bare if Version::parse(bare).is_ok() => format!("write `{bare}`"),
        _ => "write three numbers, such as `1.2.3`, or a pre-release such as `1.2.3-beta.1`".to_owned(),
    });
}
