//! A list of tools names one that is nearly a tool.

use crate::check::context::{Context, Text};
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::{Sink, replace};
use crate::check::tools;
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::model::near;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "unknown-tool",
    group: Group::Suspicious,
    severity: Severity::Warning,
    summary: "a list of tools contains an unknown tool, probably misspelt",
    page: include_str!("unknown_tool.md"),
    check: Check::Component(check),
};

const LISTS: [&str; 4] = ["tools", "disallowedTools", "allowed-tools", "disallowed-tools"];

fn check(context: &Context<'_>, component: &Component, text: &Text<'_>, sink: &mut Sink) {
    for entry in tools::entries(component, &LISTS) {
        for tool in tools::of(text, &entry.node) {
            let name = tool.name();
            let Some(near) = meant(context, name) else { continue };
            let span = Span::new(tool.span.start, tool.span.start + name.len());
            let found = sink.at(text.file, span, format!("unknown tool `{name}`"));
            found.help = Some(format!("did you mean `{near}`?"));
            found.fix = Some(replace(text.file, span, near, Applicability::Unsafe));
        }
    }
}

/// The tool that a name is but for its case or a slip; `None` for tools, names of servers and patterns.
pub(super) fn meant<'a>(context: &Context<'a>, name: &str) -> Option<&'a str> {
    let known = context.tools();
    if name.starts_with("mcp__") || name.contains('*') || known.contains(&name) {
        return None;
    }
    let case = known.iter().find(|tool| tool.eq_ignore_ascii_case(name)).copied();
    case.or_else(|| near::slip(name, known.iter().copied()))
}
