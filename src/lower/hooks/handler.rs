//! The handler of a hook in the host's own form, field by field.

use serde_json::{Map, Value as Json};

use super::super::decision::Decision;
use super::super::options;
use super::hook::{HookLowering, axis};
use super::{script, tool_call};
use crate::ledger::RowOutcome;
use crate::model::hook::Hook;
use crate::read::tree::{MappingEntry, Node};
use crate::target::{Axis, HookFacts};

/// A handler on the host.
pub struct LoweredHandler {
    /// An object.
    pub document: Json,
    /// The decisions about fields that differ from the source's.
    pub decisions: Vec<Decision>,
}

impl HookLowering<'_> {
    /// The handler in the host's own form.
    pub fn handler(&self) -> LoweredHandler {
        let (mut document, mut decisions) = (Map::new(), Vec::new());
        for entry in self.hook.node.entries() {
            if let Some((reason, value)) = limited_field(self.facts, self.hook, entry) {
                let outcome = if value.is_some() { RowOutcome::Degraded } else { RowOutcome::Dropped };
                decisions.extend(self.lost_field(entry, Axis::Hooks, outcome, &reason));
                document.extend(value.map(|value| (entry.key.clone(), value)));
                continue;
            }
            let Some(value) = self.value(entry, &mut decisions) else { continue };
            if self.reads(&entry.key) {
                document.insert(entry.key.clone(), value);
                continue;
            }
            let axis = match entry.key.as_str() {
                "onFailure" if entry.node.as_str() == Some("block") => axis(self.context, self.hook),
                key if self.facts.display_fields.iter().any(|field| field == key) => Axis::Appearance,
                _ => Axis::Hooks,
            };
            let reason = &self.facts.field_loss;
            decisions.extend(self.lost_field(entry, axis, RowOutcome::Dropped, reason));
        }
        LoweredHandler { document: Json::Object(document), decisions }
    }

    /// Whether the host reads a field of this name.
    fn reads(&self, key: &str) -> bool {
        self.facts.fields.iter().any(|field| field == key)
    }

    /// The value of a field on the host; `None` if it is decided elsewhere.
    fn value(&self, entry: &MappingEntry, decisions: &mut Vec<Decision>) -> Option<Json> {
        Some(match entry.key.as_str() {
            "args" if !self.reads("args") => return None,
            "if" if self.facts.gate_loss.is_some() => return None,
            "server" if self.facts.server_tools.is_some() => match tool_call::server(self.context, self.hook)
            {
                Some(Ok(name)) => {
                    decisions.extend(tool_call::decision(self, entry, &name));
                    name.into()
                }
                _ => entry.node.to_json(),
            },
            "command" => self.command(entry).into(),
            "timeout" if self.facts.whole_seconds => {
                let seconds = entry.node.scalar().and_then(|text| text.parse::<f64>().ok()).unwrap_or(1.0);
                Json::from(seconds.ceil().clamp(1.0, 1e9) as u64)
            }
            _ => entry.node.to_json(),
        })
    }

    /// The command line, including the arguments if the host has no field for them.
    fn command(&self, entry: &MappingEntry) -> String {
        let mut command = entry.node.as_str().unwrap_or_default().to_owned();
        let args = self.hook.node.get("args").and_then(Node::items).filter(|_| !self.reads("args"));
        if let Some(args) = args {
            let words = args.iter().filter_map(Node::as_str);
            let words: Vec<String> = std::iter::once(command.as_str()).chain(words).map(word).collect();
            command = words.join(" ");
        }
        command = options::as_variables(&self.context.defaults, self.context.source, &command);
        let mut given = String::new();
        for (name, value) in &self.facts.environment {
            if script::names(self.context, self.hook, name) {
                given += &format!("export {name}=\"{value}\"; ");
            }
        }
        given + &command
    }

    /// The decision about a field that the host limits or lacks.
    fn lost_field(
        &self,
        entry: &MappingEntry,
        axis: Axis,
        outcome: RowOutcome,
        reason: &str,
    ) -> Option<Decision> {
        let pointer = self.other.pointer.key(&entry.key);
        let field = self.field(&entry.key, entry.span(), &pointer)?;
        Some(field.with_outcome(outcome, reason).loss(axis, self.owner(), &entry.key))
    }
}

/// A field that the host would override, with a warning, for a hook of an event that does not wait: the reason, and the
/// new value.
fn limited_field(facts: &HookFacts, hook: &Hook, entry: &MappingEntry) -> Option<(String, Option<Json>)> {
    let limit = *facts.time_limits.get(&hook.event)?;
    match entry.key.as_str() {
        "timeout" => {
            let seconds = entry.node.scalar().and_then(|text| text.parse::<f64>().ok())?;
            let reason = format!("the host ends a hook of this event after {limit} s");
            (seconds > limit as f64).then(|| (reason, Some(Json::from(limit))))
        }
        "async" if entry.node.scalar().as_deref() == Some("true") => {
            Some(("the host always waits for a hook of this event".to_owned(), None))
        }
        _ => None,
    }
}

/// One word for a shell, in which the variables of the source host are still replaced.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for (at, c) in text.char_indices() {
        let own =
            c == '$' && (text[at..].starts_with("${CLAUDE_") || text[at..].starts_with("${user_config."));
        if matches!(c, '"' | '\\' | '`') || c == '$' && !own {
            out.push('\\');
        }
        out.push(c);
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_arguments_becomes_words_of_a_shell() {
        assert_eq!(word("--fast"), "--fast");
        assert_eq!(word("a b"), "\"a b\"");
        assert_eq!(word("$HOME \"x\""), "\"\\$HOME \\\"x\\\"\"");
        assert_eq!(word("${CLAUDE_PLUGIN_ROOT}/a b"), "\"${CLAUDE_PLUGIN_ROOT}/a b\"");
    }
}
