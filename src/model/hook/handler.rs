//! Checks a handler against the fields that its type has on the source host (Claude Code 2.1.330): because of one wrong
//! value, the host applies nothing that is declared beside the handler.

use super::super::plugin::Declaration;
use super::super::server::is_absolute_url;
use crate::diagnostic::{Diagnostic, RuleId};
use crate::read::tree::{Node, Value};

/// Whether a value fits a field.
type FieldCheck = fn(&Node) -> bool;

/// A field, its check, and the message and help if the check fails.
type HandlerField = (&'static str, FieldCheck, &'static str, &'static str);

/// The types, and the fields that each of them must have as text.
const TYPES: [(&str, &[&str]); 5] = [
    ("command", &["command"]),
    ("http", &["url"]),
    ("prompt", &["prompt"]),
    ("agent", &["prompt"]),
    ("mcp_tool", &["server", "tool"]),
];

const ANY_HANDLER: &[HandlerField] = &[
    (
        "timeout",
        is_positive,
        "`timeout` must be a number of seconds above zero",
        "write seconds, such as `10`",
    ),
    ("once", is_flag, "`once` must be true or false", "write `true` or leave it out"),
    ("if", is_text, "`if` must be text", "write a rule, such as `Bash(git *)`"),
    ("statusMessage", is_text, "`statusMessage` must be text", "write `\"…\"` or leave it out"),
];

const COMMAND: &[HandlerField] = &[
    ("args", is_list, "`args` must be a list of strings", "write `[\"…\"]`"),
    ("async", is_flag, "`async` must be true or false", "write `true` or leave it out"),
    ("asyncRewake", is_flag, "`asyncRewake` must be true or false", "write `true` or leave it out"),
    ("rewakeMessage", is_text, "`rewakeMessage` must be text", "write `\"…\"` or leave it out"),
    ("rewakeSummary", is_text, "`rewakeSummary` must be text", "write `\"…\"` or leave it out"),
    ("shell", is_shell, "`shell` must be `bash` or `powershell`", "write `bash` or leave it out"),
];

const HTTP: &[HandlerField] = &[
    (
        "url",
        is_url,
        "`url` must be an absolute URL",
        "write it with its scheme, such as `https://example.com/hook`",
    ),
    (
        "headers",
        is_mapping_of_texts,
        "`headers` must be a mapping of strings",
        "write `{ \"NAME\": \"value\" }`",
    ),
    ("allowedEnvVars", is_list, "`allowedEnvVars` must be a list of strings", "write `[\"…\"]`"),
];

const MODEL: HandlerField =
    ("model", is_text, "`model` must be text", "write the name of a model, or leave it out");
const PROMPT: &[HandlerField] = &[
    MODEL,
    ("continueOnBlock", is_flag, "`continueOnBlock` must be true or false", "write `true` or leave it out"),
];
const AGENT: &[HandlerField] = &[MODEL];
const MCP_TOOL: &[HandlerField] =
    &[("input", is_mapping, "`input` must be a mapping", "write `{ … }` or leave it out")];

/// The fields of a handler of this type; empty for an unknown one.
pub fn fields_of(kind: &str) -> Vec<&'static str> {
    let Some((_, needed)) = TYPES.iter().find(|(name, _)| *name == kind) else { return Vec::new() };
    let checked = ANY_HANDLER.iter().chain(own_fields(kind)).map(|(name, ..)| *name);
    let mut names: Vec<&str> = std::iter::once("type").chain(needed.iter().copied()).chain(checked).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn own_fields(kind: &str) -> &'static [HandlerField] {
    match kind {
        "command" => COMMAND,
        "http" => HTTP,
        "prompt" => PROMPT,
        "agent" => AGENT,
        _ => MCP_TOOL,
    }
}

/// The fault of a handler; a finding reports it with its position.
pub(super) fn check(node: &Node, place: &Declaration<'_>, found: &mut Vec<Diagnostic>) -> Option<String> {
    let Some(kind) = node.get("type") else {
        let help = "write `\"type\": \"command\"`";
        return Some(place.refuse(RuleId::HOOK_TYPE, node, "a hook needs a `type`", help, found));
    };
    let Some((name, needed)) = TYPES.iter().find(|(name, _)| kind.as_str() == Some(name)) else {
        let known: Vec<String> = TYPES.iter().map(|(name, _)| format!("`{name}`")).collect();
        return Some(place.refuse(
            RuleId::HOOK_TYPE,
            kind,
            "unknown hook type",
            &format!("write one of {}", known.join(", ")),
            found,
        ));
    };
    for key in *needed {
        if node.get(key).and_then(Node::as_str).is_none_or(|text| text.trim().is_empty()) {
            let at = node.get(key).unwrap_or(node);
            let message = format!("a hook of type `{name}` needs `{key}` as text");
            return Some(place.refuse(
                RuleId::HOOK_FIELD,
                at,
                &message,
                &format!("add `\"{key}\": \"…\"`"),
                found,
            ));
        }
    }
    let wrong = |(key, fits, message, help): &HandlerField| {
        let value = node.get(key).filter(|value| !fits(value))?;
        Some((value, *message, *help))
    };
    let (value, message, help) = ANY_HANDLER.iter().chain(own_fields(name)).find_map(wrong)?;
    Some(place.refuse(RuleId::HOOK_FIELD, value, message, help, found))
}

/// The host reads a number that is too large as infinite, which it does not accept.
fn is_positive(value: &Node) -> bool {
    let is_above_zero = |seconds: f64| seconds > 0.0 && seconds.is_finite();
    matches!(&value.value, Value::Number(text) if text.parse().is_ok_and(is_above_zero))
}

fn is_flag(value: &Node) -> bool {
    matches!(value.value, Value::Bool(_))
}

fn is_text(value: &Node) -> bool {
    value.as_str().is_some()
}

fn is_list(value: &Node) -> bool {
    value.items().is_some_and(|items| items.iter().all(is_text))
}

fn is_mapping(value: &Node) -> bool {
    matches!(value.value, Value::Map(_))
}

fn is_mapping_of_texts(value: &Node) -> bool {
    is_mapping(value) && value.entries().iter().all(|entry| is_text(&entry.node))
}

fn is_shell(value: &Node) -> bool {
    matches!(value.as_str(), Some("bash" | "powershell"))
}

fn is_url(value: &Node) -> bool {
    value.as_str().is_some_and(is_absolute_url)
}
