//! A frontmatter key that no host knows.

use crate::check::context::{PluginText, RuleContext};
use crate::check::fields;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::model::similar_names;

pub(super) const RULE: Rule = Rule {
    name: "unlisted-key",
    group: RuleGroup::Pedantic,
    severity: Severity::Info,
    summary: "a frontmatter key is unknown to every host",
    page: include_str!("unlisted_key.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some(node) = &component.document.fields else { return };
    let known = fields::known_keys(context.targets, component.kind);
    for entry in node.entries().iter().filter(|entry| !known.contains(entry.key.as_str())) {
        if similar_names::misspelt_name(&entry.key, known.iter().copied()).is_none() {
            let message = format!("unknown key `{}`", entry.key);
            let found = sink.report(text.file, entry.key_span, message);
            found.help = Some("move data for people or other tools under `metadata`".to_owned());
        }
    }
}
