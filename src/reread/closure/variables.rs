//! Variables in the documents that tell a host what to run. If the host does not expand a variable there, a program
//! sees it verbatim, and a shell sees an empty value. In a server that is a bug in the lowering; in a hook it is a
//! warning, since its author may have used a variable that no hook gets.

use camino::Utf8Path;

use super::FileContext;
use super::documents::texts;
use super::verdict::ClosureJudge;
use crate::read::tree::Node;
use crate::source::Span;
use crate::target::{HookFacts, ServerFacts};

/// Checks the document at `inner` of the plugin; `data` is true if it is the data of a module.
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

/// Checks commands and their arguments for variables that neither the host nor the command sets.
fn in_hooks(judge: &ClosureJudge<'_>, facts: &HookFacts, hooks: &Node, left: &mut Vec<(Span, String)>) {
    texts(hooks, "", false, &mut |node, text, key, _| {
        if !matches!(key, "command" | "args") || !text.contains('$') {
            return;
        }
        for name in &judge.source.variables {
            let set = facts.variables.contains(name) || text.contains(&format!("{name}="));
            if !set && let Some(written) = named_reference(text, name) {
                left.push((node.span, written.to_owned()));
            }
        }
    });
}

/// Collects the variables in every string of a server, if the host expands none.
fn in_servers(facts: &ServerFacts, servers: &Node, left: &mut Vec<(Span, String)>) {
    if facts.expands {
        return;
    }
    texts(servers, "", false, &mut |node, text, _, _| {
        left.extend(braced_names(text).map(|written| (node.span, written.to_owned())));
    });
}

/// The reference `${name}` or `$name` as written in `text`; one with a default is not reported.
fn named_reference<'t>(text: &'t str, name: &str) -> Option<&'t str> {
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
fn braced_names(text: &str) -> impl Iterator<Item = &str> {
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
        assert_eq!(named_reference("run \"${ROOT}\"/x", "ROOT"), Some("${ROOT}"));
        assert_eq!(named_reference("cd $ROOT && x", "ROOT"), Some("$ROOT"));
        assert_eq!(named_reference("$ROOTS $A_ROOT ROOT \\{ROOT}", "ROOT"), None);
        assert_eq!(named_reference("${ROOT:-.}", "ROOT"), None);
        let found: Vec<&str> = braced_names("a ${A}/${B:-c} $C ${user_config.x} ${} ${A B}").collect();
        assert_eq!(found, ["${A}", "${B", "${user_config.x}"]);
    }
}
