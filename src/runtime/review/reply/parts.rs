//! Combines all values of one reply: each of them counts, so that neither an example nor a quotation can replace the
//! reply.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::fields::{self, ExtraField};
use super::{ids, json, leftover, repair};
use crate::runtime::review::reviewers;

/// The maximum number of faults reported per reply.
const MOST_FAULTS: usize = 20;

/// The combined content of a reply's values.
#[derive(Debug, Default)]
pub(super) struct ReplyParts {
    /// The number of values.
    pub(super) count: usize,
    /// The reviewer that each value names; none if it names none.
    pub(super) names: Vec<Option<String>>,
    /// The findings without duplicates; none if no value has a list of them.
    pub(super) findings: Option<Vec<Value>>,
    pub(super) residual_risks: Option<Vec<String>>,
    pub(super) testing_gaps: Option<Vec<String>>,
    /// Sentences in these lists; other items are parsed as findings.
    pub(super) sentences: Vec<String>,
    /// Answers to sentences of an earlier reply.
    pub(super) answers: Vec<Value>,
    pub(super) rechecked: Vec<Value>,
    /// The reviews that it claims to belong to.
    reviews: Vec<String>,
    /// Sentences next to the parsed fields.
    pub(super) prose: Vec<String>,
    /// Other values in unknown fields.
    pub(super) leaves: Vec<ExtraField>,
    /// Corrections that were made.
    pub(super) repairs: Vec<String>,
    /// What cannot be read, apart from single findings.
    pub(super) unread: Vec<String>,
    /// The rest of the document.
    pub(super) document: Map<String, Value>,
    /// The serialized findings, to detect duplicates.
    seen: BTreeSet<String>,
}

impl ReplyParts {
    /// Adds a value, or one nested in it; returns whether it was usable.
    pub(super) fn add_value(&mut self, value: Value) -> bool {
        let is = |object: &Map<String, Value>, name: &str, fits: fn(&Value) -> bool| {
            object.iter().any(|(key, value)| repair::plain(key) == name && fits(value))
        };
        match value {
            Value::Object(object)
                if is(&object, "findings", Value::is_array)
                    || ["rechecked", "sentences"]
                        .iter()
                        .any(|name| is(&object, name, |value| !value.is_null())) =>
            {
                self.reply(object);
                true
            }
            // Only answers.
            Value::Object(object)
                if !object.is_empty() && object.keys().all(|key| ids::sentence(key).is_some()) =>
            {
                self.answers.push(Value::Object(object));
                true
            }
            value if repair::is_finding(&value) => self.list(vec![value]),
            Value::Array(items) if items.iter().any(repair::is_finding) => self.list(items),
            Value::Array(items) => items.into_iter().fold(false, |any, value| self.add_value(value) | any),
            Value::Object(object) => {
                if is(&object, "findings", |_| true) {
                    self.add_unreadable("`findings` is not a list");
                }
                object.into_iter().fold(false, |any, (_, value)| self.add_value(value) | any)
            }
            Value::String(text) => {
                if leftover::looks_like_findings(&text) {
                    self.add_unreadable("a text in it looks like more findings");
                }
                false
            }
            _ => false,
        }
    }

    /// Records what cannot be read.
    pub(super) fn add_unreadable(&mut self, reason: &str) {
        if self.unread.len() < MOST_FAULTS && !self.unread.iter().any(|known| known == reason) {
            self.unread.push(reason.to_owned());
        }
    }

    /// Adds a bare list of findings as a reply.
    fn list(&mut self, items: Vec<Value>) -> bool {
        self.count += 1;
        self.names.push(None);
        self.add(items);
        true
    }

    /// Adds findings, including nested ones.
    fn add(&mut self, items: Vec<Value>) {
        self.findings.get_or_insert_default();
        for item in items {
            let text = item.as_str().map_or_else(|| item.to_string(), str::to_owned);
            if ids::is_nothing(&text) {
                self.repairs.push(format!("`{text}` among the findings read as none"));
                continue;
            }
            // A nested list, or a finding as a string.
            let inner =
                item.as_str().and_then(json::parse_exact).filter(Value::is_object).map(|inner| vec![inner]);
            if let Some(inner) = inner.or_else(|| item.as_array().cloned()) {
                self.add(inner);
            } else if self.seen.insert(item.to_string()) {
                let keys = item.as_object().into_iter().flat_map(|item| item.values());
                let below: Vec<Value> = keys.flat_map(findings_in).cloned().collect();
                self.findings.get_or_insert_default().push(item);
                self.add(below);
            }
        }
    }

    fn reply(&mut self, object: Map<String, Value>) {
        self.count += 1;
        let before = self.names.len();
        let whole = Value::Object(object);
        if repair::is_finding(&whole) {
            self.add(vec![whole.clone()]);
        }
        let Value::Object(object) = whole else { return };
        for (key, value) in object {
            match repair::plain(&key).as_str() {
                "reviewer" => {
                    self.beside_texts(&key, &value);
                    let names = repair::texts(Some(&value)).unwrap_or_default();
                    self.names.extend(names.into_iter().filter(|name| !name.trim().is_empty()).map(Some));
                }
                "run" | "runid" | "reviewid" => {
                    self.beside_texts(&key, &value);
                    // Longer texts are sentences: an id is one word.
                    let mut texts = Vec::new();
                    all_texts(&value, &mut texts);
                    self.prose
                        .extend(texts.into_iter().filter(|text| text.trim().contains(char::is_whitespace)));
                    self.reviews.extend(repair::texts(Some(&value)).unwrap_or_default());
                }
                "findings" => match value {
                    Value::Array(items) => self.add(items),
                    Value::Null => {}
                    one => self.add(vec![one]),
                },
                name @ ("residualrisks" | "testinggaps") => {
                    let texts = repair::texts(Some(&value));
                    let (known, list) = match name {
                        "residualrisks" => ("residual_risks", &mut self.residual_risks),
                        _ => ("testing_gaps", &mut self.testing_gaps),
                    };
                    let items = value.as_array().map_or(std::slice::from_ref(&value), Vec::as_slice);
                    items.iter().for_each(|item| all_texts(item, &mut self.sentences));
                    if let Some(texts) = texts {
                        list.get_or_insert_default().extend(texts);
                    }
                    if matches!(&value, Value::Object(object) if !object.is_empty()) {
                        self.add_unreadable(&format!("`{known}` is not a list of texts"));
                    }
                    // A flag or a number is not a list.
                    self.take_unknown(&key, &value, value.is_boolean() || value.is_number());
                }
                "sentences" => {
                    self.take_unknown(&key, &value, false);
                    self.answers.push(value);
                }
                "rechecked" if self.seen.insert(format!("rechecked {value}")) => self.rechecked.push(value),
                "rechecked" => {}
                _ => {
                    self.take_unknown(&key, &value, true);
                    self.document.entry(key).or_insert(value);
                }
            }
        }
        if self.names.len() == before {
            self.names.push(None);
        }
    }

    /// Handles a key whose value should be a text but is not.
    fn beside_texts(&mut self, key: &str, value: &Value) {
        let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        if !items.iter().all(|item| item.is_string() || item.is_null()) {
            self.take_unknown(key, value, true);
        }
    }

    /// Handles findings under a key that should not have any. Under an unknown key, texts are ordinary sentences, and
    /// other values are judged once all findings are known.
    fn take_unknown(&mut self, key: &str, value: &Value, is_strange: bool) {
        let shown: String = key.chars().take(40).collect();
        let found: Vec<Value> = findings_in(value).cloned().collect();
        if !found.is_empty() {
            self.repairs.push(format!("`{shown}` read as more findings"));
            self.add(found);
        } else if is_strange {
            let (leaves, texts) = fields::read(key, value);
            if texts.iter().any(|text| leftover::looks_like_findings(text)) {
                self.add_unreadable(&format!("unknown key `{shown}`"));
            } else {
                self.leaves.extend(leaves);
                self.prose.extend(texts);
            }
        }
    }

    /// Compares the review that the reply names with this one; an unfilled placeholder is ignored.
    ///
    /// # Errors
    /// When it belongs to another review.
    pub(super) fn compare_review(&mut self, own: Option<&str>) -> Result<(), String> {
        let Some((reason, is_own)) = own.and_then(|own| another_reviewer(&self.reviews, own)) else {
            return Ok(());
        };
        if is_own {
            self.add_unreadable(&reason);
            return Ok(());
        }
        Err(reason)
    }

    /// Compares the reviewer that the reply names with the expected one.
    ///
    /// # Errors
    /// When it is the reply of another reviewer.
    pub(super) fn compare(&mut self, reviewer: &str) -> Result<(), String> {
        if !reviewers::is_known(reviewer) {
            return Ok(());
        }
        let meant: Vec<Option<&str>> =
            self.names.iter().map(|name| reviewers::resolve_name(name.as_ref()?)).collect();
        let other = meant.iter().flatten().find(|name| **name != reviewer);
        match other {
            Some(_) if meant.contains(&Some(reviewer)) => {}
            Some(other) if !meant.contains(&None) => {
                return Err(format!("it names `{other}` as its reviewer"));
            }
            Some(other) => self.add_unreadable(&format!("it names `{other}` as its reviewer as well")),
            None => {}
        }
        let unknown = self.names.iter().zip(meant).find(|(name, meant)| name.is_some() && meant.is_none());
        if let Some((Some(name), _)) = unknown {
            let name = Value::from(name.as_str());
            self.repairs.push(format!("it calls itself {}", repair::shown(Some(&name))));
        }
        Ok(())
    }
}

/// The message if a reply names a different review, and whether it names this one as well.
pub(super) fn another_reviewer(reviews: &[String], own: &str) -> Option<(String, bool)> {
    let is_id = |text: &&str| {
        text.len() >= 8
            && !text.contains(char::is_whitespace)
            && text.bytes().any(|byte| byte.is_ascii_digit())
    };
    let named: Vec<&str> = reviews.iter().map(|text| text.trim()).filter(is_id).collect();
    let other = repair::shown(Some(&Value::from(*named.iter().find(|name| **name != own)?)));
    let reason = format!("it was written for the review {other}, but this is `{own}`");
    Some((reason, named.contains(&own)))
}

/// Collects every text in a value, with the name of its field for a string field.
fn all_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| all_texts(item, texts)),
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) => texts.push(format!("{key}: {text}")),
                    other => all_texts(other, texts),
                }
            }
        }
        _ => {}
    }
}

/// The findings in a value: a list of them, or a single one.
fn findings_in(value: &Value) -> impl Iterator<Item = &Value> {
    let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let any = items.iter().any(repair::is_finding);
    items.iter().filter(move |_| any)
}
