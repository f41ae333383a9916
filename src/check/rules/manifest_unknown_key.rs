//! A key of a manifest or marketplace is probably a typo of one that hosts read.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::manifest::fields::{ENTRY, FieldShape, MANIFEST, MARKETPLACE};
use crate::model::similar_names;
use crate::read::tree::Node;
use crate::source::{SourceFile, Span};

pub(super) const RULE: Rule = Rule {
    name: "manifest-unknown-key",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a key of a manifest or marketplace is probably misspelt",
    page: include_str!("manifest_unknown_key.md"),
    check: RuleCheck::Project(check),
};

type KeyFields = &'static [(&'static str, FieldShape)];

fn check(context: &RuleContext<'_>, sink: &mut FindingSink) {
    let project = context.project;
    for plugin in &project.plugins {
        if let Some(manifest) = &plugin.manifest
            && let Some(file) = context.file(&manifest.path)
        {
            keys(file, &manifest.node, &[MANIFEST, ENTRY], sink);
        }
    }
    let source = context.targets.source();
    let own = project.marketplace.as_ref().filter(|own| own.path == source.marketplace);
    let Some((marketplace, file)) = own.and_then(|own| Some((own, context.file(&own.path)?))) else { return };
    keys(file, &marketplace.node, &[MARKETPLACE], sink);
    for entry in &marketplace.entries {
        keys(file, &entry.node, &[MANIFEST, ENTRY], sink);
    }
}

fn keys(file: &SourceFile, node: &Node, known: &[KeyFields], sink: &mut FindingSink) {
    let fields = || known.iter().copied().flatten();
    let names: Vec<&str> = fields().map(|(name, _)| *name).collect();
    misspelt_keys(file, node, &names, sink);
    for (name, _) in fields().filter(|(_, shape)| matches!(shape, FieldShape::Person)) {
        if let Some(person) = node.get(name) {
            misspelt_keys(file, person, &PERSON, sink);
        }
    }
}

/// The keys of an author or owner.
const PERSON: [&str; 3] = ["name", "email", "url"];

fn misspelt_keys(file: &SourceFile, node: &Node, names: &[&str], sink: &mut FindingSink) {
    for entry in node.entries() {
        let key = entry.key.as_str();
        if names.contains(&key) {
            continue;
        }
        let near = names.iter().copied().find(|name| name.eq_ignore_ascii_case(key));
        let near = near.or_else(|| similar_names::misspelt_name(key, names.iter().copied()));
        // It is not a typo if the correct key is present as well.
        let Some(near) = near.filter(|near| node.get(near).is_none() || near.len() > 6) else { continue };
        let found = sink.report(file, entry.key_span, format!("unknown key `{key}`; did you mean `{near}`?"));
        found.help = Some(format!("rename it to `{near}`, or remove it"));
        if node.get(near).is_none() {
            let inner = Span::new(entry.key_span.start + 1, entry.key_span.end.saturating_sub(1));
            found.fix = Some(replace(file, inner, near, Applicability::Unsafe));
        }
    }
}
