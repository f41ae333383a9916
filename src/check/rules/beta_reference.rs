//! A beta skill calls a stable one that also has a beta.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::check::stage::{ENDING, StageMarks, beta_of};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::model::references::ReferenceTarget;
use crate::source::ComponentKind;

pub(super) const RULE: Rule = Rule {
    name: "beta-reference",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a beta skill calls a stable one that has a beta",
    page: include_str!("beta_reference.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !StageMarks::from_component(component, text.plugin).is_beta() {
        return;
    }
    for file in context.references(component) {
        let Some(source) = context.file(&file.path) else { continue };
        let Some(body) = source.text() else { continue };
        for reference in &file.references {
            let ReferenceTarget::Component(kind, name) = &reference.named else { continue };
            let written = reference.span.slice(body);
            // A name in prose may explain how the two differ; only a call decides which one runs.
            let called = written.starts_with('/') || is_called(body, reference.span.start);
            let Some(beta) =
                beta_of(context.directory(), name).filter(|_| *kind != ComponentKind::Agent && called)
            else {
                continue;
            };
            let message = format!("the beta `{}` calls `{name}`, which has a beta", component.name);
            let found = sink.report(source, reference.span, message);
            found.help = Some(format!("call `{}`, so that both betas are tested together", beta.qualified));
            found.fix =
                Some(replace(source, reference.span, format!("{written}{ENDING}"), Applicability::Unsafe));
            if let Some(other) = context.file(&beta.path) {
                let place = found.clone().with_related(other, beta.name_span(), "the beta is defined here");
                found.related = place.related;
            }
        }
    }
}

/// Whether the name at `at` is the argument of a call.
fn is_called(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches(['"', '\'', '`', ' ']);
    ["skill:", "skill=", "skill\":", "Skill("].iter().any(|say| before.ends_with(say))
}
