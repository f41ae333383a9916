//! Servers in the host's own form, by the target's template for each transport. If the host fills no variables, paths
//! become relative to the plugin's folder, and environment variables are written in the host's own forms or dropped.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::context::LoweringContext;
use super::decision::Decision;
use super::part::LoweredPart;
use super::server_strings::Strings;
use super::{credentials, declarations, server_tools, shape};
use crate::ledger::{ComponentKind, RowOutcome};
use crate::model::plugin::{OtherBody, OtherComponent};
use crate::model::server::ServerDefinition;
use crate::read::pointer::JsonPointer;
use crate::source::Span;
use crate::target::{Axis, ServerFacts};

/// Lowers every server of a kind: names with their documents, in the order of the source; of two with the same name,
/// the later one is used.
pub(super) fn lower(
    context: &LoweringContext<'_>,
    kind: ComponentKind,
    facts: &ServerFacts,
) -> (LoweredPart, Option<Json>) {
    let mut part = LoweredPart::default();
    let mut servers = Map::new();
    let sound = |other: &OtherComponent| other.kind == kind && other.fault.is_none();
    let all = context.plugin.others.iter().enumerate().filter(|(_, other)| sound(other));
    let last: BTreeMap<&str, usize> = all.map(|(at, other)| (other.name.as_str(), at)).collect();
    for (at, other) in context.plugin.others.iter().enumerate() {
        let OtherBody::Server(server) = &other.body else { continue };
        if other.kind != kind {
            continue;
        }
        let later = last.get(other.name.as_str()).filter(|last| **last > at);
        let again = later.is_some();
        let lowering = ServerLowering { context, facts, other, server };
        if later.is_some_and(|later| is_identical(&context.plugin.others[*later], server)) {
            part.declared.push(lowering.repeated());
            continue;
        }
        if let Some(document) = lowering.lower(again, &mut part) {
            let name = facts.name.replace("{plugin}", &context.plugin.name).replace("{name}", &other.name);
            servers.insert(name, document);
        }
    }
    (part, (!servers.is_empty()).then_some(Json::Object(servers)))
}

/// Whether `other` has an identical definition.
fn is_identical(other: &OtherComponent, server: &ServerDefinition) -> bool {
    matches!(&other.body, OtherBody::Server(other) if other.node.to_json() == server.node.to_json())
}

struct ServerLowering<'a> {
    context: &'a LoweringContext<'a>,
    facts: &'a ServerFacts,
    other: &'a OtherComponent,
    server: &'a ServerDefinition,
}

impl ServerLowering<'_> {
    /// The server's document, and decisions about it and its parts.
    fn lower(&self, again: bool, part: &mut LoweredPart) -> Option<Json> {
        let mut strings = Strings::new(&self.context.defaults, self.context.source, self.facts);
        strings.read(&self.server.node);
        let refused = self.refusal(again, &strings);
        // Credentials are reported even if the server is refused because of a variable.
        let is_named = refused.is_none() || strings.unknown.is_some();
        if is_named && !again && self.other.fault.is_none() {
            part.decisions.extend(credentials::decide(self.context, self.other, &[]));
        }
        if let Some((axis, reason)) = refused {
            part.declared.push(self.server_loss(axis, RowOutcome::Dropped, &reason));
            return None;
        }
        let mut used = Vec::new();
        let table = &self.facts.transports[&self.server.transport];
        let document = shape::fill_table(table, &|name| strings.lookup(name), &mut used);
        part.decisions.extend(self.unplaced(&used));
        part.decisions.extend(strings.parts.iter().map(|(entry, pointer, outcome, reason)| {
            let pointer = self.other.pointer.join(pointer);
            self.part_decision(entry.span(), &pointer, &entry.key, *outcome, reason)
        }));
        part.declared.push(self.carried_decision(&strings));
        Some(document)
    }

    /// The axis and the reason of the loss, if the host does not get the server.
    fn refusal(&self, again: bool, strings: &Strings<'_>) -> Option<(Axis, String)> {
        if let Some(fault) = &self.other.fault {
            return Some((Axis::Unreadable, fault.clone()));
        }
        if again {
            let reason = "a server of the same name is declared elsewhere and takes precedence";
            return Some((Axis::Names, reason.to_owned()));
        }
        server_tools::refusal(self.facts, self.server, strings).map(|reason| (Axis::Servers, reason))
    }

    /// The decision about a server that is declared again with an identical definition.
    fn repeated(&self) -> Decision {
        let decision = declarations::component(self.context, self.other);
        let reason = "the same server is also declared elsewhere, and is written once";
        decision
            .with_outcome(RowOutcome::Mapped, reason)
            .placed_at(self.context.document_place(&self.facts.path))
    }

    /// The decision about a server that the host gets.
    fn carried_decision(&self, strings: &Strings<'_>) -> Decision {
        let root_loss = self.facts.root_loss.clone().filter(|_| strings.at_root);
        let lost: Vec<String> = root_loss.into_iter().chain(self.shell_loss(strings)).collect();
        let reasons: Vec<&str> = lost.iter().chain(&self.facts.note).map(String::as_str).collect();
        let reason = match reasons.is_empty() {
            true => "it is written in the host's format".to_owned(),
            false => reasons.join("; "),
        };
        let decision = match lost.is_empty() {
            false => self.server_loss(Axis::Servers, RowOutcome::Degraded, &reason),
            true => {
                declarations::component(self.context, self.other).with_outcome(RowOutcome::Mapped, reason)
            }
        };
        decision.placed_at(self.context.document_place(&self.facts.path))
    }

    /// The loss if a shell fills the variables.
    fn shell_loss(&self, strings: &Strings<'_>) -> Option<String> {
        let loss = self.facts.shell_loss.as_ref().filter(|_| !strings.shell.is_empty())?;
        let variables: Vec<String> = strings.shell.iter().map(|name| format!("`${{{name}}}`")).collect();
        Some(loss.replace("{variables}", &variables.join(", ")))
    }

    fn owner(&self) -> (ComponentKind, &str) {
        (self.other.kind, &self.other.name)
    }

    fn server_loss(&self, axis: Axis, outcome: RowOutcome, reason: &str) -> Decision {
        let decision = declarations::component(self.context, self.other).with_outcome(outcome, reason);
        decision.loss(axis, self.owner(), "")
    }

    /// Decisions about fields without an equivalent in the host's document.
    fn unplaced(&self, used: &[String]) -> Vec<Decision> {
        let mut out = Vec::new();
        for entry in self.server.node.entries() {
            let names: &[&str] = match entry.key.as_str() {
                "type" | "transport" => continue,
                "command" => &["command", "argv"],
                "args" => &["args", "argv"],
                "env" => &["env", "env_vars"],
                "headers" => &["headers", "env_headers", "bearer"],
                "extensionToLanguage" => &["extensions"],
                "url" => &["url"],
                "cwd" => &["cwd"],
                key => &[&JsonPointer::from_keys([key])],
            };
            let uses_name = used.iter().any(|used| names.contains(&used.as_str()));
            let empty = entry.node.items().is_some_and(<[_]>::is_empty) || entry.node.to_json() == json!({});
            if !uses_name && !empty {
                let pointer = self.other.pointer.key(&entry.key);
                let reason = &self.facts.field_loss;
                out.push(self.part_decision(entry.span(), &pointer, &entry.key, RowOutcome::Dropped, reason));
            }
        }
        out
    }

    fn part_decision(
        &self,
        span: Span,
        pointer: &str,
        name: &str,
        outcome: RowOutcome,
        reason: &str,
    ) -> Decision {
        let part =
            Decision::new_kept(&self.context.plugin.name, ComponentKind::Field, name, &self.other.path)
                .pointer(pointer);
        let part = match self.context.project.tree.get(&self.other.path) {
            Some(file) => part.in_file(file, span),
            None => part,
        };
        let (axis, inner) =
            (Axis::Servers, pointer.strip_prefix(self.other.pointer.as_str()).unwrap_or(pointer));
        let part = part.with_outcome(outcome, reason);
        match outcome {
            RowOutcome::Kept | RowOutcome::Mapped => part,
            _ => part.loss(axis, self.owner(), inner.trim_start_matches('/')),
        }
    }
}
