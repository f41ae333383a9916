//! A command that runs when a text is loaded is not granted, so the host does not load the text.

use std::borrow::Cow;

use super::command_in_example::is_placeholder;
use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::shell;
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

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !context.for_source_host() || !text.may_run_commands() || context.is_for_another_host(&component.path)
    {
        return;
    }
    let own = context.references(component).iter().filter(|file| file.path == component.path);
    let shell = own.flat_map(|file| &file.references).flat_map(|reference| match &reference.named {
        ReferenceTarget::Shell(written) => commands(written, reference.span.start),
        _ => Vec::new(),
    });
    let source = context.targets.source();
    let mut refused = shell.filter(|run| {
        if run.is_quoted {
            return !lower::is_granted(component, &run.command, source);
        }
        // The values of arguments, variables and placeholders are unknown, and so is what a star within a grant
        // matches.
        let is_open = run.command.contains(['$', '(', '{', '`', '\n'])
            || run.command.is_empty()
            || is_placeholder(&run.command)
            || has_star(component);
        !is_open && lower::is_surely_asked(component, &run.command, source)
    });
    let Some(RunCommand { span, command, is_quoted }) = refused.next() else { return };
    let message = format!("`{command}` is not granted, so the host does not pass this text to the model");
    let found = sink.report(text.file, span, message);
    // The first of several commands on one line that is not granted.
    let is_granted = |part: &str| lower::is_granted(component, part, source);
    let mut parts = command.split(['&', '|', ';']).map(str::trim).filter(|part| !part.is_empty());
    let part = parts.find(|part| !is_granted(part)).unwrap_or(&command);
    let program = part.split_whitespace().next().unwrap_or_default();
    found.help = Some(match is_quoted {
        true => "move the block out of the quote: its `>` is part of the command".to_owned(),
        false => format!("add `{}({program} *)` to `allowed-tools`", source.shell_tool),
    });
    found.hosts = context.source_host_of_several();
    for run in refused {
        found.relate(text.file, run.span, "not granted either");
    }
}

/// A command that the source host runs when it loads the text.
struct RunCommand<'a> {
    span: Span,
    /// On one line, but for what is within quotes.
    command: Cow<'a, str>,
    /// Whether it is a line of a block in a quote: the host takes the `>` before it for a redirect, which no grant covers.
    is_quoted: bool,
}

/// The commands of `` !`command` `` or of a block marked `!`, which begins at byte `start`: each line, or each command
/// of a script whose lines belong together. None of a script that takes more to be read.
fn commands(written: &str, start: usize) -> Vec<RunCommand<'_>> {
    let inline = written.strip_prefix("!`").and_then(|rest| rest.strip_suffix('`'));
    let block = written.strip_prefix("```!").and_then(|rest| rest.strip_suffix("```"));
    let is_block = inline.is_none();
    let Some(code) = inline.or(block) else { return Vec::new() };
    if !is_block && !code.contains('\n') {
        let span = Span::new(start, start + written.len());
        return vec![RunCommand { span, command: code.trim().into(), is_quoted: false }];
    }
    let from = start + if is_block { "```!".len() } else { "!`".len() };
    let mut at = from;
    let mut out = Vec::new();
    let mut is_joined = !is_block;
    for line in code.split_inclusive('\n') {
        let command = line.trim();
        let begin = at + line.len() - line.trim_start().len();
        at += line.len();
        let is_quoted = is_block && command.starts_with('>');
        let span = Span::new(begin, begin + command.len());
        if is_quoted && !command.trim_start_matches(['>', ' ']).is_empty() {
            return vec![RunCommand { span, command: command.into(), is_quoted }];
        }
        is_joined |= joins_lines(command);
        if !is_quoted && !command.is_empty() && !command.starts_with('#') {
            out.push(RunCommand { span, command: command.into(), is_quoted });
        }
    }
    if is_joined { of_script(code, from) } else { out }
}

/// Whether a line of a script belongs together with others.
fn joins_lines(line: &str) -> bool {
    const KEYWORDS: [&str; 9] = ["if", "for", "while", "until", "case", "select", "function", "{", "("];
    let is_open = ['"', '\''].iter().any(|quote| line.matches(*quote).count() % 2 == 1);
    let first = line.split([' ', ';']).next().unwrap_or_default();
    line.ends_with(['\\', '&', '|']) || line.contains("<<") || is_open || KEYWORDS.contains(&first)
}

/// The commands of a script that begins at byte `from`.
fn of_script(code: &str, from: usize) -> Vec<RunCommand<'_>> {
    // Words that make what follows them something else than a command, and texts that are none.
    const UNREAD: [&str; 4] = ["<<", "case ", "select ", "function "];
    if UNREAD.iter().any(|word| code.contains(word)) {
        return Vec::new();
    }
    let each = shell::commands(code, 0).into_iter().filter_map(|one| {
        let (first, last) = (one.words.first()?, one.words.last()?);
        let span = Span::new(first.span.start, last.span.end);
        // The list of a loop.
        if first.text == "for" || span.end <= span.start {
            return None;
        }
        let written = span.slice(code);
        let command = match written.contains("\\\n") {
            true => written.replace("\\\n", " ").split_whitespace().collect::<Vec<_>>().join(" ").into(),
            false => written.into(),
        };
        Some(RunCommand { span: span.shifted(from), command, is_quoted: false })
    });
    each.collect()
}

/// Whether a grant has a star before its end, whose matches are not modelled here.
fn has_star(component: &Component) -> bool {
    let grants = component.field("allowed-tools").map(tool_list).unwrap_or_default();
    grants.iter().any(|grant| {
        let inner = grant.trim_end_matches([')', '*', ':', ' ']);
        inner.contains('*')
    })
}
