//! A beta skill calls a stable one that has a beta of its own.

use crate::check::context::{Context, Text};
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::{Sink, replace};
use crate::check::stage::{ENDING, Stage, beta_of};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::model::references::Named;
use crate::source::Kind;

pub(super) const RULE: Rule = Rule {
    name: "beta-reference",
    group: Group::Correctness,
    severity: Severity::Error,
    summary: "a beta skill calls a stable one that has a beta",
    page: include_str!("beta_reference.md"),
    check: Check::Component(check),
};

fn check(context: &Context<'_>, component: &Component, text: &Text<'_>, sink: &mut Sink) {
    if !Stage::of(component, text.plugin).is_beta() {
        return;
    }
    for file in context.references(component) {
        let Some(source) = context.file(&file.path) else { continue };
        let Some(body) = source.text() else { continue };
        for reference in &file.references {
            let Named::Component(kind, name) = &reference.named else { continue };
            let written = reference.span.of(body);
            // A name in prose may say how the two differ; a call says which one runs.
            let called = written.starts_with('/') || is_called(body, reference.span.start);
            let Some(beta) = beta_of(context.directory(), name).filter(|_| *kind != Kind::Agent && called)
            else {
                continue;
            };
            let message = format!("the beta `{}` calls `{name}`, which has a beta", component.name);
            let found = sink.at(source, reference.span, message);
            found.help = Some(format!("call `{}`, so that both betas are tested together", beta.qualified));
            found.fix =
                Some(replace(source, reference.span, format!("{written}{ENDING}"), Applicability::Unsafe));
            if let Some(other) = context.file(&beta.path) {
                let place = found.clone().related(other, beta.name_span(), "the beta is defined here");
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
