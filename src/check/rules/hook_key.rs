//! A key of a hook is probably a typo of one that the source host reads.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::hook::{self, GROUP_KEYS, Hook, LocatedText};
use crate::model::plugin::Plugin;
use crate::model::similar_names;
use crate::read::tree::Node;
use crate::source::{SourceFile, Span};

pub(super) const RULE: Rule = Rule {
    name: "hook-key",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a key of a hook is probably misspelt",
    page: include_str!("hook_key.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let mut last = None;
    for (other, hook) in plugin.hooks() {
        // Handlers of one group share its keys.
        if last.replace(&hook.group) != Some(&hook.group)
            && let Some(file) = context.file(&other.path)
        {
            check_group(file, hook, sink);
        }
        let kind = hook.node.get("type").and_then(Node::as_str).unwrap_or_default();
        let known = hook::fields_of(kind);
        let Some(file) = context.file(&other.path).filter(|_| !known.is_empty()) else { continue };
        for entry in hook.node.entries().iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let key = entry.key.as_str();
            let near = known.iter().copied().find(|name| name.eq_ignore_ascii_case(key));
            let near = near.or_else(|| similar_names::misspelt_name(key, known.iter().copied()));
            // It is not a typo if the correct key is present as well.
            let Some(near) = near.filter(|near| hook.node.get(near).is_none()) else { continue };
            report(file, entry.key_span, (key, "a hook", near), sink);
        }
    }
}

/// Reports a misspelt `matcher`: without it, the hooks of the group run for everything. Without `hooks`, the group is
/// refused where it is read.
fn check_group(file: &SourceFile, hook: &Hook, sink: &mut FindingSink) {
    for LocatedText { span, text: key, .. } in &hook.other_keys {
        let near = GROUP_KEYS.into_iter().find(|name| name.eq_ignore_ascii_case(key));
        let near = near.or_else(|| similar_names::misspelt_name(key, GROUP_KEYS));
        if let Some(near) = near.filter(|near| *near == "matcher" && hook.matcher.is_none()) {
            report(file, *span, (key, "a group of hooks", near), sink);
        }
    }
}

fn report(file: &SourceFile, span: Span, (key, owner, near): (&str, &str, &str), sink: &mut FindingSink) {
    let message = format!("unknown key `{key}` of {owner}; did you mean `{near}`?");
    let found = sink.report(file, span, message);
    found.help = Some(format!("rename it to `{near}`, or remove it"));
    if file.text().is_some_and(|text| span.slice(text).starts_with('"')) {
        let inner = Span::new(span.start + 1, span.end.saturating_sub(1));
        found.fix = Some(replace(file, inner, near, Applicability::Unsafe));
    }
}
