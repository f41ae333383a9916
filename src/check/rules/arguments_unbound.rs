//! `$ARGUMENTS` stands where a host does not fill it in.

use crate::check::context::{Context, Text};
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::Sink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::model::references::Named;
use crate::read::markdown::region_at;
use crate::source::{Kind, Span};
use crate::target::TextForm;

pub(super) const RULE: Rule = Rule {
    name: "arguments-unbound",
    group: Group::Portability,
    severity: Severity::Warning,
    summary: "a selected host does not replace `$ARGUMENTS`",
    page: include_str!("arguments_unbound.md"),
    check: Check::Component(check),
};

const ALL: &str = "$ARGUMENTS";

fn check(context: &Context<'_>, component: &Component, text: &Text<'_>, sink: &mut Sink) {
    if component.kind == Kind::Agent {
        return agent(text, sink);
    }
    let hosts: Vec<_> = context.hosts.iter().filter(|host| host.text.arguments != TextForm::Native).collect();
    let Some(first) = hosts.first() else { return };
    let own = context.references(component).iter().filter(|file| file.path == component.path);
    let mut references = own.flat_map(|file| &file.references);
    let Some(reference) = references
        .find(|reference| matches!(&reference.named, Named::Argument(written) if written.starts_with(ALL)))
    else {
        return;
    };
    let message = format!("{} does not replace `{ALL}`", first.host.title);
    let found = sink.at(text.file, reference.span, message);
    found.severity = Severity::Info;
    found.hosts = hosts.iter().map(|host| host.name.clone()).collect();
    found.help = Some("no action needed: a build explains it in the text".to_owned());
}

/// No host fills anything into an agent's text.
fn agent(text: &Text<'_>, sink: &mut Sink) {
    let body = text.body.of(text.text);
    let places = body.match_indices(ALL).map(|(at, _)| text.body.start + at);
    let prose = |at: &usize| region_at(&text.outline().regions, *at).is_none();
    let Some(at) = places.into_iter().find(prose) else { return };
    let message = format!("agents get no arguments, so `{ALL}` is not replaced");
    let found = sink.at(text.file, Span::new(at, at + ALL.len()), message);
    found.help = Some("remove it; the caller's prompt is the agent's first message".to_owned());
}
