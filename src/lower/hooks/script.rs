//! Finds, by their words, actions in the script of a hook that have another effect on the host: a row points at each.

use std::collections::BTreeSet;

use super::super::context::LoweringContext;
use super::super::decision::Decision;
use super::matcher::may_match;
use super::script_files;
use crate::ledger::{ComponentKind, RowOutcome};
use crate::model::hook::Hook;
use crate::model::plugin::OtherComponent;
use crate::source::{SourceFile, Span};
use crate::target::{HookFacts, ScriptFacts};

/// Positions that already have a row: several hooks may run one script.
pub type DescribedScripts = BTreeSet<(String, usize)>;

/// The decisions about every such action in the hook's command or script.
pub(super) fn describe(
    context: &LoweringContext<'_>,
    facts: &HookFacts,
    other: &OtherComponent,
    hook: &Hook,
    described: &mut DescribedScripts,
) -> Vec<Decision> {
    let mut out = Vec::new();
    for rule in facts.scripts.iter().filter(|rule| applies(rule, hook)) {
        for (file, within) in texts(context, other, hook) {
            let text = within.slice(file.text().unwrap_or_default());
            let places: Option<Vec<usize>> = rule.words.iter().map(|word| place(text, word)).collect();
            let (Some(at), Some(word)) =
                (places.and_then(|places| places.last().copied()), rule.words.last())
            else {
                continue;
            };
            let span = Span::new(within.start + at, within.start + at + word.len());
            if described.insert((file.path.to_string(), span.start)) {
                let construct =
                    Decision::new_kept(&context.plugin.name, ComponentKind::Construct, word, &file.path);
                let owner = (ComponentKind::Hook, other.name.as_str());
                let lost = construct.in_file(file, span).with_outcome(RowOutcome::Degraded, &rule.reason);
                out.push(lost.loss(rule.axis, owner, word));
            }
        }
    }
    out
}

/// Whether the hook's command or its script names a variable.
pub fn names(context: &LoweringContext<'_>, hook: &Hook, variable: &str) -> bool {
    script_files::words(hook).any(|text| text.contains(variable))
        || script_files::find(context, hook)
            .into_iter()
            .any(|file| file.text().is_some_and(|text| text.contains(variable)))
}

fn applies(rule: &ScriptFacts, hook: &Hook) -> bool {
    let matcher = hook.matcher.as_ref().map(|matcher| matcher.text.as_str());
    let covers = |tool: &String| matcher.is_none_or(|matcher| may_match(matcher, tool));
    rule.events.contains(&hook.event) && (rule.tools.is_empty() || rule.tools.iter().any(covers))
}

/// The command of a hook with its position, and the scripts of the plugin that it names.
fn texts<'a>(
    context: &LoweringContext<'a>,
    other: &OtherComponent,
    hook: &Hook,
) -> Vec<(&'a SourceFile, Span)> {
    let command = hook.node.get("command").or_else(|| hook.node.get("input"));
    let own = context.project.tree.get(&other.path).zip(command.map(|node| node.span));
    let scripts = script_files::find(context, hook).into_iter();
    let whole = |file: &SourceFile| Span::new(0, file.text().map_or(0, str::len));
    own.into_iter().chain(scripts.map(|file| (file, whole(file)))).collect()
}

/// The position of a word; a short word counts only as a value, in quotes or after `=`.
fn place(text: &str, word: &str) -> Option<usize> {
    let whole = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = text[..*at].chars().next_back();
        let value = word.len() > 4 || before.is_some_and(|c| "\"'`=".contains(c));
        whole(before) && value && whole(text[at + word.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_word_counts_as_a_value_only() {
        assert_eq!(place("# ask the user\necho '{\"permissionDecision\":\"ask\"}'", "ask"), Some(44));
        assert_eq!(place("task=1; basket", "ask"), None);
        assert_eq!(place("jq -r .tool_input.file_path", "file_path"), Some(18));
        assert_eq!(place("my_file_path_2", "file_path"), None);
    }
}
