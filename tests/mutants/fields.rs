//! Frontmatter from a seed, as a skill, a command and an agent: what this program's reader takes of it is what the reader
//! of the source host takes, which is Bun's, by every field and its value.
//!
//! `PLUGCAST_FIELDS=10000` sets how many texts are made, `PLUGCAST_FIELDS_FROM=SEED` with which they begin.

mod tabs;
mod texts;

use plugcast::read::tree::{Node, Value as Read};
use plugcast::read::{frontmatter, salvage};
use plugcast::target::Targets;
use serde_json::Value;

use super::readers::{Reader, Readers};
use crate::support::{none_left, print_line};

/// Texts that the tests make without being told.
const TEXTS: usize = 600;

#[test]
fn case_13_fields_are_what_the_source_host_reads() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<usize>().ok());
    let first = number("PLUGCAST_FIELDS_FROM").unwrap_or_default() as u64;
    let count = number("PLUGCAST_FIELDS").unwrap_or(TEXTS) as u64;
    compare(&(first..first + count).map(|seed| (seed, texts::text(seed))).collect::<Vec<_>>());
}

#[test]
fn tabs_are_what_the_source_host_takes_them_for() {
    compare(&tabs::all());
}

/// Holds what this program reads of texts against what the host reads.
fn compare(made: &[(u64, String)]) {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<usize>().ok());
    let questions: Vec<(Reader, &str)> =
        made.iter().map(|(_, text)| (Reader::Claude, text.as_str())).collect();
    let answers = Readers::fetch().read(&questions);
    let targets = Targets::embedded().expect("the embedded targets load");
    let dialect = &targets.get("claude-code").expect("the host").yaml.dialect;
    let (mut findings, mut lost) = (Vec::new(), 0);
    for ((seed, text), answer) in made.iter().zip(&answers) {
        let document = salvage::as_read_by(frontmatter::parse(text), text, dialect);
        let read = document.fields.as_ref().map_or(Value::Null, plain);
        let host = whole(&answer["fields"]);
        lost += usize::from(host.as_object().is_some_and(serde_json::Map::is_empty));
        if read != host {
            findings.push(format!("{seed}: the host reads {host}, and this reader {read}\n{text}\n{text:?}"));
        }
    }
    let count = made.len();
    print_line(&format!(
        "fields: {count} texts, {lost} without a field for the host, {} differ",
        findings.len()
    ));
    assert!(lost * 2 < made.len(), "most texts have fields");
    findings.truncate(number("PLUGCAST_SHOW").unwrap_or(20));
    none_left("texts of which the source host reads something else", &findings);
}

/// What was read, with numbers by their value and the last of repeated keys.
fn plain(node: &Node) -> Value {
    match &node.value {
        Read::Number(text) => number(text),
        Read::List(items) => items.iter().map(plain).collect(),
        Read::Map(entries) => {
            Value::Object(entries.iter().map(|entry| (entry.key.clone(), plain(&entry.node))).collect())
        }
        _ => folded(&node.to_json()),
    }
}

/// Text with one space for white space: of a line's end on Windows within quotes the host keeps a line feed.
fn folded(value: &Value) -> Value {
    match value {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" ").into(),
        value => value.clone(),
    }
}

fn number(text: &str) -> Value {
    let of_base = |digits: &str, base| i64::from_str_radix(digits, base).ok().map(|value| value as f64);
    let digits = text.trim_start_matches(['+', '-']);
    let value = match (digits.strip_prefix("0x"), digits.strip_prefix("0o")) {
        (Some(hex), _) => of_base(hex, 16),
        (_, Some(octal)) => of_base(octal, 8),
        _ => digits.parse().ok(),
    };
    value.map_or(Value::Null, |value| if text.starts_with('-') { -value } else { value }.into())
}

/// The same of what the host's reader answers.
fn whole(value: &Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().map_or(Value::Null, Value::from),
        Value::Array(items) => items.iter().map(whole).collect(),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(key, value)| (key.clone(), whole(value))).collect())
        }
        value => folded(value),
    }
}
