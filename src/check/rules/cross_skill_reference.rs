//! A link leaves the plugin of the text.

use crate::check::context::{PluginText, RuleContext};
use crate::check::paths::PathTarget;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "cross-skill-reference",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "a link leaves the plugin, and nothing beside the plugin is installed",
    page: include_str!("cross_skill_reference.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    for link in text.links(context).iter().filter(|link| !link.path.is_empty()) {
        let written = &link.path;
        match link.leads(context, text) {
            PathTarget::Away(path) if path.starts_with(&text.plugin.root) => {}
            PathTarget::Away(_) | PathTarget::OutOfSource => out(text, link.span, written, sink),
            PathTarget::AwayToNothing(path) if !path.starts_with(&text.plugin.root) => {
                out(text, link.span, written, sink);
            }
            _ => {}
        }
    }
}

/// A path that leaves the plugin: nothing outside is installed with it.
fn out(text: &PluginText<'_>, span: Span, written: &str, sink: &mut FindingSink) {
    let message = format!("`{written}` points outside the plugin, but only the plugin is installed");
    let found = sink.at(text.file, span, message);
    found.severity = Severity::Error;
    found.help = Some("copy the file into the skill's folder, or link to its URL".to_owned());
}
