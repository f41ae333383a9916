//! A command that runs when a text is loaded is not granted, so the host does not load the text.

use super::command_in_example::is_placeholder;
use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::lower;
use crate::model::component::{Component, tool_list};
use crate::model::references::ReferenceTarget;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "ungranted-command",
    group: RuleGroup::Correctness,
    severity: Severity::Warning,
    summary: "`` !`command` `` that `allowed-tools` does not grant, so that the text cannot be invoked",
    page: include_str!("ungranted_command.md"),
    check: RuleCheck::Component(check),
};

/// Words of a shell that join the lines around them.
const KEYWORDS: [&str; 9] = ["if", "for", "while", "until", "case", "select", "function", "{", "("];

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !context.for_source_host() || !text.may_run_commands() {
        return;
    }
    let own = context.references(component).iter().filter(|file| file.path == component.path);
    let shell = own.flat_map(|file| &file.references).flat_map(|reference| match &reference.named {
        ReferenceTarget::Shell(written) => commands(written, reference.span.start),
        _ => Vec::new(),
    });
    let mut refused = shell.filter_map(|(span, command)| {
        // The values of arguments, variables and placeholders are unknown, and so is what a star within a grant
        // matches.
        let is_open = command.contains(['$', '(', '{', '`', '\n'])
            || command.is_empty()
            || is_placeholder(command)
            || has_star(component);
        let is_asked = || lower::is_surely_asked(component, command, context.targets.source());
        (!is_open && is_asked()).then_some((span, command))
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

/// The commands of `` !`command` `` or of a block marked `!`, which begins at byte `start`; a command of a block is one
/// line. None of a script whose lines belong together.
fn commands(written: &str, start: usize) -> Vec<(Span, &str)> {
    if let Some(command) = written.strip_prefix("!`").and_then(|rest| rest.strip_suffix('`')) {
        return vec![(Span::new(start, start + written.len()), command.trim())];
    }
    let Some(block) = written.strip_prefix("```!").and_then(|rest| rest.strip_suffix("```")) else {
        return Vec::new();
    };
    let mut from = start + written.len() - "```".len() - block.len();
    let mut out = Vec::new();
    for line in block.split_inclusive('\n') {
        let command = line.trim();
        let at = from + line.len() - line.trim_start().len();
        from += line.len();
        let first = command.split([' ', ';']).next().unwrap_or_default();
        let is_quoted = ['"', '\''].iter().any(|quote| command.matches(*quote).count() % 2 == 1);
        if command.ends_with('\\') || command.contains("<<") || is_quoted || KEYWORDS.contains(&first) {
            return Vec::new();
        }
        if !command.is_empty() && !command.starts_with('#') {
            out.push((Span::new(at, at + command.len()), command));
        }
    }
    out
}

/// Whether a grant has a star before its end, whose matches are not modelled here.
fn has_star(component: &Component) -> bool {
    let grants = component.field("allowed-tools").map(tool_list).unwrap_or_default();
    grants.iter().any(|grant| {
        let inner = grant.trim_end_matches([')', '*', ':', ' ']);
        inner.contains('*')
    })
}
