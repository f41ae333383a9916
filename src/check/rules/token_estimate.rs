//! What a plugin costs in tokens: in every session, and when its skills run.

use crate::check::context::Context;
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::Sink;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;
use crate::source::Kind;

pub(super) const RULE: Rule = Rule {
    name: "token-estimate",
    group: Group::Pedantic,
    severity: Severity::Info,
    summary: "how many tokens a plugin takes in every session, and when its skills run",
    page: include_str!("token_estimate.md"),
    check: Check::Plugin(check),
};

fn check(context: &Context<'_>, plugin: &Plugin, sink: &mut Sink) {
    let mut always = 0;
    let mut bodies = Vec::new();
    for component in &plugin.components {
        let description = component.text_field("description").unwrap_or_default();
        let listed = match component.kind {
            Kind::Skill | Kind::Command => !component.user_only() && !description.is_empty(),
            _ => true,
        };
        if listed {
            always += component.qualified.len() + description.len();
        }
        if component.kind == Kind::Skill
            && let Some(text) = context.file(&component.path).and_then(|file| file.text())
        {
            bodies.push((component.document.body.of(text).len().div_ceil(4), &component.name));
        }
    }
    let all: usize = bodies.iter().map(|(tokens, _)| tokens).sum();
    let largest = bodies.iter().max().map_or(String::new(), |(tokens, name)| {
        format!("; its skills have about {all} tokens of text, `{name}` most of all with {tokens}")
    });
    let message = format!(
        "`{}` takes about {} tokens in every session for names and descriptions{largest}",
        plugin.name,
        always.div_ceil(4)
    );
    let place = if plugin.root.as_str().is_empty() { camino::Utf8Path::new(".") } else { &plugin.root };
    sink.whole(place, message);
}
