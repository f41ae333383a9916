//! Commands and includes in a command's text that the host executes itself, without asking: only those that the source
//! host would also execute without asking are left to it.

mod command_line;
mod read_only;

use super::context::LoweringContext;
use crate::ledger::ComponentKind;
use crate::model::component::{Component, tool_list};
use crate::model::references::{Reference, ReferenceTarget};
use crate::source_format::SourceFacts;
use command_line::CommandPart;

/// Whether the host itself runs or includes the target of `reference` in the text of `component`.
pub(super) fn is_native(context: &LoweringContext<'_>, component: &Component, reference: &Reference) -> bool {
    if !context.target.text.native_commands || component.kind != ComponentKind::Command {
        return false;
    }
    match &reference.named {
        ReferenceTarget::Shell(written) => {
            let command = written.strip_prefix("!`").and_then(|rest| rest.strip_suffix('`'));
            command.is_some_and(|command| is_granted(component, command.trim(), context.source))
        }
        ReferenceTarget::Include(written) => {
            let path = written.trim_start_matches('@');
            !path.starts_with(['/', '~', '$'])
                && !path.contains('$')
                && !path.split('/').any(|part| part == "..")
        }
        _ => false,
    }
}

/// Whether the source host runs `command` without asking. It asks each time for a command that contains arguments.
pub fn is_granted(component: &Component, command: &str, source: &SourceFacts) -> bool {
    let grants = component.field("allowed-tools").map(tool_list).unwrap_or_default();
    let patterns: Vec<Option<&str>> = grants.iter().filter_map(|grant| pattern(grant, source)).collect();
    let given = command.match_indices('$').any(|(at, _)| {
        let rest = &command[at + 1..];
        rest.starts_with("ARGUMENTS")
            || rest.starts_with(|c: char| c.is_ascii_digit())
            || component.arguments().iter().any(|name| rest.starts_with(name.as_str()))
    });
    if given {
        return false;
    }
    if patterns.contains(&None) {
        return true;
    }
    let parts = command_line::parts(command, &format!("${{{}}}", source.plugin_root));
    let runs = |part: &CommandPart| {
        read_only::is(part, source) || patterns.iter().flatten().any(|pattern| matches(part.text, pattern))
    };
    parts.is_some_and(|parts| parts.iter().all(runs))
}

/// Whether the source host certainly asks before it runs `command`: no grant covers it, and a part of it is a program
/// that the source host never runs without asking. Other programs may be allowed with these options.
pub fn is_surely_asked(component: &Component, command: &str, source: &SourceFacts) -> bool {
    let parts = command_line::parts(command, &format!("${{{}}}", source.plugin_root));
    let is_known = |part: &CommandPart| read_only::may_be(part, source);
    !is_granted(component, command, source)
        && parts.is_some_and(|parts| {
            parts.iter().any(|part| !is_granted(component, part.text, source) && !is_known(part))
        })
}

/// The restriction of a shell grant: the inner `None` if it is unrestricted, the outer `None` for another tool.
fn pattern<'a>(grant: &'a str, source: &SourceFacts) -> Option<Option<&'a str>> {
    let rest = grant.strip_prefix(source.shell_tool.as_str())?;
    let inner = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    match inner {
        _ if rest.is_empty() => Some(None),
        Some("*" | ":*" | "*:*") => Some(None),
        inner => inner.map(Some),
    }
}

fn matches(command: &str, pattern: &str) -> bool {
    let prefix = pattern.strip_suffix(":*").or_else(|| pattern.strip_suffix(" *"));
    prefix.map_or(command == pattern, |prefix| begins_with_command(command, prefix))
}

fn begins_with_command(command: &str, prefix: &str) -> bool {
    command.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}
