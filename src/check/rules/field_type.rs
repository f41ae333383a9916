//! A frontmatter field whose value has the wrong type.

use crate::check::context::{PluginText, RuleContext};
use crate::check::fields;
use crate::check::raw_value;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::read::dialect::{self, ScalarRule};
use crate::read::tree::{FaultKind, MappingEntry, Value};
use crate::target::Target;

pub(super) const RULE: Rule = Rule {
    name: "field-type",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a frontmatter field has a value of the wrong type",
    page: include_str!("field_type.md"),
    check: RuleCheck::InsteadOfReader(check),
};

/// Fields that must be text on every host.
const TEXTS: [&str; 2] = ["name", "description"];
/// Fields that may be text or a list.
const LISTS: [&str; 4] = ["allowed-tools", "disallowed-tools", "tools", "disallowedTools"];
/// Boolean fields.
const FLAGS: [&str; 2] = ["disable-model-invocation", "user-invocable"];
const SWITCHES: [&str; 8] = ["true", "false", "yes", "no", "on", "off", "1", "0"];

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some(node) = &component.document.fields else { return };
    // The reader found frontmatter that is a list or a text.
    for fault in component.document.faults.iter().filter(|fault| fault.kind == FaultKind::FieldType) {
        sink.report(text.file, fault.span, fault.message.clone()).help = Some(fault.help.clone());
    }
    for entry in node.entries() {
        let key = entry.key.as_str();
        let wanted = if TEXTS.contains(&key) {
            is_no_text(entry).then_some("text")
        } else if LISTS.contains(&key) {
            matches!(entry.node.value, Value::Map(_) | Value::Bool(_)).then_some("text or a list")
        } else if FLAGS.contains(&key) {
            let value = entry.node.scalar().map(|value| value.trim().to_ascii_lowercase());
            let fits = value.is_none_or(|value| value.is_empty() || SWITCHES.contains(&value.as_str()));
            let shaped = !matches!(entry.node.value, Value::Map(_) | Value::List(_));
            (!fits || !shaped).then_some("`true` or `false`")
        } else {
            let wants_mapping =
                context.hosts.iter().any(|target| target.yaml.mapping_fields.contains(&entry.key));
            (wants_mapping && !dialect::is_mapping(&entry.node)).then_some("a mapping")
        };
        let Some(wanted) = wanted else {
            check_nested(context, entry, text, sink);
            continue;
        };
        let found = sink.report(
            text.file,
            entry.node.span,
            format!("`{key}` must be {wanted}, found {}", entry.node.kind()),
        );
        found.hosts = context.hosts_that(|target| {
            let is_dropped =
                entry.node.scalar().is_none() && fields::is_needed_for_models(component, key, target);
            refuses(target, entry) || is_dropped
        });
        found.help = Some(match wanted {
            "text" => format!("write `{key}: \"…\"` on one line"),
            wanted => format!("write {wanted}"),
        });
        if let (true, Some(_)) = (wanted == "text", entry.node.scalar()) {
            let line = raw_value::line(text.text, entry);
            let quoted = raw_value::quoted(line.slice(text.text));
            found.fix = Some(replace(text.file, entry.node.span, quoted, Applicability::Unsafe));
        }
    }
}

/// Checks a key within a mapping that must be text and occur exactly once.
fn check_nested(
    context: &RuleContext<'_>,
    entry: &MappingEntry,
    text: &PluginText<'_>,
    sink: &mut FindingSink,
) {
    let refused = |target: &Target| {
        dialect::unfit(target.yaml.inner_text_fields.get(&entry.key)?, &entry.node).cloned()
    };
    let Some(inner) = context.hosts.iter().find_map(|target| refused(target)) else { return };
    let name = format!("{}.{}", entry.key, inner.key);
    let message = match inner.node.scalar() {
        Some(_) => format!("`{name}` must occur exactly once"),
        None => format!("`{name}` must be text, found {}", inner.node.kind()),
    };
    let found = sink.report(text.file, inner.node.span, message);
    found.hosts = context.hosts_that(|target| refused(target).is_some());
    found.help = Some(format!("write `{}: \"…\"` on one line", inner.key));
}

fn is_no_text(entry: &MappingEntry) -> bool {
    !matches!(entry.node.value, Value::String(_) | Value::Null)
}

/// Whether the host rejects the file because of this value.
fn refuses(target: &Target, entry: &MappingEntry) -> bool {
    let yaml = &target.yaml;
    let scalar = entry.node.scalar().is_some();
    let text = yaml.text_fields.contains(&entry.key) && is_no_text(entry);
    text && (!scalar || yaml.dialect.scalars == ScalarRule::Refused)
        || yaml.mapping_fields.contains(&entry.key)
}
