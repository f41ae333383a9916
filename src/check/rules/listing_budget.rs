//! Descriptions that do not fit into a host's list of skills.

use camino::Utf8Path;

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::model::plugin::Plugin;
use crate::source::ComponentKind;
use crate::target::{CommandEmission, ListingFacts, Target};

pub(super) const RULE: Rule = Rule {
    name: "listing-budget",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "a plugin's descriptions do not fit into a host's skill list",
    page: include_str!("listing_budget.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let mut overflows: Vec<(&Target, String)> = Vec::new();
    for target in &context.hosts {
        let Some(listing) = &target.listing else { continue };
        let needed: usize =
            plugin.components.iter().filter_map(|component| tokens(component, listing, target)).sum();
        if needed <= listing.budget {
            continue;
        }
        let (bytes, title) = (needed * listing.bytes_per_token, &target.host.title);
        let words = if listing.shows_all {
            format!("{bytes} bytes of each request on {title}, which lists them all, however many")
        } else {
            let room = listing.budget * listing.bytes_per_token;
            format!("{bytes} bytes of the skill list of {title}, which shows only about {room} in total")
        };
        overflows.push((target, words));
    }
    if overflows.is_empty() {
        return;
    }
    let words: Vec<&str> = overflows.iter().map(|(_, words)| words.as_str()).collect();
    let message = format!("the descriptions of `{}` take {}", plugin.name, words.join("; "));
    let named = plugin
        .manifest
        .as_ref()
        .and_then(|manifest| Some((context.file(&manifest.path)?, manifest.node.entry("name")?.span())));
    let root = if plugin.root.as_str().is_empty() { Utf8Path::new(".") } else { &plugin.root };
    let found = match named {
        Some((file, span)) => sink.report(file, span, message),
        None => sink.report_file(root, message),
    };
    found.hosts = overflows.iter().map(|(target, _)| target.name.clone()).collect();
    found.help = Some(
        "shorten descriptions, split the plugin, or set `disable-model-invocation: true` on skills that only users start"
            .to_owned(),
    );
}

/// The tokens of the component's line in the list; `None` if it is not listed.
fn tokens(component: &Component, listing: &ListingFacts, target: &Target) -> Option<usize> {
    let listed = match component.kind {
        ComponentKind::Skill => true,
        ComponentKind::Command => listing.commands || target.command.emission == CommandEmission::AsSkill,
        _ => false,
    };
    if !listed || component.is_user_only() {
        return None;
    }
    let mut description = component.text_field("description")?;
    if let Some(when) = listing.extra_field.as_ref().and_then(|field| component.text_field(field)) {
        description = format!("{description} - {when}");
    }
    let folder = component.folder().file_name().unwrap_or_default();
    Some(listing.tokens(&component.qualified, &description, folder))
}
