//! A marketplace entry with `strict: false` declares components of a plugin that has its own manifest.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;
use crate::read::tree::{Node, Value};

pub(super) const RULE: Rule = Rule {
    name: "marketplace-entry-conflict",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "an entry with `strict: false` declares components of a plugin that has its own manifest",
    page: include_str!("marketplace_entry_conflict.md"),
    check: RuleCheck::Plugin(check),
};

/// Fields of an entry that declare components and conflict with a manifest.
const COMPONENTS: [&str; 6] = ["commands", "agents", "skills", "hooks", "outputStyles", "themes"];

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let Some(marketplace) = context.project.marketplace.as_ref().filter(|_| context.for_source_host()) else {
        return;
    };
    let Some((file, entry)) = context.file(&marketplace.path).zip(plugin.entry.as_ref()) else { return };
    let apart = entry.node.get("strict").map(|strict| &strict.value) == Some(&Value::Bool(false));
    let declared = COMPONENTS.iter().find_map(|field| Some((*field, entry.node.entry(field)?)));
    let (true, Some(_), Some((field, declared))) = (apart, &plugin.manifest, declared) else { return };
    if declared.node.items().is_some_and(<[Node]>::is_empty) {
        return;
    }
    let message =
        format!("`strict` is false and the entry declares `{field}`, but `{}` has a manifest", plugin.name);
    let found = sink.report(file, declared.key_span, message);
    found.help =
        Some("remove `\"strict\": false`, or move everything from the manifest to the entry".to_owned());
    found.hosts = context.source_host_of_several();
}
