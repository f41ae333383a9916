//! A field of an agent, or the model of a skill or command, has a value that the source host does not know.

use serde_json::Value as Json;

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::model::similar_names;
use crate::read::tree::{MappingEntry, Node};
use crate::source::ComponentKind;
use crate::target::{CheckFacts, FieldOutcome, FieldRule, Target};

pub(super) const RULE: Rule = Rule {
    name: "agent-field",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a field of an agent has an invalid value",
    page: include_str!("agent_field.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let fields = component.document.fields.iter().flat_map(|fields| fields.entries());
    // The other fields of skills and commands have their own rules.
    for entry in fields.filter(|entry| component.kind == ComponentKind::Agent || entry.key == "model") {
        let hosts: Vec<&Target> = context
            .hosts
            .iter()
            .copied()
            .filter(|host| host_ignores(context, host, component.kind, entry))
            .collect();
        let of_source = hosts.iter().any(|host| host.source.is_some());
        let help = match (hosts.first(), of_source) {
            (None, _) => continue,
            (Some(_), true) => expected_value(context.checks(), &entry.key, &entry.node),
            (Some(host), false) => host.agent.fields.get(&entry.key).map(accepted_values),
        };
        let value =
            entry.node.scalar().map_or_else(|| entry.node.kind().to_string(), |value| format!("`{value}`"));
        let message = match entry.key.as_str() {
            "model" => format!("unknown model {value}; the host requests it as written"),
            key => format!("`{key}` cannot be {value}; the host ignores the field"),
        };
        let found = sink.report(text.file, entry.node.span, message);
        found.help = help;
        if hosts.len() < context.hosts.len() {
            found.hosts = hosts.iter().map(|host| host.name.clone()).collect();
        }
    }
}

/// Whether `host` has the field and does not take this value. One that has no such field says so in its ledger, whatever
/// the value is; and what the source host takes is right.
fn host_ignores(context: &RuleContext<'_>, host: &Target, kind: ComponentKind, entry: &MappingEntry) -> bool {
    let (key, node) = (entry.key.as_str(), &entry.node);
    let is_wrong = expected_value(context.checks(), key, node).is_some();
    if host.source.is_some() || !is_wrong {
        return is_wrong;
    }
    if kind != ComponentKind::Agent {
        return false;
    }
    let Some((rule, value)) = host.agent.fields.get(key).zip(node.scalar()) else { return false };
    let number = || value.parse::<u64>().map_or_else(|_| value.clone().into(), Json::from);
    let is_said = rule.outcome == FieldOutcome::Mapped && rule.equivalent(&value).is_none();
    is_said && rule.format.is_some_and(|format| !format.matches(&number()))
}

/// What a host takes for a field, in words.
fn accepted_values(rule: &FieldRule) -> String {
    let mut list: Vec<String> = rule.values.keys().map(|known| format!("`{known}`")).collect();
    list.extend(rule.format.map(|format| format.words().to_owned()));
    format!("write {}", list.join(", "))
}

/// What to write instead, if the value is none that `key` takes.
fn expected_value(facts: &CheckFacts, key: &str, node: &Node) -> Option<String> {
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
        let near = similar_names::misspelt_name(&lower, facts.models.iter().map(String::as_str));
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
    let any_case = facts.agent_values_any_case.iter().any(|name| name == key);
    if values.contains(if any_case { &lower } else { &value }) {
        return None;
    }
    let mut list: Vec<String> = values.iter().map(|known| format!("`{known}`")).collect();
    list.extend(numbers.then(|| "a whole number above zero".to_owned()));
    let near = similar_names::nearest(&lower, values.iter().map(String::as_str));
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    Some(format!("{near}write {}", list.join(", ")))
}
