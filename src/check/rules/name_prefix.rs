//! A skill or agent does not begin with the prefix of its plugin.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::model::qualified_name::last_of;
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "name-prefix",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "a skill or agent does not begin with the prefix of its plugin",
    page: include_str!("name_prefix.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some(prefix) = context.settings.house.name_prefix.get(&text.plugin.name) else { return };
    let name = last_of(&component.name);
    if component.kind == ComponentKind::Command || name.starts_with(prefix.as_str()) {
        return;
    }
    let span = component
        .field("name")
        .map_or(Span::new(0, text.text.lines().next().map_or(0, str::len)), |node| node.span);
    let found = sink.report(text.file, span, format!("`{name}` does not begin with `{prefix}`"));
    found.help = Some(format!("rename it to `{prefix}{name}`, with its folder or file and all references"));
}
