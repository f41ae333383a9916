//! Checks the fields of an LSP server as the source host does (Claude Code 2.1.330): because of one unknown field or
//! wrong type, it skips all servers of the file.

use super::fields::{LARGEST, ServerFault, is_flag, is_mapping_of_texts, is_text, is_whole, refuse};
use crate::diagnostic::{Diagnostic, RuleId};
use crate::model::plugin::Declaration;
use crate::model::similar_names;
use crate::read::tree::{MappingEntry, Node, Value};

const RULE: RuleId = RuleId::LSP_SHAPE;

/// The fields that the host knows.
const FIELDS: [&str; 14] = [
    "args",
    "command",
    "diagnostics",
    "env",
    "extensionToLanguage",
    "initializationOptions",
    "maxRestarts",
    "requestTimeout",
    "restartOnCrash",
    "settings",
    "shutdownTimeout",
    "startupTimeout",
    "transport",
    "workspaceFolder",
];

/// The longest time that the host waits for a response, in milliseconds.
const LONGEST: f64 = 2_147_483_647.0;

/// The fault of a server, also reported as a finding.
pub(super) fn check(
    entry: &MappingEntry,
    place: &Declaration<'_>,
    found: &mut Vec<Diagnostic>,
) -> Option<String> {
    let node = &entry.node;
    if let Some(odd) = node.entries().iter().find(|field| !FIELDS.contains(&field.key.as_str())) {
        let help = match similar_names::misspelt_name(&odd.key, FIELDS) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "remove it".to_owned(),
        };
        let message = format!("unknown field `{}` of an LSP server", odd.key);
        let key = Node { span: odd.key_span, ..odd.node.clone() };
        return Some(place.refuse(RULE, &key, &message, &help, found));
    }
    let is = |key: &str, fits: fn(&Node) -> bool| node.get(key).filter(|value| !fits(value));
    let timeout = |key: &str| is(key, is_whole);
    let wrong: [ServerFault<'_>; 11] = [
        (
            is("command", is_program),
            "`command` must be one program without spaces",
            "move the rest to `args`",
        ),
        (is("args", is_list), "`args` must be a list of non-empty strings", "write `[\"…\"]`"),
        (
            is("extensionToLanguage", is_languages),
            "`extensionToLanguage` must map extensions with a dot to languages",
            "write `{ \".go\": \"go\" }`",
        ),
        (
            is("env", is_mapping_of_texts),
            "`env` must be a mapping of strings",
            "write `\"env\": { \"NAME\": \"value\" }`",
        ),
        (
            is("transport", |value| matches!(value.as_str(), Some("stdio" | "socket"))),
            "`transport` must be `stdio` or `socket`",
            "leave it out for `stdio`",
        ),
        (is("workspaceFolder", is_text), "`workspaceFolder` must be text", "write a path, or leave it out"),
        (timeout("startupTimeout"), TIMEOUT.0, TIMEOUT.1),
        (timeout("shutdownTimeout"), TIMEOUT.0, TIMEOUT.1),
        (
            is("requestTimeout", |value| is_whole(value) && number(value).is_some_and(|n| n <= LONGEST)),
            TIMEOUT.0,
            TIMEOUT.1,
        ),
        (
            is("restartOnCrash", is_flag).or_else(|| is("diagnostics", is_flag)),
            "the value must be true or false",
            "write `true` or `false`",
        ),
        (is("maxRestarts", is_count), "`maxRestarts` must be a whole number", "write a number such as `3`"),
    ];
    refuse(RULE, wrong, place, found)
}

const TIMEOUT: (&str, &str) =
    ("a timeout must be a whole number of milliseconds above zero", "write milliseconds, such as `30000`");

fn is_program(value: &Node) -> bool {
    value.as_str().is_some_and(|text| !text.contains(' ') || text.starts_with('/'))
}

fn is_list(value: &Node) -> bool {
    value.items().is_some_and(|items| items.iter().all(is_filled))
}

fn is_filled(value: &Node) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

fn is_languages(value: &Node) -> bool {
    let fits =
        |entry: &MappingEntry| entry.key.len() > 1 && entry.key.starts_with('.') && is_filled(&entry.node);
    value.entries().iter().all(fits)
}

fn is_count(value: &Node) -> bool {
    number(value).is_some_and(|n| n >= 0.0 && n.fract() == 0.0 && n <= LARGEST)
}

fn number(value: &Node) -> Option<f64> {
    match &value.value {
        Value::Number(text) => text.parse().ok(),
        _ => None,
    }
}
