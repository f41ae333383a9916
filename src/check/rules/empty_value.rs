//! A frontmatter field without a value.

use crate::check::context::{PluginText, RuleContext};
use crate::check::fields;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::read::tree::Value;

pub(super) const RULE: Rule = Rule {
    name: "empty-value",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a frontmatter field that hosts read has no value",
    page: include_str!("empty_value.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some(node) = &component.document.fields else { return };
    for entry in node.entries().iter().filter(|entry| context.knows_key(component.kind, &entry.key)) {
        let empty = match &entry.node.value {
            Value::Null => true,
            Value::String(text) => text.trim().is_empty(),
            _ => false,
        };
        if empty {
            let found = sink.report(text.file, entry.key_span, format!("`{}` has no value", entry.key));
            found.hosts = context.hosts_that(|target| {
                target.yaml.text_fields.contains(&entry.key)
                    || fields::is_needed_for_models(component, &entry.key, target)
            });
            found.help = Some("give it a value, or remove the line".to_owned());
        }
    }
}
