//! A skill that neither the user nor the model may invoke.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::source::ComponentKind;

pub(super) const RULE: Rule = Rule {
    name: "uninvocable-skill",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a skill or command that neither the user nor the model can invoke",
    page: include_str!("uninvocable_skill.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let closed = component.is_user_only() && component.model_only() && component.kind != ComponentKind::Agent;
    let Some(span) = text.field_span("user-invocable").filter(|_| closed && context.for_source_host()) else {
        return;
    };
    let found = sink.report(text.file, span, "neither the user nor the model can invoke it");
    found.help = Some("remove `user-invocable: false` or `disable-model-invocation: true`".to_owned());
    found.hosts = context.source_host_of_several();
}
