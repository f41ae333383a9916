//! Servers in the host's own form, by the target's template for each transport. Where the host
//! replaces no variables, paths become relative to the plugin's folder and what comes from the
//! environment is said in the forms that the host has for it, or not at all.

mod parts;
mod shell_line;
mod strings;

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use self::strings::Strings;
use super::{LoweredBundle, LoweringContext, hooks_and_servers, rows, shape};
use crate::ledger::{ComponentKind, LedgerRow, RowOutcome};
use crate::model::plugin::{OtherBody, OtherComponent};
use crate::model::project::Project;
use crate::model::references::ANY_TOOL;
use crate::model::server::{self, ServerDefinition};
use crate::read::format::SourceFacts;
use crate::read::tree::{MappingEntry, Node, escaped};
use crate::source::Span;
use crate::target::{Axis, ServerFacts, Target};

/// Lowers every server of a kind: names with their documents, in the order of the source; of two
/// with one name the later counts.
pub(super) fn lower(
    scene: &LoweringContext<'_>,
    kind: &str,
    facts: &ServerFacts,
    cast: &mut LoweredBundle,
) -> Option<Json> {
    let mut servers = Map::new();
    let sound = |other: &OtherComponent| other.kind == kind && other.fault.is_none();
    let all = scene.plugin.others.iter().enumerate().filter(|(_, other)| sound(other));
    let last: BTreeMap<&str, usize> = all.map(|(at, other)| (other.name.as_str(), at)).collect();
    for (at, other) in scene.plugin.others.iter().enumerate() {
        let OtherBody::Server(server) = &other.body else { continue };
        if other.kind != kind {
            continue;
        }
        let again = last.get(other.name.as_str()).is_some_and(|last| *last > at);
        let lowering = ServerLowering { scene, facts, other, server };
        if let Some(document) = lowering.lower(again, cast) {
            let name = facts.name.replace("{plugin}", &scene.plugin.name).replace("{name}", &other.name);
            servers.insert(name, document);
        }
    }
    (!servers.is_empty()).then_some(Json::Object(servers))
}

/// The tools of the source's servers on the host, by how their names begin on the source host.
#[derive(Debug, Default)]
pub(crate) struct ServerTools {
    /// What stands for them, by their name with `NAME` for the tool.
    pub stands: BTreeMap<String, String>,
    /// Why the host does not get the server.
    pub lost: BTreeMap<String, String>,
}

impl ServerTools {
    /// Those of every server of `project` that the source host takes.
    pub fn new(project: &Project, target: &Target, source: &SourceFacts) -> Self {
        let mut out = Self::default();
        let Some(facts) = &target.servers else { return out };
        for plugin in &project.plugins {
            let defaults = hooks_and_servers::defaults(plugin, source);
            for other in plugin.servers().filter(|other| other.fault.is_none()) {
                let OtherBody::Server(server) = &other.body else { continue };
                let ours = server::tools_of(&plugin.name, &other.name);
                let mut strings = Strings::new(&defaults, source, facts);
                strings.read(&server.node);
                if let Some(reason) = refusal(facts, server, &strings) {
                    out.lost.insert(ours, reason);
                } else if let Some(form) = &facts.tools {
                    let stands = form
                        .replace("{plugin}", &server::in_tool(&plugin.name, target.tool_dash()))
                        .replace("{server}", &server::in_tool(&other.name, target.tool_dash()));
                    out.stands.insert(format!("{ours}{ANY_TOOL}"), format!("`{stands}`"));
                }
            }
        }
        // Of two servers with one name the host gets the one that it can.
        out.lost.retain(|ours, _| !out.stands.contains_key(&format!("{ours}{ANY_TOOL}")));
        if let Some(lost) = target.servers.as_ref().and_then(|facts| facts.lost_tools.as_ref()) {
            for ours in out.lost.keys() {
                out.stands.insert(format!("{ours}{ANY_TOOL}"), lost.clone());
            }
        }
        out
    }
}

/// Why the host does not take a server that can be read.
fn refusal(facts: &ServerFacts, server: &ServerDefinition, strings: &Strings<'_>) -> Option<String> {
    if !facts.transports.contains_key(&server.transport) {
        return Some(facts.transport_loss.clone());
    }
    let why = facts.variable_loss.as_deref().unwrap_or_default();
    strings.unknown.as_ref().map(|variable| format!("it names `${{{variable}}}`: {why}"))
}

struct ServerLowering<'a> {
    scene: &'a LoweringContext<'a>,
    facts: &'a ServerFacts,
    other: &'a OtherComponent,
    server: &'a ServerDefinition,
}

impl ServerLowering<'_> {
    fn lower(&self, again: bool, cast: &mut LoweredBundle) -> Option<Json> {
        let row = rows::other(self.scene, self.other);
        let mut strings = Strings::new(&self.scene.defaults, self.scene.source, self.facts);
        strings.read(&self.server.node);
        let refused = if let Some(fault) = &self.other.fault {
            Some((Axis::Unreadable, fault.clone()))
        } else if again {
            Some((
                Axis::Names,
                "a server of the same name is declared elsewhere and takes precedence".to_owned(),
            ))
        } else {
            let refused = refusal(self.facts, self.server, &strings);
            if refused.is_none() || strings.unknown.is_some() {
                hooks_and_servers::secrets(self.scene, self.other, cast.rows.len(), cast);
            }
            refused.map(|reason| (Axis::Servers, reason))
        };
        if let Some((axis, reason)) = refused {
            cast.rows.push(self.lost(row, axis, &reason));
            return None;
        }
        let mut used = Vec::new();
        let table = &self.facts.transports[&self.server.transport];
        let document = shape::fill(table, &|name| strings.lookup(name), &mut used);
        self.fields(&used, cast);
        for (entry, pointer, outcome, reason) in &strings.said {
            let pointer = format!("{}/{pointer}", self.other.pointer);
            cast.rows.push(self.part(entry.span(), &pointer, &entry.key, *outcome, reason));
        }
        let row = row.to(hooks_and_servers::place(self.scene, &self.facts.path));
        let root_loss = self.facts.root_loss.clone().filter(|_| strings.at_root);
        let lost: Vec<String> = root_loss.into_iter().chain(self.shell_loss(&strings)).collect();
        let reasons: Vec<&str> = lost.iter().chain(&self.facts.note).map(String::as_str).collect();
        let reason = if reasons.is_empty() {
            "it is written in the host's format".to_owned()
        } else {
            reasons.join("; ")
        };
        cast.rows.push(match lost.is_empty() {
            false => self.lost(row, Axis::Servers, "").became(RowOutcome::Degraded, reason),
            true => row.became(RowOutcome::Mapped, reason),
        });
        Some(document)
    }

    /// What it means that a shell fills the variables.
    fn shell_loss(&self, strings: &Strings<'_>) -> Option<String> {
        let loss = self.facts.shell_loss.as_ref().filter(|_| !strings.shell.is_empty())?;
        let variables: Vec<String> = strings.shell.iter().map(|name| format!("`${{{name}}}`")).collect();
        Some(loss.replace("{variables}", &variables.join(", ")))
    }

    fn owner(&self) -> (ComponentKind, &str) {
        (ComponentKind::from_id(&self.other.kind).unwrap_or(ComponentKind::McpServer), &self.other.name)
    }

    fn lost(&self, row: LedgerRow, axis: Axis, reason: &str) -> LedgerRow {
        row.became(RowOutcome::Dropped, reason).loss(axis.id(), axis.floor(), self.owner(), "")
    }

    /// Rows for fields that the host's document has no place for.
    fn fields(&self, used: &[String], cast: &mut LoweredBundle) {
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
                key => &[&format!("/{key}")],
            };
            let said = used.iter().any(|used| names.contains(&used.as_str()));
            let empty = entry.node.items().is_some_and(<[_]>::is_empty) || entry.node.to_json() == json!({});
            if !said && !empty {
                let pointer = format!("{}/{}", self.other.pointer, escaped(&entry.key));
                let reason = &self.facts.field_loss;
                cast.rows.push(self.part(entry.span(), &pointer, &entry.key, RowOutcome::Dropped, reason));
            }
        }
    }

    fn part(&self, span: Span, pointer: &str, name: &str, outcome: RowOutcome, reason: &str) -> LedgerRow {
        let row = LedgerRow::kept(&self.scene.plugin.name, ComponentKind::Field, name, &self.other.path)
            .pointer(pointer);
        let row = match self.scene.project.tree.get(&self.other.path) {
            Some(file) => row.at(rows::span(file, span)),
            None => row,
        };
        let (axis, inner) = (Axis::Servers, pointer.strip_prefix(&self.other.pointer).unwrap_or(pointer));
        let row = row.became(outcome, reason);
        match outcome {
            RowOutcome::Kept | RowOutcome::Mapped => row,
            _ => row.loss(axis.id(), axis.floor(), self.owner(), inner.trim_start_matches('/')),
        }
    }
}

/// A row that a part of a server needs: the part, its pointer, what became of it and why.
type PartRow = (MappingEntry, String, RowOutcome, String);

/// A field of a server as a mapping of texts.
fn texts(node: &Node, key: &str) -> Vec<(MappingEntry, String)> {
    let entries = node.get(key).map(Node::entries).unwrap_or_default();
    entries.iter().filter_map(|entry| Some((entry.clone(), entry.node.scalar()?))).collect()
}
