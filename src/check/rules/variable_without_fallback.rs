//! A text uses a variable that a selected host does not have.

use std::collections::BTreeSet;

use crate::check::context::{PluginText, RuleContext};
use crate::check::intent::{is_explained, is_one_of_several};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::model::references::ReferenceTarget;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "variable-without-fallback",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "a variable that a selected host does not have",
    page: include_str!("variable_without_fallback.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, _: &PluginText<'_>, sink: &mut FindingSink) {
    let variables = context.hosts.iter().flat_map(|host| &host.variables);
    let lacking = variables.filter(|(_, facts)| facts.reason.is_some());
    let lacking: Vec<&str> = lacking.map(|(name, _)| name.as_str()).collect();
    let files = || component.files.iter().chain([&component.path]);
    // Finding all names of a component takes long, and many programs have their own variables.
    let is_named = |rest: &str| {
        lacking.iter().any(|name| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with('}')))
    };
    let has_variable = |text: &str| {
        let mut starts = memchr::memmem::find_iter(text.as_bytes(), b"${");
        starts.any(|at| is_named(&text[at + 2..]))
    };
    let may_hold = |path| context.file(path).and_then(|file| file.text()).is_some_and(has_variable);
    if !files().any(may_hold) {
        return;
    }
    for file in context.references(component) {
        let Some(source) = context.file(&file.path) else { continue };
        let mut seen = BTreeSet::new();
        for reference in &file.references {
            let ReferenceTarget::Variable(name) = &reference.named else { continue };
            // The table of a host without an equivalent gives the reason; on other hosts, something replaces the
            // variable.
            let lacking = context.hosts.iter().filter_map(|host| {
                let facts = host.variables.get(name)?;
                facts.reason.as_ref().map(|reason| (host, reason, &facts.stands))
            });
            let lacking: Vec<_> = lacking.collect();
            let Some((host, reason, stands)) = lacking.first() else { continue };
            // A table that documents variables does not use them.
            let Span { start, end } = reference.span;
            let text = source.text().unwrap_or_default();
            if is_explained(text, start, end) || is_one_of_several(text, start, end) || !seen.insert(name) {
                continue;
            }
            let title = &host.host.title;
            let found =
                sink.report(source, reference.span, format!("{title} has no `${{{name}}}`: {reason}"));
            found.hosts = lacking.iter().map(|(host, ..)| host.name.clone()).collect();
            found.help = Some(match stands {
                Some(stands) => {
                    // The rest is the reason, which is in the message.
                    let instead = stands.split("; ").next().unwrap_or(stands);
                    format!("say in the text what to do without it; a build tells the model to use {instead}")
                }
                None => "say in the text what to do without it".to_owned(),
            });
        }
    }
}
