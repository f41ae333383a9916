//! A frontmatter key that is a typo of one that hosts read.

use super::ignored_field::ignored;
use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::model::similar_names;

pub(super) const RULE: Rule = Rule {
    name: "unknown-key",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a frontmatter key is misspelt, so no host reads it",
    page: include_str!("unknown_key.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some(node) = &component.document.fields else { return };
    for entry in node.entries().iter().filter(|entry| !context.knows_key(component.kind, &entry.key)) {
        let Some(meant) = similar_names::misspelt_name(&entry.key, context.keys(component.kind)) else {
            continue;
        };
        // A list under the plural is the author's own key, such as the `agents` that a skill is for.
        if entry.key.strip_suffix('s') == Some(meant) && entry.node.items().is_some() {
            continue;
        }
        let message = format!("unknown key `{}`", entry.key);
        let found = sink.report(text.file, entry.key_span, message);
        if ignored(context, text, component, meant).is_some() {
            let help = "remove it: only user agents support such a field, in any spelling";
            found.help = Some(help.to_owned());
            continue;
        }
        found.help = Some(format!("did you mean `{meant}`?"));
        if node.entry(meant).is_none() {
            found.fix = Some(replace(text.file, entry.key_span, meant, Applicability::Unsafe));
        }
    }
}
