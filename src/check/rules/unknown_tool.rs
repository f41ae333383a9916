//! A list of tools contains an unknown tool, probably a typo.

use camino::Utf8Path;

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::check::tools;
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::model::similar_names;
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "unknown-tool",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a list of tools contains an unknown tool, probably misspelt",
    page: include_str!("unknown_tool.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    if is_of_another_host(context, &component.path) {
        return;
    }
    for entry in tools::entries(component, &tools::LISTS) {
        for tool in tools::listed_tools(text.text, &entry.node) {
            let name = tool.name();
            let span = Span::new(tool.span.start, tool.span.start + name.len());
            let Some(near) = nearest_tool(context, name) else {
                if is_none(context, component, name) {
                    let message = format!("unknown tool `{name}`: the host leaves it out");
                    let found = sink.report(text.file, span, message);
                    found.help = Some("name a tool of the host, or remove it".to_owned());
                    found.hosts = context.source_host_of_several();
                }
                continue;
            };
            let found = sink.report(text.file, span, format!("unknown tool `{name}`"));
            found.help = Some(format!("did you mean `{near}`?"));
            found.fix = Some(replace(text.file, span, near, Applicability::Unsafe));
        }
    }
}

/// Whether a component is in the hidden folder of a host without a target table, such as `.kiro`: its tools are
/// unknown.
fn is_of_another_host(context: &RuleContext<'_>, path: &Utf8Path) -> bool {
    let folders: Vec<&str> = context
        .targets
        .iter()
        .flat_map(|host| &host.checks.project_folders)
        .filter_map(|folder| folder.split('/').next())
        .collect();
    let hidden = |part: &str| part.len() > 1 && part.starts_with('.') && !part.starts_with("..");
    path.components().any(|part| hidden(part.as_str()) && !folders.contains(&part.as_str()))
}

/// Whether an agent lists a name that looks like a tool of the source host but is not one.
fn is_none(context: &RuleContext<'_>, component: &Component, name: &str) -> bool {
    is_tool_like(name)
        && component.kind == ComponentKind::Agent
        && context.for_source_host()
        && !context.tools().contains(&name)
}

/// Whether a name looks like one of the source host's tools, and not like one of a server or of another host.
pub(super) fn is_tool_like(name: &str) -> bool {
    name.len() > 2
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
        && name.contains(|c: char| c.is_ascii_lowercase())
}

/// The tool for which a name is a typo or has the wrong case; `None` for tools, names of servers and patterns.
pub(super) fn nearest_tool<'a>(context: &RuleContext<'a>, name: &str) -> Option<&'a str> {
    let known = context.tools();
    if name.starts_with("mcp__") || name.contains('*') || known.contains(&name) {
        return None;
    }
    let case = known.iter().find(|tool| tool.eq_ignore_ascii_case(name)).copied();
    case.or_else(|| similar_names::misspelt_name(name, known.iter().copied()))
}
