//! A skill links to its own files instead of naming them in backticks.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::read::markdown::destination_parts;
use crate::source::ComponentKind;

pub(super) const RULE: Rule = Rule {
    name: "reference-by-backtick",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "a skill links to its own files instead of naming them in backticks",
    page: include_str!("reference_by_backtick.md"),
    check: RuleCheck::Component(check),
};

fn check(_: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    if component.kind != ComponentKind::Skill {
        return;
    }
    let links = text.outline().links.iter().filter(|link| !link.image);
    for link in links {
        let path = link.destination.trim_start_matches("./");
        let (whole, _) = destination_parts(path);
        if whole.is_empty() || !component.files.contains(&component.folder().join(whole)) {
            continue;
        }
        let found =
            sink.report(text.file, link.span, format!("this links to the skill's own file `{whole}`"));
        found.help =
            Some(format!("write `` `{whole}` ``; agents resolve link paths from their working folder"));
        found.fix = Some(replace(text.file, link.span, format!("`{whole}`"), Applicability::Unsafe));
    }
}
