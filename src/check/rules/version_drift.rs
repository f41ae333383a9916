//! The version of a plugin in another file differs from its manifest.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::plugin::Plugin;
use crate::read::json;
use crate::read::tree::Node;
use crate::source::{SourceFile, Span};

pub(super) const RULE: Rule = Rule {
    name: "version-drift",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "the version of a marketplace entry or another manifest differs from the plugin's manifest",
    page: include_str!("version_drift.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let Some(manifest) = &plugin.manifest else { return };
    let Some(own) = manifest.node.get("version") else { return };
    let (Some(version), Some(first)) = (own.as_str(), context.file(&manifest.path)) else { return };
    let mut compare = |file: &SourceFile, node: &Node, what: &str| {
        let Some(other) = node.as_str().filter(|other| !is_same(other, version)) else { return };
        let found = sink.report(
            file,
            node.span,
            format!("{what} says version `{other}`, but the plugin's manifest says `{version}`"),
        );
        found.help = Some(format!("write `{version}` in both"));
        // If the other version is newer, the manifest was probably forgotten.
        if is_newer(version, other) {
            let inner = Span::new(node.span.start + 1, node.span.end.saturating_sub(1));
            found.fix = Some(replace(file, inner, version, Applicability::Unsafe));
        }
        *found = found.clone().with_related(first, own.span, "the plugin's own version");
    };
    if let Some(entry) = &plugin.entry
        && let Some(node) = entry.node.get("version")
        && let Some(file) =
            context.project.marketplace.as_ref().and_then(|listing| context.file(&listing.path))
    {
        compare(file, node, "the entry");
    }
    for path in context.targets.sibling_manifests() {
        let Some(file) = context.file(plugin.root.join(&path)) else { continue };
        let Some(node) = file.text().and_then(|text| json::parse(text).0) else { continue };
        if let Some(node) = node.get("version") {
            compare(file, node, &format!("`{path}`"));
        }
    }
}

/// Whether both are the same version; build metadata (`1.0.0+build.5`) does not count.
fn is_same(one: &str, other: &str) -> bool {
    let (version, parsed) = (semver::Version::parse(one), semver::Version::parse(other));
    let is_equal = |one: semver::Version| parsed.is_ok_and(|other| one.cmp_precedence(&other).is_eq());
    one == other || version.is_ok_and(is_equal)
}

/// Whether both are semantic versions, and the first is the newer one.
fn is_newer(one: &str, other: &str) -> bool {
    let (one, other) = (semver::Version::parse(one), semver::Version::parse(other));
    one.is_ok_and(|one| other.is_ok_and(|other| one.cmp_precedence(&other).is_gt()))
}
