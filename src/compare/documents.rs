//! The emitted documents of a bundle as values, each read once: frontmatter, JSON, YAML and TOML.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value as Json;

use crate::model::qualified_name::last_of;
use crate::read::pointer::JsonPointer;
use crate::read::{frontmatter, yaml};
use crate::source::{Span, is_markdown};

/// The files of one bundle.
pub(super) struct Documents<'a> {
    text: &'a dyn Fn(&str) -> Option<String>,
    known: RefCell<BTreeMap<String, Rc<Json>>>,
    /// By document, the pointers of its mappings by their names.
    names: RefCell<BTreeMap<String, BTreeMap<String, JsonPointer>>>,
}

impl<'a> Documents<'a> {
    /// `text` returns the text of the file at a path of the bundle.
    pub(super) fn new(text: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self { text, known: RefCell::default(), names: RefCell::default() }
    }

    /// The text of a file; empty if it is missing or not text.
    pub(super) fn text(&self, path: &str) -> String {
        (self.text)(path).unwrap_or_default()
    }

    /// The value of a document, parsed by its extension; null if it has none.
    pub(super) fn value(&self, path: &str) -> Rc<Json> {
        if let Some(known) = self.known.borrow().get(path) {
            return Rc::clone(known);
        }
        let text = self.text(path);
        let value = match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
            "json" => serde_json::from_str(&text).ok(),
            "toml" => toml::from_str(&text).ok(),
            "yaml" | "yml" => yaml::parse(&text, Span::new(0, text.len())).0.map(|node| node.to_json()),
            _ if is_markdown(path) => frontmatter::parse(&text).fields.map(|node| node.to_json()),
            _ => None,
        };
        let value = Rc::new(value.unwrap_or_default());
        self.known.borrow_mut().insert(path.to_owned(), Rc::clone(&value));
        value
    }

    /// The pointer of the outermost mapping of a document at the key `name`, or at a key that ends in `:name`.
    pub(super) fn named_pointer(&self, path: &str, name: &str) -> Option<JsonPointer> {
        let mut names = self.names.borrow_mut();
        let names = names.entry(path.to_owned()).or_insert_with(|| mappings(&self.value(path)));
        names.get(name).cloned()
    }
}

/// Every leaf of a mapping, by its path such as `permission/bash`: a list of scalars is one leaf, and white space is
/// collapsed.
pub(super) fn leaves(value: &Json) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    if let Json::Object(map) = value {
        for (key, value) in map {
            collect(key.clone(), value, &mut out);
        }
    }
    out
}

fn collect(path: String, value: &Json, out: &mut BTreeMap<String, String>) {
    match value {
        Json::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                collect(format!("{path}/{key}"), value, out);
            }
        }
        Json::Null => {}
        _ => drop(out.insert(path, one_line(value))),
    }
}

/// A value on one line.
fn one_line(value: &Json) -> String {
    match value {
        Json::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Json::Array(items) if items.iter().all(|item| !item.is_array() && !item.is_object()) => {
            items.iter().map(one_line).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// The pointer of every mapping in `value` by the last part of its key; the outermost one of several.
fn mappings(value: &Json) -> BTreeMap<String, JsonPointer> {
    let mut found = BTreeMap::new();
    let mut level = vec![(JsonPointer::default(), value)];
    while !level.is_empty() {
        let mut below = Vec::new();
        for (pointer, value) in level {
            match value {
                Json::Object(map) => below.extend(map.iter().map(|(key, value)| {
                    let pointer = pointer.key(key);
                    let name = last_of(key);
                    if value.is_object() && !found.contains_key(name) {
                        found.insert(name.to_owned(), pointer.clone());
                    }
                    (pointer, value)
                })),
                Json::Array(items) => {
                    below.extend(items.iter().enumerate().map(|(at, value)| (pointer.item(at), value)))
                }
                _ => {}
            }
        }
        level = below;
    }
    found
}

/// A handler of a hook: its event, its matcher, and the handler itself.
pub(super) type Handler<'a> = (&'a str, &'a str, &'a Json);

/// Every handler below the key `hooks` of a document, in source order.
pub(super) fn handlers(document: &Json) -> Vec<Handler<'_>> {
    let declared: Vec<&Json> = match &document["hooks"] {
        Json::Array(items) => items.iter().collect(),
        one => vec![one],
    };
    let mut out = Vec::new();
    for declared in declared {
        let events = if declared["hooks"].is_object() { &declared["hooks"] } else { declared };
        for (event, groups) in events.as_object().into_iter().flatten() {
            for group in groups.as_array().into_iter().flatten() {
                let matcher = group["matcher"].as_str().filter(|matcher| !matcher.is_empty()).unwrap_or("*");
                let of_group = group["hooks"].as_array().into_iter().flatten();
                out.extend(of_group.map(|handler| (event.as_str(), matcher, handler)));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_name_and_leaves_are_lines() {
        let value: Json = serde_json::from_str(
            r#"{"mcp":{"plugin:demo:tide":{"url":"a\n b","args":["x",1]}},"demo:tide":"no mapping"}"#,
        )
        .unwrap();
        let found = leaves(value.pointer(&mappings(&value)["tide"]).unwrap());
        assert_eq!(found["url"], "a b");
        assert_eq!(found["args"], "x, 1");
        assert!(!mappings(&value).contains_key("ide"));
    }

    #[test]
    fn handlers_are_found_in_files_and_lists() {
        let one = r#"{"hooks":{"Stop":[{"hooks":[{"command":"a"},{"command":"b"}]}]}}"#;
        let two = r#"{"hooks":["./x.json",{"Stop":[{"matcher":"M","hooks":[{"command":"c"}]}]}]}"#;
        for (text, wanted) in [(one, vec!["Stop * a", "Stop * b"]), (two, vec!["Stop M c"]), ("[]", vec![])] {
            let value: Json = serde_json::from_str(text).unwrap();
            let found: Vec<String> = handlers(&value)
                .into_iter()
                .map(|(event, matcher, handler)| {
                    format!("{event} {matcher} {}", handler["command"].as_str().unwrap())
                })
                .collect();
            assert_eq!(found, wanted);
        }
    }
}
