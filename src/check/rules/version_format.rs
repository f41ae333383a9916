//! A plugin's version is none that hosts and package tools can compare.

use semver::Version;

use crate::check::context::Context;
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::Sink;
use crate::diagnostic::Severity;
use crate::read::tree::Node;
use crate::source::SourceFile;

pub(super) const RULE: Rule = Rule {
    name: "version-format",
    group: Group::Suspicious,
    severity: Severity::Warning,
    summary: "a version is not of the form `1.2.3`",
    page: include_str!("version_format.md"),
    check: Check::Project(check),
};

fn check(context: &Context<'_>, sink: &mut Sink) {
    let project = context.project;
    let listing = project.marketplace.as_ref().and_then(|own| context.file(&own.path));
    for plugin in &project.plugins {
        if let Some(manifest) = &plugin.manifest
            && let Some(file) = context.file(&manifest.path)
        {
            one(file, &manifest.node, sink);
        }
        if let (Some(entry), Some(file)) = (&plugin.entry, listing) {
            one(file, &entry.node, sink);
        }
    }
}

fn one(file: &SourceFile, node: &Node, sink: &mut Sink) {
    let Some(node) = node.get("version") else { return };
    let Some(version) = node.as_str() else { return };
    if Version::parse(version).is_ok() {
        return;
    }
    let found = sink.at(file, node.span, format!("the version `{version}` is not of the form `1.2.3`"));
    found.help = Some(match version.trim_start_matches(['v', 'V']).trim() {
        bare if Version::parse(bare).is_ok() => format!("write `{bare}`"),
        _ => "write three numbers, such as `1.2.3`, or a pre-release such as `1.2.3-beta.1`".to_owned(),
    });
}
