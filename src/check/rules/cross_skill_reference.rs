//! A link leaves the plugin of the text.

use crate::check::context::{Context, Text};
use crate::check::paths::Leads;
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::Sink;
use crate::diagnostic::Severity;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "cross-skill-reference",
    group: Group::Portability,
    severity: Severity::Warning,
    summary: "a link leaves the plugin, and nothing beside the plugin is installed",
    page: include_str!("cross_skill_reference.md"),
    check: Check::Text(check),
};

fn check(context: &Context<'_>, text: &Text<'_>, sink: &mut Sink) {
    for link in text.links().iter().filter(|link| !link.path.is_empty()) {
        let written = &link.path;
        match link.leads(context, text) {
            Leads::Away(path) if path.starts_with(&text.plugin.root) => {}
            Leads::Away(_) | Leads::OutOfSource => out(text, link.span, written, sink),
            Leads::AwayToNothing(path) if !path.starts_with(&text.plugin.root) => {
                out(text, link.span, written, sink);
            }
            _ => {}
        }
    }
}

/// A path that leaves the plugin: nothing outside is installed with it.
fn out(text: &Text<'_>, span: Span, written: &str, sink: &mut Sink) {
    let message = format!("`{written}` points outside the plugin, but only the plugin is installed");
    let found = sink.at(text.file, span, message);
    found.severity = Severity::Error;
    found.help = Some("copy the file into the skill's folder, or link to its URL".to_owned());
}
