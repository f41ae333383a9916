//! Judges unknown fields of a reply. Their texts are treated as sentences; other values are judged by closed lists of
//! words, as sentences are by templates: a count that matches the findings, an amount of work, a flag that all is well.
//! The writer is asked about every other value.

use serde_json::Value;

use super::{prose, repair};
use crate::runtime::review::findings::FindingSeverity;

/// Base forms of words for findings, or for work that was not done.
const FAULTS: &str = "finding issue problem fault error defect bug block critical vulnerability vulnerabilities regression \
    fail failure failing truncat truncate partial incomplete skip skipp omit omitt omission unread unreviewed missing remain break \
    broke broken los lose loss lost leak request need require reject crash unsafe insecure risk gap concern warn danger \
    violat violate violation wrong incorrect invalid deni deny timeout p2 p3";
/// Words for work that was done well.
const SUCCESS_WORDS: &str = "complete success successful ok okay approv approve done ready reviewed read pass safe clean correct \
    lgtm verifi verify valid confirm fix resolv resolve hold held finish check examin examine inspect ran run execut \
    execute merge mergeable good fine accept";
/// Words that are neutral.
const NEUTRAL: &str = "is was are has have had been be any all every the a an of in to for by with on at this file line \
    diff patch code change review test testing own new data caller pr result status summary stat scope found \
    overall reviewer agent human verification residual";
/// Words for a count of findings.
const COUNTS: &str = "finding issue problem fault bug defect total count number num all found report raised by of \
    severity severities summary stat statistic metric result overview breakdown distribution level new open";
/// Words for an amount of work.
const AMOUNTS: &str = "file line hunk byte char character word token duration elapsed time timestamp second sec minute \
    millisecond ms date version schema size length commit round run id index confidence tool call step turn usage cost \
    input output cache cached model temperature limit max page loc add delet deletion insert insertion addition change \
    diff modifi touch total count number num read review reviewed rechecked examin check scann analyz analys inspect used \
    of in per summary stat statistic metric meta metadata scope coverage";
/// Fields whose value is a single word.
const NAMES: &str = "model version schema id date timestamp meta metadata";
/// Words for work of which zero is suspicious.
const LOOKED: &str = "reviewed read examin check inspect scann";
const NEGATIONS: &str = "no not non never without zero none";
/// Endings that may follow a base form.
const ENDINGS: [&str; 8] = ["", "s", "d", "ed", "es", "ing", "er", "ers"];

/// A value of an unknown field that is not a sentence.
#[derive(Debug)]
pub(super) struct ExtraField {
    /// The path of keys to it.
    path: String,
    value: Value,
    /// Path and value as they were written.
    pub(super) text: String,
}

impl ExtraField {
    /// Whether it says nothing beyond the findings.
    pub(super) fn is_harmless(&self, findings: &[FindingSeverity]) -> bool {
        let words = words(&self.path);
        let all = |lists: &[&str]| words.iter().all(|word| lists.iter().any(|list| is_in(list, word)));
        match &self.value {
            Value::Number(number) if number.as_f64() == Some(0.0) => {
                !words.iter().any(|word| is_in(LOOKED, word)) || words.iter().any(|word| is_fault(word))
            }
            Value::Number(number) => {
                let severities: Vec<FindingSeverity> =
                    words.iter().filter_map(|word| severity(word)).collect();
                let meant = |one: &&FindingSeverity| severities.last().is_none_or(|meant| *one == meant);
                let count = findings.iter().filter(meant).count();
                let counts = words.iter().all(|word| is_in(COUNTS, word) || severity(word).is_some());
                all(&[AMOUNTS]) && severities.is_empty() && !all(&[COUNTS])
                    || counts && number.as_u64() == Some(count as u64)
            }
            Value::Bool(flag) => {
                let (denied, rest): (Vec<&String>, Vec<&String>) =
                    words.iter().partition(|word| is_in(NEGATIONS, word));
                let yes = *flag != (denied.len() % 2 == 1);
                let is_bad = |word: &&&String| is_fault(word);
                let is_good = |word: &&&String| is_in(SUCCESS_WORDS, word);
                let (bad, good) =
                    (rest.iter().any(|word| is_bad(&word)), rest.iter().any(|word| is_good(&word)));
                let known = rest.iter().all(|word| is_bad(&word) || is_good(&word) || is_in(NEUTRAL, word));
                known && bad != good && yes == good
            }
            _ => false,
        }
    }
}

/// Splits a field into values that are not sentences, and sentences; nested ones with their keys.
pub(super) fn read(key: &str, value: &Value) -> (Vec<ExtraField>, Vec<String>) {
    let (mut leaves, mut texts) = (Vec::new(), Vec::new());
    collect(key, value, false, &mut leaves, &mut texts);
    (leaves, texts)
}

fn collect(path: &str, value: &Value, is_below: bool, leaves: &mut Vec<ExtraField>, texts: &mut Vec<String>) {
    let mut leaf = |leaf_value: Value, shown: &str| {
        leaves.push(ExtraField {
            path: path.to_owned(),
            value: leaf_value,
            text: format!("{path}: {shown}"),
        });
    };
    match value {
        Value::Null => {}
        Value::Array(items) => items.iter().for_each(|item| collect(path, item, true, leaves, texts)),
        Value::Object(fields) => {
            for (key, value) in fields {
                collect(&format!("{path}: {key}"), value, true, leaves, texts);
            }
        }
        Value::String(text) => match flag(text) {
            Some(leaf_value) => leaf(leaf_value, text),
            // A single word, alone or in a list: `issues: ["eval"]`.
            None if is_grave(path) && (is_below || !text.trim().contains(char::is_whitespace)) => {
                leaf(Value::Null, text);
            }
            // The name of a program or a date.
            None if !text.trim().contains(char::is_whitespace)
                && words(path).iter().all(|word| is_in(NAMES, word)) => {}
            None if is_below => texts.push(format!("{path}: {text}")),
            None => texts.push(text.clone()),
        },
        other => leaf(other.clone(), &other.to_string()),
    }
}

/// The flag or number that a text means.
fn flag(text: &str) -> Option<Value> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" => Some(Value::Bool(true)),
        "false" | "no" => Some(Value::Bool(false)),
        "" | "none" | "nothing" | "n/a" | "null" => Some(Value::from(0)),
        number => number.parse::<f64>().ok().and_then(|_| serde_json::from_str(number).ok()),
    }
}

/// Whether the value at this path may be a finding.
fn is_grave(path: &str) -> bool {
    words(path).iter().any(|word| is_fault(word)) || prose::objection(path).is_some()
}

fn is_fault(word: &str) -> bool {
    is_in(FAULTS, word) || severity(word).is_some_and(|severity| severity <= FindingSeverity::P1)
}

fn severity(word: &str) -> Option<FindingSeverity> {
    repair::severity(&Value::from(word)).map(|(severity, _)| severity)
}

/// Whether a list contains a word in any form.
fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|one| word.strip_prefix(one).is_some_and(|ending| ENDINGS.contains(&ending)))
}

/// The words of a key in lower case: `requestChanges`, `request_changes`.
fn words(key: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut before = ' ';
    for c in key.chars() {
        let begins = c.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit());
        if begins || !c.is_alphanumeric() {
            found.push(String::new());
        }
        if let Some(last) = found.last_mut().filter(|_| c.is_alphanumeric()) {
            last.extend(c.to_lowercase());
        }
        before = c;
    }
    found.retain(|word| !word.is_empty());
    found
}
