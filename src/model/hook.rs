//! Hooks: one component per handler, with its event, its matcher and its faults. A handler that the source host would
//! refuse is reported, and no host gets it (Claude Code 2.1.330).

mod handler;

use std::collections::BTreeMap;

use super::credentials::{self, CredentialOwner, Secret};
use super::plugin::{Declaration, OtherBody, OtherComponent};
use super::similar_names;
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::read::pointer::{JsonPointer, keys};
use crate::read::tree::{MappingEntry, Node, Value};
use crate::source::{ComponentKind, SourceFile, Span, is_markdown};
use crate::source_format::SourceFacts;

pub use handler::fields_of;

/// A text of a JSON file with its position.
#[derive(Debug, Clone)]
pub struct LocatedText {
    /// The JSON pointer of the value.
    pub pointer: JsonPointer,
    /// Its bytes.
    pub span: Span,
    /// The text.
    pub text: String,
}

/// The binding of a handler.
#[derive(Debug, Clone)]
pub struct Hook {
    /// The event.
    pub event: String,
    /// The matcher of its group, if it is not empty.
    pub matcher: Option<LocatedText>,
    /// The JSON pointer of its group: handlers of one group stay together.
    pub group: String,
    /// The other keys of its group, with the JSON pointer of the group.
    pub other_keys: Vec<LocatedText>,
    /// The handler itself, with variables in place of credentials.
    pub node: Node,
    /// Credentials that were in plain text.
    pub secrets: Vec<Secret>,
}

impl Hook {
    /// Whether its command is a shell command that contains a value of the user's configuration: the source host
    /// refuses to run such a hook (2.1.330).
    pub fn fills_shell(&self) -> bool {
        fills_shell(&self.node)
    }
}

fn fills_shell(node: &Node) -> bool {
    let command = node.get("command").and_then(Node::as_str).unwrap_or_default();
    node.get("args").is_none() && command.contains("${user_config.")
}

/// Reports that the source host never runs such a hook.
fn unfilled(node: &Node, place: &Declaration<'_>) -> Option<Diagnostic> {
    let command = node.get("command").filter(|_| fills_shell(node))?;
    let message =
        "the source host refuses to run this hook: it does not fill `${user_config.…}` in a shell command";
    let help = "pass the words as `args`, or use the variable `CLAUDE_PLUGIN_OPTION_<KEY>`";
    Some(
        Diagnostic::in_file(place.file, command.span, Severity::Warning, RuleId::HOOK_FIELD, message)
            .help(help),
    )
}

/// Adds every handler below `node` to `out`; handlers of one event and matcher are numbered from 1 across all
/// declarations.
pub fn find(
    node: &Node,
    place: &Declaration<'_>,
    source: &SourceFacts,
    out: &mut Vec<OtherComponent>,
    found: &mut Vec<Diagnostic>,
) {
    let (first, told) = (out.len(), found.len());
    read_handlers(node, place, source, out, found);
    for other in out[first..].iter_mut().filter(|other| other.fault.is_some()) {
        let mut steps = keys(&other.pointer);
        let is_whole = matches!(other.body, OtherBody::Whole);
        other.guards = steps.any(|step| source.guard_events.contains(&step))
            || is_whole && other.span.is_some_and(|span| holds_guard(node, span, source));
        if other.guards {
            let about = other.span.unwrap_or(node.span);
            let (start, end) = (place.file.position(about.start), place.file.position(about.end));
            let within = |finding: &&mut Diagnostic| {
                let at = (finding.line, finding.column);
                (start.line, start.column) <= at && at <= (end.line, end.column)
            };
            for finding in found[told..].iter_mut().filter(within) {
                finding.severity = Severity::Error;
                let help = finding.help.take().unwrap_or_default();
                // Of a skill, the source host only leaves out the hooks (Claude Code 2.1.330).
                let what = match is_markdown(&place.file.path) {
                    true => "leaves these hooks out",
                    false => "refuses the whole plugin",
                };
                finding.help = Some(format!("{help}; until then the source host {what}"));
            }
        }
    }
}

/// Whether a mapping within `span` names an event that can block an action.
fn holds_guard(node: &Node, span: Span, source: &SourceFacts) -> bool {
    let named = |entry: &MappingEntry| {
        let empty = entry.node.value == Value::Null || entry.node.items().is_some_and(<[Node]>::is_empty);
        span.contains(entry.key_span.start) && source.guard_events.contains(&entry.key) && !empty
    };
    node.entries().iter().any(|entry| named(entry) || holds_guard(&entry.node, span, source))
        || node.items().unwrap_or_default().iter().any(|item| holds_guard(item, span, source))
}

fn read_handlers(
    node: &Node,
    place: &Declaration<'_>,
    source: &SourceFacts,
    out: &mut Vec<OtherComponent>,
    found: &mut Vec<Diagnostic>,
) {
    if let Some(fault) = refusal(node, place, found) {
        return out.push(place.component(
            None,
            &place.file_name(),
            &JsonPointer::default(),
            node.span,
            OtherBody::Whole,
            Some(fault),
        ));
    }
    // Events are inside `hooks` only in a separate file.
    let (events, pointer) = match node.entry("hooks").filter(|_| place.own_file) {
        Some(entry) => (&entry.node, place.pointer.key("hooks")),
        None if place.own_file => {
            if node.entry("modules").is_none() {
                out.push(unkeyed_hooks(node, place, found));
            }
            return;
        }
        None => (node, place.pointer.clone()),
    };
    if !is_events(events, source) {
        let fault = place.refuse(
            RuleId::HOOK_WRAPPER,
            events,
            "hooks must be a mapping of events",
            "write `{ \"hooks\": { \"<Event>\": [ … ] } }`",
            found,
        );
        // The source host refuses an empty list, too, but nothing is lost with it.
        if events.items().is_some_and(<[Node]>::is_empty) {
            return;
        }
        // The fault then applies to the whole file.
        let pointer = if place.own_file { JsonPointer::default() } else { pointer };
        out.push(place.component(
            None,
            &place.file_name(),
            &pointer,
            events.span,
            OtherBody::Whole,
            Some(fault),
        ));
        return;
    }
    read_events(events, &pointer, place, source, out, found);
}

/// Whether a node is a mapping of events, not another value or a handler that names its event in a field.
fn is_events(node: &Node, source: &SourceFacts) -> bool {
    let entries = node.entries();
    let is_field =
        |entry: &MappingEntry| entry.node.scalar().is_some() && !source.hook_events.contains(&entry.key);
    matches!(node.value, Value::Map(_)) && (entries.is_empty() || !entries.iter().all(is_field))
}

/// Reads the handlers of each event in the mapping `events`.
fn read_events(
    events: &Node,
    pointer: &JsonPointer,
    place: &Declaration<'_>,
    source: &SourceFacts,
    out: &mut Vec<OtherComponent>,
    found: &mut Vec<Diagnostic>,
) {
    let mut numbers = HandlerCounts::from_components(out);
    for event in events.entries() {
        if events.entry(&event.key).is_some_and(|last| last.key_span != event.key_span) {
            let fault = Some("the event is repeated below, and the last one is used".to_owned());
            let pointer = pointer.key(&event.key);
            out.push(place.component(None, &event.key, &pointer, event.span(), OtherBody::Whole, fault));
            continue;
        }
        let unknown =
            (!source.hook_events.contains(&event.key)).then(|| unknown_event(event, place, source, found));
        let pointer = pointer.key(&event.key);
        let Some(groups) = event.node.items() else {
            if let Some(fault) = unknown {
                let name = numbers.next_name(&format!("{}/*/", event.key));
                out.push(place.component(None, &name, &pointer, event.span(), OtherBody::Whole, Some(fault)));
                continue;
            }
            let fault = place.refuse(
                RuleId::HOOK_FIELD,
                &event.node,
                "an event takes a list of groups",
                "write `[ { \"hooks\": [ … ] } ]`",
                found,
            );
            out.push(place.component(
                None,
                &numbers.next_name(&format!("{}/*/", event.key)),
                &pointer,
                event.node.span,
                OtherBody::Whole,
                Some(fault),
            ));
            continue;
        };
        for (at, group) in groups.iter().enumerate() {
            let pointer = pointer.item(at);
            group_of(&event.key, group, &pointer, place, &mut numbers, out, found);
        }
    }
}

/// Why the source host ignores a whole file of hooks, if a field beside them has the wrong type.
fn refusal(node: &Node, place: &Declaration<'_>, found: &mut Vec<Diagnostic>) -> Option<String> {
    let beside =
        |key: &str, fits: fn(&Node) -> bool| node.get(key).filter(|value| place.own_file && !fits(value));
    let (value, message, help) = match beside("description", |value| value.as_str().is_some()) {
        Some(value) => (value, "`description` must be text", "write text, or leave it out"),
        None => {
            let value = beside("modules", |value| value.items().is_some())?;
            (value, "`modules` must be a list", "write a list, or leave it out")
        }
    };
    Some(place.refuse(RuleId::HOOK_FIELD, value, message, help, found))
}

/// The finding about an unknown event, which the source host skips.
fn unknown_event(
    event: &MappingEntry,
    place: &Declaration<'_>,
    source: &SourceFacts,
    found: &mut Vec<Diagnostic>,
) -> String {
    // In a file or a manifest, it skips only the event (2.1.330).
    let in_entry = place.file.path.as_str().ends_with(&source.marketplace);
    let effect = if in_entry { "the source host does not install the plugin" } else { "its hooks never run" };
    let message = format!("unknown event `{}`; {effect}", event.key);
    let near = similar_names::misspelt_name(&event.key, source.hook_events.iter().map(String::as_str));
    let (severity, help) = match near {
        Some(near) => (Severity::Error, format!("did you mean `{near}`?")),
        None if event.key == "hooks" => {
            (Severity::Warning, "write the events without the enclosing `hooks`".to_owned())
        }
        None => {
            let severity = if in_entry { Severity::Error } else { Severity::Warning };
            (severity, "write an event that the source host knows, such as `PreToolUse`".to_owned())
        }
    };
    found.push(
        Diagnostic::in_file(place.file, event.key_span, severity, RuleId::HOOK_EVENT, message.clone())
            .help(help),
    );
    message
}

/// Whether a file of hooks declares none, inside `hooks` or elsewhere.
pub fn is_nothing(node: &Node) -> bool {
    let empty = node.get("hooks").is_none_or(|hooks| matches!(hooks.value, Value::Null));
    let is_full =
        |node: &Node| !node.entries().is_empty() || node.items().is_some_and(|items| !items.is_empty());
    empty && !node.entries().iter().any(|entry| is_full(&entry.node))
}

/// The finding about a file of hooks with neither a hook nor the key `hooks`: the source host reports it and loads the
/// rest.
pub fn empty_hooks(file: &SourceFile) -> Diagnostic {
    let message = "the file declares no hooks, and the source host reports an error for it";
    Diagnostic::for_file(&file.path, Severity::Warning, RuleId::HOOK_WRAPPER, message)
        .help("remove the file, or write `{ \"hooks\": {} }`")
}

/// A file of hooks without the key `hooks`: the source host then refuses the plugin, or all its hooks.
fn unkeyed_hooks(node: &Node, place: &Declaration<'_>, found: &mut Vec<Diagnostic>) -> OtherComponent {
    let message = "the events are not inside a `hooks` object, so no hook runs";
    let first = Span::new(node.span.start, node.span.start + 1);
    let finding = Diagnostic::in_file(place.file, first, Severity::Error, RuleId::HOOK_WRAPPER, message);
    found.push(finding.help("write `{ \"hooks\": { \"<Event>\": [ … ] } }`"));
    let fault = Some(message.to_owned());
    place.component(None, &place.file_name(), &JsonPointer::default(), node.span, OtherBody::Whole, fault)
}

/// The keys of a group of handlers.
pub const GROUP_KEYS: [&str; 2] = ["matcher", "hooks"];

fn group_of(
    event: &str,
    group: &Node,
    pointer: &JsonPointer,
    place: &Declaration<'_>,
    numbers: &mut HandlerCounts,
    out: &mut Vec<OtherComponent>,
    found: &mut Vec<Diagnostic>,
) {
    let matcher = group.get("matcher");
    let pattern = matcher.and_then(Node::as_str).filter(|text| !text.is_empty());
    let located = matcher.zip(pattern).filter(|(_, text)| *text != "*").map(|(node, text)| LocatedText {
        pointer: pointer.key("matcher"),
        span: node.span,
        text: text.to_owned(),
    });
    let prefix = format!("{event}/{}/", pattern.unwrap_or("*"));
    let bad_matcher = matcher.filter(|node| node.as_str().is_none()).map(|node| {
        place.refuse(
            RuleId::HOOK_MATCHER,
            node,
            &format!("`matcher` must be text, found {}", node.kind()),
            "write a tool's name, or leave it out",
            found,
        )
    });
    let Some(handlers) = group.get("hooks").and_then(Node::items) else {
        let fault = place.refuse(
            RuleId::HOOK_FIELD,
            group,
            "a group of hooks needs a list `hooks`",
            "write `{ \"matcher\": \"…\", \"hooks\": [ … ] }`",
            found,
        );
        let name = numbers.next_name(&prefix);
        out.push(place.component(None, &name, pointer, group.span, OtherBody::Whole, Some(fault)));
        return;
    };
    let other_keys = group.entries().iter().filter(|entry| !GROUP_KEYS.contains(&entry.key.as_str()));
    let other_keys: Vec<LocatedText> = other_keys
        .map(|entry| LocatedText { pointer: pointer.clone(), span: entry.key_span, text: entry.key.clone() })
        .collect();
    let group_place = format!("{}:{pointer}", place.file.path);
    for (at, node) in handlers.iter().enumerate() {
        let fault = bad_matcher.clone().or_else(|| handler::check(node, place, found));
        found.extend(unfilled(node, place).filter(|_| fault.is_none()));
        let name = numbers.next_name(&prefix);
        let pointer = pointer.key("hooks").item(at);
        let mut node = node.clone();
        let title = format!("the hook `{name}`");
        let shell = node.get("args").is_none();
        let secrets = credentials::replace(
            CredentialOwner { title: &title, prefix: "hook", shell },
            &mut node,
            &pointer,
            place,
            found,
        );
        let span = node.span;
        let hook = Hook {
            event: event.to_owned(),
            matcher: located.clone(),
            group: group_place.clone(),
            other_keys: other_keys.clone(),
            node,
            secrets,
        };
        let body = OtherBody::Hook(Box::new(hook));
        out.push(place.component(None, &name, &pointer, span, body, fault));
    }
}

/// The number of handlers per event and matcher so far.
struct HandlerCounts(BTreeMap<String, usize>);

impl HandlerCounts {
    fn from_components(out: &[OtherComponent]) -> Self {
        let mut numbers = Self(BTreeMap::new());
        for other in out.iter().filter(|other| other.kind == ComponentKind::Hook) {
            if let Some(end) = other.name.rfind('/') {
                *numbers.0.entry(other.name[..=end].to_owned()).or_default() += 1;
            }
        }
        numbers
    }

    /// The name of the next handler of `event/matcher/`.
    fn next_name(&mut self, prefix: &str) -> String {
        let number = self.0.entry(prefix.to_owned()).or_default();
        *number += 1;
        format!("{prefix}{number}")
    }
}
