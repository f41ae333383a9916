//! All values of one reply together: what each of them says counts, so that neither an example nor a quotation takes the
//! place of the reply.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{leftover, repair};
use crate::runtime::review::reviewers;

/// What the values of a reply hold.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// How many values there are.
    pub(super) count: usize,
    /// How each of them calls its reviewer; none for one that does not.
    pub(super) names: Vec<Option<String>>,
    /// The findings, equal ones once; none where no value has a list of them.
    pub(super) findings: Option<Vec<Value>>,
    pub(super) residual_risks: Option<Vec<String>>,
    pub(super) testing_gaps: Option<Vec<String>>,
    pub(super) rechecked: Vec<Value>,
    /// What had to be corrected.
    pub(super) repairs: Vec<String>,
    /// What cannot be read beside single findings.
    pub(super) unread: Vec<String>,
    /// The rest of the document.
    pub(super) document: Map<String, Value>,
    /// The findings as texts.
    seen: BTreeSet<String>,
}

impl Parts {
    /// Takes what a value, or one inside it, says; whether there is anything.
    pub(super) fn take(&mut self, value: Value) -> bool {
        let is = |object: &Map<String, Value>, name: &str, fits: fn(&Value) -> bool| {
            object.iter().any(|(key, value)| repair::plain(key) == name && fits(value))
        };
        match value {
            Value::Object(object)
                if is(&object, "findings", Value::is_array)
                    || is(&object, "rechecked", |value| !value.is_null()) =>
            {
                self.reply(object);
                true
            }
            value if repair::is_finding(&value) => self.list(vec![value]),
            Value::Array(items) if items.iter().any(repair::is_finding) => self.list(items),
            Value::Array(items) => items.into_iter().fold(false, |any, value| self.take(value) | any),
            Value::Object(object) => {
                if is(&object, "findings", |_| true) {
                    self.strange("`findings` is no list");
                }
                object.into_iter().fold(false, |any, (_, value)| self.take(value) | any)
            }
            Value::String(text) => {
                if leftover::looks_like_findings(&text) {
                    self.strange("a text in it looks like more findings");
                }
                false
            }
            _ => false,
        }
    }

    /// Notes what cannot be read.
    pub(super) fn strange(&mut self, reason: &str) {
        if !self.unread.iter().any(|known| known == reason) {
            self.unread.push(reason.to_owned());
        }
    }

    /// A list of findings that stands for a reply.
    fn list(&mut self, items: Vec<Value>) -> bool {
        self.count += 1;
        self.names.push(None);
        self.add(items);
        true
    }

    fn add(&mut self, items: Vec<Value>) {
        let findings = self.findings.get_or_insert_default();
        for item in items {
            if self.seen.insert(item.to_string()) {
                findings.push(item);
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
        let join = |list: &mut Option<Vec<String>>, value: &Value| {
            if let Some(texts) = repair::texts(Some(value)) {
                list.get_or_insert_default().extend(texts);
            }
        };
        for (key, value) in object {
            match repair::plain(&key).as_str() {
                "reviewer" => {
                    let names = repair::texts(Some(&value)).unwrap_or_default();
                    self.names.extend(names.into_iter().filter(|name| !name.trim().is_empty()).map(Some));
                }
                "findings" => match value {
                    Value::Array(items) => self.add(items),
                    Value::Null => {}
                    one => self.add(vec![one]),
                },
                "residualrisks" => join(&mut self.residual_risks, &value),
                "testinggaps" => join(&mut self.testing_gaps, &value),
                "rechecked" => self.rechecked.push(value),
                _ => {
                    self.unknown(&key, &value);
                    self.document.entry(key).or_insert(value);
                }
            }
        }
        if self.names.len() == before {
            self.names.push(None);
        }
    }

    /// A key that no reply has: findings below it count, and anything else of weight stands in the way.
    fn unknown(&mut self, key: &str, value: &Value) {
        let shown: String = key.chars().take(40).collect();
        let items = match value {
            Value::Array(items) if items.iter().any(repair::is_finding) => items.clone(),
            one if repair::is_finding(one) => vec![one.clone()],
            Value::Array(items) if !items.is_empty() => {
                return self.strange(&format!("the key `{shown}` is unknown"));
            }
            Value::Object(object) if !object.is_empty() => {
                return self.strange(&format!("the key `{shown}` is unknown"));
            }
            Value::String(text) if leftover::looks_like_findings(text) => {
                return self.strange(&format!("the key `{shown}` is unknown"));
            }
            _ => return,
        };
        self.repairs.push(format!("`{shown}` read as more findings"));
        self.add(items);
    }

    /// Compares how the reply calls its reviewer with whose it is.
    ///
    /// # Errors
    /// When it is the reply of another one.
    pub(super) fn compare(&mut self, reviewer: &str) -> Result<(), String> {
        if !reviewers::is_known(reviewer) {
            return Ok(());
        }
        let meant: Vec<Option<&str>> =
            self.names.iter().map(|name| reviewers::meant(name.as_ref()?)).collect();
        let other = meant.iter().flatten().find(|name| **name != reviewer);
        match other {
            Some(_) if meant.contains(&Some(reviewer)) => {}
            Some(other) if !meant.contains(&None) => {
                return Err(format!("it is the reply of `{other}` by what it says itself"));
            }
            Some(other) => self.strange(&format!("it says of itself that it is the reply of `{other}`")),
            None => {}
        }
        for (name, meant) in self.names.iter().zip(meant) {
            if let (Some(name), None) = (name, meant) {
                self.repairs
                    .push(format!("it calls itself {}", repair::shown(Some(&Value::from(name.as_str())))));
            }
        }
        Ok(())
    }
}
