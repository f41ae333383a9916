//! A skill's name that contains a word reserved by the vendor of a host.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::source::ComponentKind;

pub(super) const RULE: Rule = Rule {
    name: "reserved-name",
    group: RuleGroup::Pedantic,
    severity: Severity::Warning,
    summary: "a skill's name contains a word that upload services reserve",
    page: include_str!("reserved_name.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some(node) = component.field("name").filter(|_| component.kind == ComponentKind::Skill) else {
        return;
    };
    let Some(name) = node.scalar() else { return };
    for target in &context.hosts {
        let lower = name.to_lowercase();
        let Some(word) = target.skill.reserved_words.iter().find(|word| lower.contains(word.as_str())) else {
            continue;
        };
        let found = sink.report(
            text.file,
            node.span,
            format!("the name `{name}` contains the reserved word `{word}`"),
        );
        found.help = Some("choose a name that says what the skill does".to_owned());
        found.hosts = vec![target.name.clone()];
    }
}
