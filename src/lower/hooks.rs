//! Hooks in the host's own form: events that fire, handlers that run and matchers that match on the host, and a
//! decision about everything that a hook loses. Several files and the manifest are merged event by event.

mod exclusion;
mod gate;
mod handler;
mod hook;
mod matcher;
mod script;
mod script_files;
mod server_pattern;
mod tool_call;

use serde_json::{Map, Value as Json, json};

use super::context::LoweringContext;
use super::decision::Decision;
use super::part::LoweredPart;
use super::{credentials, declarations};
use crate::ledger::RowOutcome;
use crate::model::hook::Hook;
use crate::model::plugin::OtherBody;
use crate::read::tree::Node;
use crate::target::{Axis, HookFacts};

use gate::HookCondition;
use hook::{HookLowering, axis};
use matcher::{HookMatchers, LoweredMatcher};

/// The groups of an event, each with its source.
type HookGroups = Vec<(String, Json)>;

/// The outcome of a hook.
enum HookVerdict<'a> {
    /// It is dropped.
    Dropped(Axis, String),
    /// It runs if this condition holds; the matcher is that of `tool` if the host does not support conditions.
    Carried { condition: HookCondition<'a>, tool: Option<&'a str>, matched: LoweredMatcher },
}

/// Lowers every hook of the plugin: events with their groups, in the order of the source.
pub(super) fn lower(context: &LoweringContext<'_>, facts: &HookFacts) -> (LoweredPart, Option<Json>) {
    let mut part = LoweredPart::default();
    let mut events: Vec<(String, HookGroups)> = Vec::new();
    let mut described = script::DescribedScripts::default();
    let mut matchers = HookMatchers::default();
    for other in &context.plugin.others {
        let OtherBody::Hook(hook) = &other.body else { continue };
        let lowering = HookLowering { context, facts, other, hook };
        let verdict = lowering.decide(&mut matchers);
        part.declared.push(lowering.decision(&verdict));
        if let HookVerdict::Carried { condition, tool, matched } = verdict {
            let handler = lowering.handler();
            let mut parts: Vec<Decision> =
                lowering.matcher(&matched, tool, &mut matchers).into_iter().collect();
            parts.extend(lowering.condition(&condition, &matched));
            parts.extend(handler.decisions);
            let credentials = credentials::decide(context, other, &parts);
            part.decisions.extend(parts.into_iter().chain(credentials));
            part.decisions.extend(script::describe(context, facts, other, hook, &mut described));
            add(&mut events, hook, matched.text, handler.document);
        }
    }
    let events = events
        .into_iter()
        .map(|(event, groups)| (event, groups.into_iter().map(|(_, group)| group).collect::<Json>()));
    let events: Map<String, Json> = events.collect();
    (part, (!events.is_empty()).then_some(Json::Object(events)))
}

/// Adds a handler to its event, in the last group if that has the same source and matcher.
fn add(events: &mut Vec<(String, HookGroups)>, hook: &Hook, matcher: Option<String>, handler: Json) {
    let at = events.iter().position(|(event, _)| *event == hook.event).unwrap_or_else(|| {
        events.push((hook.event.clone(), Vec::new()));
        events.len() - 1
    });
    let groups = &mut events[at].1;
    let is_another = |(group, there): &(String, Json)| {
        *group != hook.group || there.get("matcher").and_then(Json::as_str) != matcher.as_deref()
    };
    if groups.last().is_none_or(is_another) {
        let mut group = Map::new();
        if let Some(matcher) = matcher {
            group.insert("matcher".into(), matcher.into());
        }
        group.insert("hooks".into(), json!([]));
        groups.push((hook.group.clone(), Json::Object(group)));
    }
    if let Some(Json::Array(handlers)) = groups.last_mut().and_then(|(_, group)| group.get_mut("hooks")) {
        handlers.push(handler);
    }
}

impl<'a> HookLowering<'a> {
    /// The verdict on the hook.
    fn decide(&self, matchers: &mut HookMatchers) -> HookVerdict<'a> {
        let Self { context, facts, other, hook } = *self;
        let axis = axis(context, hook);
        let kind = hook.node.get("type").and_then(Node::as_str).unwrap_or_default();
        if let Some(fault) = &other.fault {
            let axis = if other.guards { Axis::HookBlocking } else { Axis::Unreadable };
            return HookVerdict::Dropped(axis, fault.clone());
        }
        if !facts.events.contains(&hook.event) {
            return HookVerdict::Dropped(axis, facts.event_loss.clone());
        }
        if !facts.handlers.iter().any(|known| known == kind) {
            return HookVerdict::Dropped(axis, facts.handler_loss.clone());
        }
        if let Some(Err(reason)) = tool_call::server(context, hook) {
            return HookVerdict::Dropped(axis, reason);
        }
        let condition = match gate::condition(context.source, hook) {
            // The hook never runs, so only its entry in the source host's list is lost.
            HookCondition::Never(reason) => return HookVerdict::Dropped(Axis::Metadata, reason),
            condition => condition,
        };
        // If the host does not support such rules, its matcher can still name the tool.
        let tool = match condition {
            HookCondition::Tool { name, .. } if facts.gate_loss.is_some() => Some(name),
            _ => None,
        };
        let matched = matchers.rewrite(context, facts, hook, tool);
        if let Some(reason) = matched.refused {
            return HookVerdict::Dropped(axis, reason);
        }
        if matched.never {
            let what = match tool {
                Some(tool) => format!("no call can match its `if`, which is about `{tool}`"),
                None => "its matcher can never match".to_owned(),
            };
            let loss = facts.matcher_loss.as_deref().unwrap_or_default();
            return HookVerdict::Dropped(axis, format!("{what}: {loss}"));
        }
        HookVerdict::Carried { condition, tool, matched }
    }

    /// The decision about the hook as a whole.
    fn decision(&self, verdict: &HookVerdict<'_>) -> Decision {
        let Self { context, facts, other, hook } = *self;
        let decision = declarations::component(context, other);
        if let HookVerdict::Dropped(axis, reason) = verdict {
            return decision.with_outcome(RowOutcome::Dropped, reason).loss(*axis, self.owner(), "");
        }
        let differs = facts.differs.get(&hook.event);
        let non_blocking = facts.non_blocking.get(&hook.event);
        let special: Vec<&str> =
            facts.trust.iter().chain(differs).chain(non_blocking).map(String::as_str).collect();
        let decision = decision.placed_at(context.document_place(&facts.path));
        if special.is_empty() {
            return decision.with_outcome(RowOutcome::Mapped, "it runs as on the source host");
        }
        let axis = if non_blocking.is_some() { axis(context, hook) } else { Axis::Hooks };
        decision.with_outcome(RowOutcome::Degraded, special.join("; ")).loss(axis, self.owner(), "")
    }

    /// The decision about a matcher that differs on the host; handlers of one group share one.
    fn matcher(
        &self,
        matched: &LoweredMatcher,
        tool: Option<&str>,
        matchers: &mut HookMatchers,
    ) -> Option<Decision> {
        let written = self.hook.matcher.as_ref()?;
        if matched.lost.is_empty() && matched.text.as_ref() == Some(&written.text) {
            return None;
        }
        let decision = self.field("matcher", written.span, &written.pointer)?;
        if !matchers.is_new(&self.other.path, written.span) {
            return None;
        }
        let decision = decision.placed_at(matched.text.as_deref().unwrap_or("*"));
        let reason = match (&matched.note, tool) {
            (Some(note), _) => note.clone(),
            (None, Some(_)) if matched.lost.is_empty() => {
                return Some(decision.with_outcome(
                    RowOutcome::Mapped,
                    "each hook with an `if` is matched by the tool that it names",
                ));
            }
            (None, None) if matched.lost.is_empty() => {
                return Some(
                    decision.with_outcome(RowOutcome::Mapped, "tools have other names in the host's hooks"),
                );
            }
            _ => {
                let names: Vec<String> = matched.lost.iter().map(|name| format!("`{name}`")).collect();
                let loss = self.facts.matcher_loss.as_deref().unwrap_or_default();
                format!("{}: {loss}", names.join(", "))
            }
        };
        let axis = axis(self.context, self.hook);
        Some(decision.with_outcome(RowOutcome::Degraded, reason).loss(axis, self.owner(), "matcher"))
    }

    /// The decision about a hook's `if` on a host that does not support such rules: the matcher names the tool, and the
    /// rest of the rule is lost.
    fn condition(&self, condition: &HookCondition<'_>, matched: &LoweredMatcher) -> Option<Decision> {
        let (loss, entry) = self.facts.gate_loss.as_ref().zip(self.hook.node.entry("if"))?;
        let decision = self.field("if", entry.span(), &self.other.pointer.key("if"))?;
        let to = matched.text.as_deref().unwrap_or("*");
        Some(match condition {
            HookCondition::Tool { limited: true, .. } => {
                let decision = decision.placed_at(to).with_outcome(RowOutcome::Degraded, loss);
                decision.loss(Axis::Hooks, self.owner(), "if")
            }
            HookCondition::Tool { .. } => {
                decision.placed_at(to).with_outcome(RowOutcome::Mapped, "the matcher names the tool")
            }
            HookCondition::Open | HookCondition::Never(_) => {
                decision.with_outcome(RowOutcome::Dropped, "it has no effect")
            }
        })
    }
}
