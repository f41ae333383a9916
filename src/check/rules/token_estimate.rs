//! The cost of a plugin in tokens: in every session, and when its skills run.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;
use crate::source::ComponentKind;

pub(super) const RULE: Rule = Rule {
    name: "token-estimate",
    group: RuleGroup::Pedantic,
    severity: Severity::Info,
    summary: "how many tokens a plugin takes in every session, and when its skills run",
    page: include_str!("token_estimate.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let mut always = 0;
    let mut bodies = Vec::new();
    for component in &plugin.components {
        let description = component.text_field("description").unwrap_or_default();
        let listed = match component.kind {
            ComponentKind::Skill | ComponentKind::Command => {
                !component.is_user_only() && !description.is_empty()
            }
            _ => true,
        };
        if listed {
            always += component.qualified.len() + description.len();
        }
        if component.kind == ComponentKind::Skill
            && let Some(text) = context.file(&component.path).and_then(|file| file.text())
        {
            bodies.push((component.document.body.slice(text).len().div_ceil(4), &component.name));
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
    sink.report_file(place, message);
}
