//! A command that runs when a text is loaded is not granted, so the host does not load the text.

use super::command_in_example::is_placeholder;
use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::lower;
use crate::model::component::{Component, tool_list};
use crate::model::references::ReferenceTarget;

pub(super) const RULE: Rule = Rule {
    name: "ungranted-command",
    group: RuleGroup::Correctness,
    severity: Severity::Warning,
    summary: "`` !`command` `` that `allowed-tools` does not grant, so that the text cannot be invoked",
    page: include_str!("ungranted_command.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !context.for_source_host() || !text.may_run_commands() {
        return;
    }
    let own = context.references(component).iter().filter(|file| file.path == component.path);
    let mut refused = own.flat_map(|file| &file.references).filter_map(|reference| {
        let ReferenceTarget::Shell(written) = &reference.named else { return None };
        let command = written.strip_prefix("!`")?.strip_suffix('`')?.trim();
        // The values of arguments, variables and placeholders are unknown, and so is what a star within a grant
        // matches.
        let is_open = command.contains(['$', '(', '{', '`', '\n'])
            || command.is_empty()
            || is_placeholder(command)
            || has_star(component);
        let is_asked = || lower::is_surely_asked(component, command, context.targets.source());
        (!is_open && is_asked()).then_some((reference.span, command))
    });
    let Some((span, command)) = refused.next() else { return };
    let message = format!("`{command}` is not granted, so the host does not pass this text to the model");
    let found = sink.report(text.file, span, message);
    // The first of several commands on one line that is not granted.
    let is_granted = |part: &str| lower::is_granted(component, part, context.targets.source());
    let mut parts = command.split(['&', '|', ';']).map(str::trim).filter(|part| !part.is_empty());
    let part = parts.find(|part| !is_granted(part)).unwrap_or(command);
    let program = part.split_whitespace().next().unwrap_or_default();
    let shell = &context.targets.source().shell_tool;
    found.help = Some(format!("add `{shell}({program} *)` to `allowed-tools`"));
    found.hosts = context.source_host_of_several();
    for (span, _) in refused {
        found.relate(text.file, span, "not granted either");
    }
}

/// Whether a grant has a star before its end, whose matches are not modelled here.
fn has_star(component: &Component) -> bool {
    let grants = component.field("allowed-tools").map(tool_list).unwrap_or_default();
    grants.iter().any(|grant| {
        let inner = grant.trim_end_matches([')', '*', ':', ' ']);
        inner.contains('*')
    })
}
