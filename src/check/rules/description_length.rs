//! A skill's description that is longer than the specification allows.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::source::ComponentKind;

pub(super) const RULE: Rule = Rule {
    name: "description-length",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "a skill's description has more than 1,024 characters, or more than a host shows",
    page: include_str!("description_length.md"),
    check: RuleCheck::Component(check),
};

/// The maximum length of a description in the Agent Skills specification.
const LONGEST: usize = 1024;

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some(node) = component.field("description").filter(|_| component.kind == ComponentKind::Skill) else {
        return;
    };
    let Some(description) = node.scalar() else { return };
    let length = description.trim().chars().count();
    let cut = |limit: usize| length > limit;
    if !cut(LONGEST) {
        return;
    }
    let message = format!("the description has {length} characters (limit {LONGEST})");
    let found = sink.report(text.file, node.span, message);
    found.hosts = context
        .hosts_that(|target| target.listing.as_ref().is_some_and(|listing| cut(listing.description_limit)));
    found.help = Some(match found.hosts.is_empty() {
        true => "say what it does and when to use it; move the rest into the text".to_owned(),
        false => "shorten it; the list of skills shows only its beginning".to_owned(),
    });
}
