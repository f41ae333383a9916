//! A skill that only the user may start is called by another text.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::model::references::ReferenceTarget;
use crate::source::{ComponentKind, SourceFile, Span, line_end, line_start};

pub(super) const RULE: Rule = Rule {
    name: "scheduled-skill-invocation",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "only the user may start a skill that other texts call",
    page: include_str!("scheduled_skill_invocation.md"),
    check: RuleCheck::Project(check),
};

const FIELD: &str = "disable-model-invocation";

fn check(context: &RuleContext<'_>, sink: &mut FindingSink) {
    let components = || context.project.plugins.iter().flat_map(|plugin| &plugin.components);
    for skill in components().filter(|one| one.kind == ComponentKind::Skill && one.is_user_only()) {
        let Some(file) = context.file(&skill.path) else { continue };
        let Some(field) = skill.document.fields.as_ref().and_then(|fields| fields.entry(FIELD)) else {
            continue;
        };
        let call = components()
            .filter(|other| other.qualified != skill.qualified)
            .find_map(|other| call(context, other, skill));
        let Some((caller, place)) = call else { continue };
        let message = format!("another text calls `{}`, but only the user may start it", skill.qualified);
        let found = sink.report(file, field.span(), message);
        found.help = Some(format!("remove `{FIELD}`, or let the other text suggest it to the user"));
        *found = found.clone().with_related(caller, place, "called here");
    }
}

/// The place where a text of `other` tells the agent to use `skill`: by its name, not as the user would type it.
fn call<'a>(
    context: &RuleContext<'a>,
    other: &Component,
    skill: &Component,
) -> Option<(&'a SourceFile, Span)> {
    context.references(other).iter().find_map(|file| {
        let source = context.file(&file.path)?;
        let text = source.text()?;
        let named = file.references.iter().find(|reference| {
            let this = ReferenceTarget::Component(ComponentKind::Skill, skill.qualified.clone());
            reference.named == this && calls(text, reference.span)
        })?;
        Some((source, named.span))
    })
}

fn calls(text: &str, span: Span) -> bool {
    let start = line_start(text, span.start);
    let end = line_end(text, span.end);
    let line = &text[start..end];
    let words =
        ["load", "loads", "invoke", "invokes", "run", "runs", "call", "calls", "use", "dispatch", "start"];
    let for_user = ["user", "suggest", "never", "not", "don't"];
    !span.slice(text).starts_with('/')
        && crate::check::prose::contains_any(line, &words)
        && !crate::check::prose::contains_any(line, &for_user)
}
