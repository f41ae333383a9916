//! A field of an agent has a value that the source host does not know.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::model::similar_names;
use crate::read::tree::Node;
use crate::source::ComponentKind;
use crate::target::CheckFacts;

pub(super) const RULE: Rule = Rule {
    name: "agent-field",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a field of an agent has an invalid value",
    page: include_str!("agent_field.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    if component.kind != ComponentKind::Agent {
        return;
    }
    let facts = context.checks();
    let fields = component.document.fields.iter().flat_map(|fields| fields.entries());
    for entry in fields {
        let Some(help) = wrong(facts, &entry.key, &entry.node) else { continue };
        let value =
            entry.node.scalar().map_or_else(|| entry.node.kind().to_owned(), |value| format!("`{value}`"));
        let message = match entry.key.as_str() {
            "model" => format!("unknown model {value}: the host asks for it as written"),
            key => format!("`{key}` cannot be {value}; hosts ignore the field"),
        };
        sink.report(text.file, entry.node.span, message).help = Some(help);
    }
}

/// The suggested value, if the value is not valid for `key`.
fn wrong(facts: &CheckFacts, key: &str, node: &Node) -> Option<String> {
    let value = node.scalar()?;
    let lower = value.trim().to_lowercase();
    let whole = lower.parse::<u64>().is_ok_and(|number| number > 0);
    let numbers = facts.agent_numbers.iter().any(|number| number == key);
    if key == "model" {
        let known = facts.models.contains(&lower);
        let marked = facts.model_marks.iter().any(|mark| lower.contains(mark.as_str()));
        if known || lower.is_empty() || facts.model_marks.is_empty() {
            return None;
        }
        let near = similar_names::slip(&lower, facts.models.iter().map(String::as_str));
        return match near {
            Some(near) => Some(format!("did you mean `{near}`?")),
            None if marked || lower.contains(['/', '@', '$', '{']) => None,
            None => {
                Some("write `inherit`, `sonnet`, `opus`, `haiku`, or the full name of a model".to_owned())
            }
        };
    }
    let values = facts.agent_values.get(key);
    if values.is_none() && !numbers || numbers && whole {
        return None;
    }
    let values = values.map(Vec::as_slice).unwrap_or_default();
    if values.contains(&lower) {
        return None;
    }
    let mut list: Vec<String> = values.iter().map(|known| format!("`{known}`")).collect();
    list.extend(numbers.then(|| "a whole number above zero".to_owned()));
    let near = similar_names::nearest(&lower, values.iter().map(String::as_str));
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    Some(format!("{near}write {}", list.join(", ")))
}
