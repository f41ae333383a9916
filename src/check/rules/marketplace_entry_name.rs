//! A marketplace lists a plugin under a name that its manifest does not have.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;

pub(super) const RULE: Rule = Rule {
    name: "marketplace-entry-name",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "a marketplace lists a plugin under a name that differs from its manifest",
    page: include_str!("marketplace_entry_name.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let (Some(entry), Some(manifest)) = (&plugin.entry, &plugin.manifest) else { return };
    let Some(listing) = context.project.marketplace.as_ref().and_then(|own| context.file(&own.path)) else {
        return;
    };
    let (Some(listed), Some(own)) = (entry.node.get("name"), manifest.node.get("name")) else { return };
    let Some(name) = own.as_str().filter(|name| *name != entry.name) else { return };
    let message = format!("the plugin is listed as `{}`, but its manifest says `{name}`", entry.name);
    let found = sink.report(listing, listed.span, message);
    found.help = Some(format!("write `\"name\": \"{name}\"`, or rename the plugin in its manifest"));
    // Users install by one name and call by the other, so only the author knows which one is wrong.
    if let Some(file) = context.file(&manifest.path) {
        *found = found.clone().with_related(file, own.span, "the plugin's own name");
    }
}
