//! A stable skill and its beta differ, where one declares itself a copy of the other.

use crate::check::context::{PluginText, RuleContext};
use crate::check::copies;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::signs::TextSign;
use crate::check::sink::FindingSink;
use crate::check::stage::ENDING;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::model::qualified_name::qualify;
use crate::source::ComponentKind;

pub(super) const RULE: Rule = Rule {
    name: "beta-drift",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a skill and its beta differ where one declares itself a copy",
    page: include_str!("beta_drift.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    if component.kind != ComponentKind::Skill || !text.has_sign(TextSign::Copy) {
        return;
    }
    for declared in copies::declared(text) {
        let pair = declared.of == format!("{}{ENDING}", component.name)
            || component.name == format!("{}{ENDING}", declared.of);
        let other = context.directory().skill(&qualify(&text.plugin.name, declared.of));
        let Some(other) = other.filter(|_| pair) else { continue };
        let Some(file) = context.file(&other.path) else { continue };
        let body = other.document.body.slice(file.text().unwrap_or_default());
        let Some(span) = copies::difference(text.body.slice(text.text), body) else { continue };
        let found = sink.report(
            text.file,
            declared.span,
            format!("this copy of `{}` differs from the original", declared.of),
        );
        found.help = Some("make both texts identical, or remove the comment".to_owned());
        let place =
            found.clone().with_related(file, span.shifted(other.document.body.start), "first difference");
        found.related = place.related;
    }
}
