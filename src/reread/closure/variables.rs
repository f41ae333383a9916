//! Variables in the documents that tell a host what to run. One that the host does not fill in that
//! place reaches a program as it is written, or a shell as nothing. In a server that is a fault of the
//! lowering; a hook may name what no hook is given, which is a warning.

use camino::Utf8Path;

use super::FileContext;
use super::documents::texts;
use super::verdict::ClosureJudge;
use crate::read::tree::Node;
use crate::source::Span;
use crate::target::{HookFacts, ServerFacts};

/// Checks the document at `inner` of the plugin, `data` if it is what a module reads.
pub(super) fn check(
    judge: &mut ClosureJudge<'_>,
    place: &FileContext<'_>,
    inner: &Utf8Path,
    data: bool,
    document: &Node,
) {
    let target = judge.target;
    let is_here = |path: &Option<String>| path.as_deref().map_or(data, |path| inner == path);
    let mut left = Vec::new();
    if let Some(facts) = target.hooks.as_ref().filter(|facts| is_here(&facts.path))
        && let Some(hooks) = document.get(&facts.key)
    {
        in_hooks(judge, facts, hooks, &mut left);
        for (span, variable) in std::mem::take(&mut left) {
            judge.not_given(place, span, &variable);
        }
    }
    for facts in [&target.servers, &target.language_servers].into_iter().flatten() {
        if is_here(&facts.path)
            && let Some(servers) = document.get(&facts.key)
        {
            in_servers(facts, servers, &mut left);
        }
    }
    left.sort_by_key(|(span, _)| (span.start, span.end));
    left.dedup();
    for (span, variable) in left {
        judge.unfilled(place, span, &variable);
    }
}

/// Commands and their arguments: what the host does not give to a hook, and the command does not set.
fn in_hooks(judge: &ClosureJudge<'_>, facts: &HookFacts, hooks: &Node, left: &mut Vec<(Span, String)>) {
    texts(hooks, "", false, &mut |node, text, key, _| {
        if !matches!(key, "command" | "args") || !text.contains('$') {
            return;
        }
        for name in &judge.source.variables {
            let set = facts.variables.contains(name) || text.contains(&format!("{name}="));
            if !set && let Some(written) = named(text, name) {
                left.push((node.span, written.to_owned()));
            }
        }
    });
}

/// Every string of a server, where the host fills none.
fn in_servers(facts: &ServerFacts, servers: &Node, left: &mut Vec<(Span, String)>) {
    if facts.expands {
        return;
    }
    texts(servers, "", false, &mut |node, text, _, _| {
        left.extend(braced(text).map(|written| (node.span, written.to_owned())));
    });
}

/// `${name}` or `$name` as `text` has it; with a default nothing is missing.
fn named<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.match_indices(name).find_map(|(at, _)| {
        let end = at + name.len();
        let more = text[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        match &text[..at] {
            before if before.ends_with("${") && text[end..].starts_with('}') => Some(&text[at - 2..=end]),
            before if before.ends_with('$') && !more => Some(&text[at - 1..end]),
            _ => None,
        }
    })
}

/// Every `${NAME}` and `${NAME:-` of `text`.
fn braced(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("${").filter_map(|(at, _)| {
        let name = &text[at + 2..];
        let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))?;
        let closed = name[end..].starts_with('}');
        (end > 0 && (closed || name[end..].starts_with(":-")))
            .then(|| &text[at..at + 2 + end + usize::from(closed)])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_variables_as_shells_and_hosts_write_them() {
        assert_eq!(named("run \"${ROOT}\"/x", "ROOT"), Some("${ROOT}"));
        assert_eq!(named("cd $ROOT && x", "ROOT"), Some("$ROOT"));
        assert_eq!(named("$ROOTS $A_ROOT ROOT \\{ROOT}", "ROOT"), None);
        assert_eq!(named("${ROOT:-.}", "ROOT"), None);
        let found: Vec<&str> = braced("a ${A}/${B:-c} $C ${user_config.x} ${} ${A B}").collect();
        assert_eq!(found, ["${A}", "${B", "${user_config.x}"]);
    }
}
