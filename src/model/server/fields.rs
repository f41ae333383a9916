//! Checks the fields of an MCP server as the source host does (Claude Code 2.1.330): it silently drops a server with a
//! field of a wrong type, so no other host may get the server either.

use crate::diagnostic::{Diagnostic, RuleId};
use crate::model::plugin::Declaration;
use crate::model::similar_names;
use crate::read::tree::{MappingEntry, Node, Value};
use crate::source_format::SourceFacts;

const RULE: RuleId = RuleId::MCP_SHAPE;
const TRANSPORT: RuleId = RuleId::MCP_TRANSPORT;

/// The largest whole number that the host represents exactly.
pub(super) const LARGEST: f64 = 9_007_199_254_740_991.0;

/// The fault in the name or the type of a server, also reported as a finding.
pub(super) fn name_and_type(
    entry: &MappingEntry,
    source: &SourceFacts,
    place: &Declaration<'_>,
    found: &mut Vec<Diagnostic>,
) -> Option<String> {
    if source.lost_server_names.contains(&entry.key) {
        let named = Node { span: entry.span(), ..entry.node.clone() };
        let message = format!("hosts silently drop a server named `{}`", entry.key);
        return Some(place.refuse(
            RuleId::MCP_RESERVED_NAME,
            &named,
            &message,
            "give it another name",
            found,
        ));
    }
    let given = entry.node.get("type")?;
    let known = source.server_types.iter();
    match given.as_str() {
        Some(name) if !source.server_types.iter().any(|known| known == name) => {
            let near = similar_names::nearest(name, known.clone().map(String::as_str))
                .map_or(String::new(), |near| format!("did you mean `{near}`? "));
            let help = format!("{near}write one of {}", name_list(known));
            Some(place.refuse(TRANSPORT, given, &format!("unknown server type `{name}`"), &help, found))
        }
        Some("stdio") if entry.node.get("url").is_some() && entry.node.get("command").is_none() => {
            let message = "a server of type `stdio` needs a `command`, but this one has a `url`";
            Some(place.refuse(TRANSPORT, given, message, "write `\"type\": \"http\"`", found))
        }
        Some(_) => None,
        None => {
            let message = format!("the type of a server must be text, found {}", given.kind());
            let help = format!("write one of {}", name_list(known));
            Some(place.refuse(TRANSPORT, given, &message, &help, found))
        }
    }
}

fn name_list<'a>(known: impl Iterator<Item = &'a String>) -> String {
    known.map(|known| format!("`{known}`")).collect::<Vec<_>>().join(", ")
}

/// The fault in the other fields, also reported as a finding.
pub(super) fn check(node: &Node, place: &Declaration<'_>, found: &mut Vec<Diagnostic>) -> Option<String> {
    let remote = match node.get("type").and_then(Node::as_str) {
        Some(kind) => kind != "stdio",
        None => node.get("url").is_some() && node.get("command").is_none(),
    };
    let is = |key: &str, fits: fn(&Node) -> bool| node.get(key).filter(|value| !fits(value));
    let of_remote = |key: &str, fits: fn(&Node) -> bool| is(key, fits).filter(|_| remote);
    let of_local = |key: &str, fits: fn(&Node) -> bool| is(key, fits).filter(|_| !remote);
    let wrong: [ServerFault<'_>; 8] = [
        (of_local("args", is_list), "`args` must be a list of strings", "write `[\"…\"]`"),
        (
            of_local("env", is_mapping_of_texts),
            "`env` must be a mapping of strings",
            "write `\"env\": { \"NAME\": \"value\" }`",
        ),
        (
            of_remote("url", is_url),
            "`url` must be an absolute URL",
            "write it with its scheme, such as `https://example.com/mcp`",
        ),
        (
            of_remote("headers", is_mapping_of_texts),
            "`headers` must be a mapping of strings",
            "write `\"headers\": { \"NAME\": \"value\" }`",
        ),
        (
            of_remote("headersHelper", is_text),
            "`headersHelper` must be text",
            "write a command, or leave it out",
        ),
        (
            of_remote("oauth", is_authorization),
            "`oauth` must be a mapping whose fields have the types that the host expects",
            "write `clientId` and `scopes` as text, `callbackPort` as a whole number, `xaa` as true or false, and \
             `authServerMetadataUrl` as an `https` URL",
        ),
        (
            is("timeout", is_whole),
            "`timeout` must be a whole number of milliseconds above zero",
            "write milliseconds, such as `30000`",
        ),
        (is("alwaysLoad", is_flag), "`alwaysLoad` must be true or false", "write `true` or leave it out"),
    ];
    refuse(RULE, wrong, place, found)
}

/// A value that does not fit, if any, with the message and the help.
pub(super) type ServerFault<'a> = (Option<&'a Node>, &'static str, &'static str);

/// Reports the first fault, if any.
pub(super) fn refuse<'a>(
    rule: RuleId,
    faults: impl IntoIterator<Item = ServerFault<'a>>,
    place: &Declaration<'_>,
    found: &mut Vec<Diagnostic>,
) -> Option<String> {
    let (value, message, help) =
        faults.into_iter().find_map(|(value, message, help)| Some((value?, message, help)))?;
    Some(place.refuse(rule, value, message, help, found))
}

/// Whether the text is an absolute URL; with `http` or a similar scheme, it must name a host.
pub fn is_absolute_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.trim().split_once(':') else { return false };
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    if !scheme.starts_with(|c: char| c.is_ascii_alphabetic()) || !scheme.chars().all(word) {
        return false;
    }
    if !["http", "https", "ws", "wss"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        return true;
    }
    let rest = rest.trim_start_matches(['/', '\\']);
    let host = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    !host.is_empty() && !host.starts_with(':') && !host.contains([' ', '<', '>', '^', '|', '%'])
}

/// The value of a variable is not known, so a text with one is accepted.
fn is_url(value: &Node) -> bool {
    value.as_str().is_some_and(|text| text.contains("${") || is_absolute_url(text))
}

pub(super) fn is_text(value: &Node) -> bool {
    value.as_str().is_some()
}

pub(super) fn is_flag(value: &Node) -> bool {
    matches!(value.value, Value::Bool(_))
}

fn is_list(value: &Node) -> bool {
    value.items().is_some_and(|items| items.iter().all(is_text))
}

pub(super) fn is_mapping_of_texts(value: &Node) -> bool {
    matches!(value.value, Value::Map(_)) && value.entries().iter().all(|entry| is_text(&entry.node))
}

fn is_authorization(value: &Node) -> bool {
    let secure =
        |node: &Node| node.as_str().is_some_and(|text| text.starts_with("https://") && is_absolute_url(text));
    let fits = |key: &str, fits: fn(&Node) -> bool| value.get(key).is_none_or(fits);
    matches!(value.value, Value::Map(_))
        && fits("clientId", is_text)
        && fits("scopes", is_text)
        && fits("callbackPort", is_whole)
        && fits("xaa", is_flag)
        && value.get("authServerMetadataUrl").is_none_or(secure)
}

pub(super) fn is_whole(value: &Node) -> bool {
    let fits = |number: f64| number > 0.0 && number.fract() == 0.0 && number <= LARGEST;
    matches!(&value.value, Value::Number(text) if text.parse().is_ok_and(fits))
}

#[cfg(test)]
mod tests {
    use super::is_absolute_url;

    #[test]
    fn an_absolute_url_names_its_scheme_and_host() {
        for good in [
            "https://a.b/",
            "https:a.b",
            "HTTPS://a",
            " http://[::1]:80/ ",
            "https://${X}/a",
            "file:///x",
            "a:b",
        ] {
            assert!(is_absolute_url(good), "{good}");
        }
        for bad in ["", "nope", "/relative", "https://", "https:///", "https://a b/", "1x://a", "http://:80"]
        {
            assert!(!is_absolute_url(bad), "{bad}");
        }
    }
}
